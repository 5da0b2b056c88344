//! What VACUUM does: takes dead rows off tails and segments, merges segments, and gives back pages that nobody needs.
//! No tail is sealed meanwhile.

use memory_search_core::error::out_of_memory;

use super::header::{Header, SegmentEntry};
use super::limits::{LIMITS, Limits};
use super::restart::settled;
use super::tail::{Outside, Record};
use super::tail_key::place_of;
use super::{linking, merging};
use crate::blob::{self, Blob};
use crate::fault::Outcome;
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::place::Place;
use crate::segment::{Segment, mark_dead};
use crate::tree::{Key, Tree, Walk};

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
    let found = delete_from_tails(pages, &mut is_dead, &mut result)?;
    for at in found.outside {
        blob::free(pages, at.root, at.id)?;
    }
    for (memory, entry) in found.segments {
        pages.tick()?;
        let left = settled(delete_from_segment(pages, entry, &mut is_dead, &mut result))?;
        if left == 0 {
            linking::change_header(pages, memory, |header| header.segments.retain(|other| other.id != entry.id))?;
            blob::free(pages, entry.root, entry.id)?;
        }
    }
    Ok(result)
}

/// What else there is to be done after a walk over the tails.
#[derive(Default)]
struct Found {
    segments: Vec<(MemoryHash, SegmentEntry)>,
    /// Where documents lie whose records were removed.
    outside: Vec<Outside>,
}

fn delete_from_tails(
    pages: &impl Pages,
    is_dead: &mut impl FnMut(Place) -> bool,
    result: &mut Removed,
) -> Outcome<Found> {
    let mut found = Found::default();
    Tree::open(pages)?.change_leaves(&Key::MIN, |leaf, gone| {
        for entry in leaf.entries() {
            let (slot, key, record) = entry?;
            if !key.place.is_row() {
                let segments = Header::decode(record)?.segments;
                found.segments.try_reserve(segments.len()).map_err(|_| out_of_memory())?;
                found.segments.extend(segments.into_iter().map(|entry| (key.memory, entry)));
            } else if is_dead(place_of(&key)) {
                gone.push(slot);
                result.removed += 1;
                if let Record::Outside(at) = Record::read(record, leaf.block())? {
                    found.outside.try_reserve(1).map_err(|_| out_of_memory())?;
                    found.outside.push(at);
                }
            } else {
                result.kept += 1;
            }
        }
        Ok(Walk::Go)
    })?;
    Ok(found)
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
                memories.try_reserve(1).map_err(|_| out_of_memory())?;
                memories.push(key.memory);
            }
        }
        Ok(Walk::Go)
    })?;
    Ok(memories)
}

/// Merges segments of a size wherever there are many, and writes those anew that are mostly dead.
pub fn merge_segments(pages: &impl Pages) -> Outcome<()> {
    merge_segments_within(pages, &LIMITS)
}

/// The same within other limits.
pub fn merge_segments_within(pages: &impl Pages, limits: &Limits) -> Outcome<()> {
    for memory in sealed_memories(pages)? {
        pages.tick()?;
        settled(merging::drop_dead(pages, memory, limits))?;
        settled(merging::merge(pages, memory, limits.merged_by_vacuum, limits))?;
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
                    for segment in Header::decode(record)?.segments {
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
