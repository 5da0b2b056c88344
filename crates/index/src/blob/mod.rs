//! Blobs: bytes over many pages, written once.
//!
//! A blob is pages of kind Blob, and a chain of pages of kind BlobRoot that list them; a root page begins with the
//! length of the whole blob u64, then block numbers u32. Each carries the blob's id and its number among its kind. So a
//! reader with an outdated address finds another owner, and not wrong bytes, and a page of a blob may be freed and
//! allocated again at once, although readers may still hold its address.

mod free;
mod read;
mod write;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::fault::{Fault, Outcome, damaged};
use crate::page::{self, CONTENT_BYTES, Kind, Page, Special};

pub use free::{Freed, free, free_unlinked};
pub use read::Blob;
pub use write::write;

/// Bytes of a blob on each of its pages; the last may hold less.
pub const BLOB_PAGE_BYTES: usize = CONTENT_BYTES;

/// Bytes of the length on a root page.
const LENGTH_BYTES: usize = 8;
/// Pages that a root page lists.
const LISTED: usize = (CONTENT_BYTES - LENGTH_BYTES) / 4;

/// Bytes in pages, for readers of a segment: a blob, or in tests a slice.
pub trait PagedBytes {
    /// The number of bytes.
    fn len(&self) -> u64;

    /// Whether it has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `look` with the bytes `page * BLOB_PAGE_BYTES ..` of one page, while nobody changes it. `look` must be
    /// short, and read no other page.
    fn read_page<T>(&self, page: u32, look: impl FnOnce(&[u8]) -> Outcome<T>) -> Outcome<T>;

    /// Says that a page is read after the next one.
    fn expect_page(&self, _page: u32) {}

    /// Lets the processor fetch these bytes of an expected page. May be called within [`PagedBytes::read_page`].
    fn prefetch(&self, _page: u32, _bytes: Range<usize>) {}

    /// Lets the caller's interrupts in. Called where no page is held.
    fn tick(&self) -> Outcome<()> {
        Ok(())
    }
}

impl<T: PagedBytes> PagedBytes for &T {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_page<R>(&self, page: u32, look: impl FnOnce(&[u8]) -> Outcome<R>) -> Outcome<R> {
        (**self).read_page(page, look)
    }

    fn expect_page(&self, page: u32) {
        (**self).expect_page(page);
    }

    fn prefetch(&self, page: u32, bytes: Range<usize>) {
        (**self).prefetch(page, bytes);
    }

    fn tick(&self) -> Outcome<()> {
        (**self).tick()
    }
}

/// The page of a blob, by the contents that it must have.
#[derive(Debug, Clone, Copy)]
struct Part {
    block: u32,
    kind: Kind,
    id: u64,
    position: u32,
}

impl Part {
    /// Reads the special space; a page of another owner is [`Fault::Moved`].
    fn special(&self, page: &Page) -> Outcome<Special> {
        if page::is_new(page) {
            return Err(damaged(self.block, "it is empty"));
        }
        let special = page::special(page, self.block)?;
        match (special.kind, special.owner, special.position) == (self.kind, self.id, self.position) {
            true => Ok(special),
            false => Err(Fault::Moved),
        }
    }
}
