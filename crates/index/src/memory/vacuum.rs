//! What VACUUM does: takes dead rows off tails and segments, merges segments, and gives back pages that nobody needs.
//! No tail is sealed meanwhile.

use super::header::{Header, SegmentEntry};
use super::sealing;
use super::tail::{Outside, Record};
use crate::blob::{self, Blob};
use crate::fault::Outcome;
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::place::Place;
use crate::segment::{Segment, mark_dead};
use crate::tree::{Key, Tree, Walk};

/// Segments of so many documents together are merged by VACUUM: it cannot be interrupted for some 50 milliseconds.
const MERGED_BY_VACUUM: u32 = 8 * sealing::MERGED_AT_ONCE;

/// What a pass over an index took off it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// Documents that stay.
    pub kept: u64,
    /// Documents that were taken off.
    pub removed: u64,
}

/// Takes off every document of which `is_dead` says so. Every document that is there all the while is asked about.
pub fn bulk_delete(pages: &impl Pages, mut is_dead: impl FnMut(Place) -> bool) -> Outcome<Removed> {
    let mut result = Removed::default();
    let mut segments: Vec<(MemoryHash, SegmentEntry)> = Vec::new();
    let mut outside: Vec<Outside> = Vec::new();
    Tree::open(pages)?.change_leaves(&Key::MIN, |leaf, gone| {
        for entry in leaf.entries() {
            let (slot, key, record) = entry?;
            if !key.place.is_row() {
                let header = Header::decode(record, leaf.block())?;
                segments.extend(header.segments.into_iter().map(|entry| (key.memory, entry)));
            } else if is_dead(key.place) {
                gone.push(slot);
                result.removed += 1;
                if let Record::Outside(at) = Record::read(record, leaf.block())? {
                    outside.push(at);
                }
            } else {
                result.kept += 1;
            }
        }
        Ok(Walk::Go)
    })?;
    for at in outside {
        blob::free(pages, at.root, at.id)?;
    }
    for (memory, entry) in segments {
        pages.tick()?;
        let left = delete_from_segment(pages, entry, &mut is_dead, &mut result)?;
        if left == 0 {
            sealing::change_header(pages, memory, |header| header.segments.retain(|other| other.id != entry.id))?;
            blob::free(pages, entry.root, entry.id)?;
        }
    }
    Ok(result)
}

/// Marks the dead of a segment; gives how many documents are left.
fn delete_from_segment(
    pages: &impl Pages,
    entry: SegmentEntry,
    is_dead: &mut impl FnMut(Place) -> bool,
    result: &mut Removed,
) -> Outcome<u64> {
    let blob = Blob::open(pages, entry.root, entry.id)?;
    let segment = Segment::open(&blob)?;
    let (mut dead, mut left) = (Vec::new(), 0);
    segment.places(|places| {
        for (document, place) in places.iter().filter(|(_, place)| place.is_row()) {
            match is_dead(place) {
                true => dead.push(document),
                false => left += 1,
            }
        }
        Ok(())
    })?;
    result.kept += left;
    result.removed += dead.len() as u64;
    // Page by page: each is one record.
    let mut by_page: std::collections::BTreeMap<u32, Vec<usize>> = Default::default();
    for document in dead {
        if let Some((page, offset)) = segment.position_of_place(document) {
            by_page.entry(page).or_default().push(offset);
        }
    }
    for (page, offsets) in by_page {
        pages.tick()?;
        blob.change_page(page, |bytes| {
            let mut is_changed = false;
            for &offset in &offsets {
                is_changed |= mark_dead(bytes, offset)?;
            }
            Ok(is_changed)
        })?;
    }
    Ok(left)
}

/// The memories that were ever sealed.
fn sealed_memories(pages: &impl Pages) -> Outcome<Vec<MemoryHash>> {
    let mut memories = Vec::new();
    Tree::open(pages)?.leaves(&Key::MIN, |leaf| {
        for entry in leaf.entries() {
            let (_, key, _) = entry?;
            if !key.place.is_row() {
                memories.push(key.memory);
            }
        }
        Ok(Walk::Go)
    })?;
    Ok(memories)
}

/// Merges segments of a size wherever there are many.
pub fn merge_segments(pages: &impl Pages) -> Outcome<()> {
    for memory in sealed_memories(pages)? {
        pages.tick()?;
        sealing::merge(pages, memory, MERGED_BY_VACUUM)?;
    }
    Ok(())
}

/// Frees the pages of blobs that nothing points to, which a crash left behind. Gives how many pages are free.
pub fn free_unlinked(pages: &impl Pages) -> Outcome<u64> {
    let freed = blob::free_unlinked(pages, |ids| {
        Tree::open(pages)?.leaves(&Key::MIN, |leaf| {
            for entry in leaf.entries() {
                let (_, key, record) = entry?;
                if !key.place.is_row() {
                    for segment in Header::decode(record, leaf.block())?.segments {
                        ids.remove(&segment.id);
                    }
                } else if let Record::Outside(at) = Record::read(record, leaf.block())? {
                    ids.remove(&at.id);
                }
            }
            Ok(Walk::Go)
        })
    })?;
    Ok(freed.pages + freed.known)
}
