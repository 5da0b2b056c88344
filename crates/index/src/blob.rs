//! Bytes over many pages, written once.

use crate::fault::Outcome;
use crate::page::CONTENT_BYTES;

/// Bytes of a blob on each of its pages; the last may hold less.
pub const BLOB_PAGE_BYTES: usize = CONTENT_BYTES;

/// Bytes in pages, as who reads a segment sees them: a blob, or in tests a slice.
pub trait PagedBytes {
    /// How many bytes there are.
    fn len(&self) -> u64;

    /// Calls `look` with the bytes `page * BLOB_PAGE_BYTES ..` of one page, while nobody changes it. `look` must be
    /// short, and read no other page.
    fn read_page<T>(&self, page: u32, look: impl FnOnce(&[u8]) -> Outcome<T>) -> Outcome<T>;
}
