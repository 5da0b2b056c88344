//! Writing a blob: first its pages, then the list, from its end.

use memory_search_core::{Error, ErrorKind};

use super::{BLOB_PAGE_BYTES, LENGTH_BYTES, LISTED};
use crate::fault::{Fault, Outcome};
use crate::page::{self, HEADER_BYTES, Kind, NO_BLOCK, Page, SPECIAL, Special};
use crate::pages::{Change, PAGES_A_CHANGE, Pages};

/// Writes bytes under an id of [`Pages::fresh_id`], and returns the first page of their list. Nothing points to the
/// blob yet. If the caller's transaction ends without a link to it, [`super::free_unlinked`] finds it.
pub fn write(pages: &impl Pages, id: u64, bytes: &[u8]) -> Outcome<u32> {
    let made_at = pages.next_transaction();
    let count = bytes.len().div_ceil(BLOB_PAGE_BYTES);
    let mut blocks: Vec<u32> = Vec::new();
    if u32::try_from(count).is_err() || blocks.try_reserve_exact(count).is_err() {
        let message = format!("{} bytes are too many for a part of the memory index", bytes.len());
        return Err(Fault::Error(Error::new(ErrorKind::LimitExceeded, message)));
    }
    for several in bytes.chunks(PAGES_A_CHANGE * BLOB_PAGE_BYTES) {
        pages.tick()?;
        let mut change = pages.change();
        for content in several.chunks(BLOB_PAGE_BYTES) {
            let (block, slot) = change.allocate()?;
            let position = blocks.len() as u32;
            let page = change.page_mut(slot)?;
            page::init(page, Special { kind: Kind::Blob, next: NO_BLOCK, position, owner: id, made_at });
            fill(page, 0, content);
            blocks.push(block);
        }
        change.commit()?;
    }
    let roots = count.div_ceil(LISTED).max(1);
    let mut next = NO_BLOCK;
    for position in (0..roots).rev() {
        pages.tick()?;
        let mut change = pages.change();
        let (block, slot) = change.allocate()?;
        let page = change.page_mut(slot)?;
        page::init(page, Special { kind: Kind::BlobRoot, next, position: position as u32, owner: id, made_at });
        let mut at = fill(page, 0, &(bytes.len() as u64).to_le_bytes());
        for listed in blocks.iter().skip(position * LISTED).take(LISTED) {
            at = fill(page, at, &listed.to_le_bytes());
        }
        debug_assert!(at >= LENGTH_BYTES);
        change.commit()?;
        next = block;
    }
    Ok(next)
}

/// Writes content from `at` on, and returns the beginning of the free space after it.
fn fill(page: &mut Page, at: usize, content: &[u8]) -> usize {
    let start = HEADER_BYTES + at;
    page[start..start + content.len()].copy_from_slice(content);
    page::set_bounds(page, start + content.len(), SPECIAL);
    at + content.len()
}
