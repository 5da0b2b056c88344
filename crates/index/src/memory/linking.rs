//! Links of a memory: writes a segment, names it in the header, and completes the work that a crash interrupted.

use memory_search_core::error::out_of_memory;

use super::contents::header;
use super::header::{Header, SegmentEntry};
use super::tail_key::key_of;
use crate::blob::{self, Blob};
use crate::fault::Outcome;
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::segment::Segment;
use crate::tree::{Key, Tree};

/// Writes a segment; nothing points to it yet.
pub(super) fn write(pages: &impl Pages, bytes: &[u8], documents: u32) -> Outcome<SegmentEntry> {
    let id = pages.fresh_id()?;
    Ok(SegmentEntry { id, root: blob::write(pages, id, bytes)?, documents })
}

/// Changes the header of a memory, and counts the change.
pub(super) fn change_header(pages: &impl Pages, memory: MemoryHash, change: impl FnOnce(&mut Header)) -> Outcome<()> {
    Tree::open(pages)?.update(&Key::header(memory), |bytes| {
        let mut header = bytes.map(Header::decode).transpose()?.unwrap_or_default();
        change(&mut header);
        header.changes = header.changes.wrapping_add(1);
        Ok(Some(header.encode()))
    })?;
    Ok(())
}

/// Removes documents of the last segment that a crash left in the tail. Returns the header after that.
pub(super) fn finish(pages: &impl Pages, memory: MemoryHash) -> Outcome<Option<Header>> {
    let before = header(pages, memory)?;
    let Some(last) = before.as_ref().filter(|header| header.tail_holds_sealed) else { return Ok(before) };
    if let Some(last) = last.segments.last() {
        let segment = Segment::open(Blob::open(pages, last.root, last.id)?)?;
        let mut keys: Vec<Key> = Vec::new();
        keys.try_reserve_exact(segment.documents() as usize).map_err(|_| out_of_memory())?;
        segment.places(|places| {
            let rows = places.iter().map(|(_, place)| place).filter(|place| place.is_row());
            keys.extend(rows.map(|place| key_of(memory, place)));
            Ok(())
        })?;
        keys.sort_unstable();
        Tree::open(pages)?.remove(&keys)?;
    }
    change_header(pages, memory, |header| header.tail_holds_sealed = false)?;
    header(pages, memory)
}
