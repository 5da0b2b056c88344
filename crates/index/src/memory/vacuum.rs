//! The work of VACUUM: removes dead rows from tails and segments, merges segments, and frees pages that are not needed.
//!
//! Other processes seal tails meanwhile. A process that seals a memory keeps others from sealing it, and so does VACUUM
//! while it works on a memory that may be sealed: then each document of the memory is in its tail, or in a segment that
//! its header names, and stays there. Otherwise VACUUM only removes documents of memories of which no process can have
//! copies that it might put into a segment:
//!
//! - all records of the memory are in one leaf, and are read at one moment;
//! - it has no header, so no segment is named;
//! - its tail is not long enough to be sealed, and was not since VACUUM began: a tail gets shorter only by sealing, after
//!   which there is a header, or by VACUUM.
//!
//! A row that is added meanwhile is not among the dead rows that VACUUM removes.

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
use crate::segment::Segment;
use crate::segment::extents::mark_dead_within;
use crate::tree::{Key, Tree, Walk};

/// The result of a pass over an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// Documents that stay.
    pub kept: u64,
    /// Documents that were removed.
    pub removed: u64,
}

/// Removes every document for which `is_dead` returns true. `is_dead` is called for every document that exists
/// throughout. `alone` waits until no process seals a memory, and prevents sealing as long as its result lives.
pub fn bulk_delete<L>(
    pages: &impl Pages,
    alone: impl FnMut(MemoryHash) -> L,
    is_dead: impl FnMut(Place) -> bool,
) -> Outcome<Removed> {
    bulk_delete_within(pages, &LIMITS, alone, is_dead)
}

/// Deletes within other limits.
pub fn bulk_delete_within<L>(
    pages: &impl Pages,
    limits: &Limits,
    mut alone: impl FnMut(MemoryHash) -> L,
    mut is_dead: impl FnMut(Place) -> bool,
) -> Outcome<Removed> {
    let mut result = Removed::default();
    let mut outside = Vec::new();
    let others = delete_from_small(pages, limits, &mut is_dead, &mut outside, &mut result)?;
    for at in outside {
        blob::free(pages, at.root, at.id)?;
    }
    for memory in others {
        pages.tick()?;
        let _alone = alone(memory);
        settled(delete_from(pages, memory, &mut is_dead, &mut result))?;
    }
    Ok(result)
}

/// Removes dead documents of memories that are in one leaf and were never sealed. Returns all others, from which
/// nothing was removed.
fn delete_from_small(
    pages: &impl Pages,
    limits: &Limits,
    is_dead: &mut impl FnMut(Place) -> bool,
    outside: &mut Vec<Outside>,
    result: &mut Removed,
) -> Outcome<Vec<MemoryHash>> {
    let mut others: Vec<MemoryHash> = Vec::new();
    let mut low: Option<Key> = None;
    Tree::open(pages)?.change_leaves(&Key::MIN, |leaf, gone| {
        let high = leaf.high();
        let records: Vec<(usize, Key, &[u8])> = leaf.entries().collect::<Outcome<_>>()?;
        for records in records.chunk_by(|(_, one, _), (_, next, _)| one.memory == next.memory) {
            let first = records[0].1;
            let header = Key::header(first.memory);
            let is_whole = low.is_none_or(|low| low <= header) && high.is_none_or(|high| high.memory > first.memory);
            if is_whole && first.place.is_row() && records.len() < limits.long_tail {
                for &(slot, key, record) in records {
                    if delete_record((slot, key, record), leaf.block(), is_dead, outside, result)? {
                        gone.push(slot);
                    }
                }
            } else {
                add(&mut others, first.memory)?;
            }
        }
        // A memory that begins left of this leaf's end may have no record here (any more).
        if let Some(high) = high.filter(|high| *high > Key::header(high.memory)) {
            add(&mut others, high.memory)?;
        }
        low = high;
        Ok(Walk::Go)
    })?;
    Ok(others)
}

/// Adds a memory, unless it is the last one already: they come in order.
fn add(memories: &mut Vec<MemoryHash>, memory: MemoryHash) -> Outcome<()> {
    if memories.last() != Some(&memory) {
        memories.try_reserve(1).map_err(|_| out_of_memory())?;
        memories.push(memory);
    }
    Ok(())
}

/// Whether a record of a tail is to be removed; notes the blob of its document, if it has one.
fn delete_record(
    (_, key, record): (usize, Key, &[u8]),
    block: u32,
    is_dead: &mut impl FnMut(Place) -> bool,
    outside: &mut Vec<Outside>,
    result: &mut Removed,
) -> Outcome<bool> {
    if !is_dead(place_of(&key)) {
        result.kept += 1;
        return Ok(false);
    }
    result.removed += 1;
    if let Record::Outside(at) = Record::read(record, block)? {
        outside.try_reserve(1).map_err(|_| out_of_memory())?;
        outside.push(at);
    }
    Ok(true)
}

/// Removes dead documents of a memory that no process seals meanwhile.
fn delete_from(
    pages: &impl Pages,
    memory: MemoryHash,
    is_dead: &mut impl FnMut(Place) -> bool,
    result: &mut Removed,
) -> Outcome<()> {
    let (mut segments, mut outside) = (Vec::new(), Vec::new());
    Tree::open(pages)?.change_leaves(&Key::header(memory), |leaf, gone| {
        for entry in leaf.entries() {
            let (slot, key, record) = entry?;
            if key.memory != memory {
                return Ok(Walk::Stop);
            }
            if !key.place.is_row() {
                segments = Header::decode(record)?.segments;
            } else if delete_record((slot, key, record), leaf.block(), is_dead, &mut outside, result)? {
                gone.push(slot);
            }
        }
        Ok(Walk::Go)
    })?;
    for at in outside {
        blob::free(pages, at.root, at.id)?;
    }
    for entry in segments {
        pages.tick()?;
        if delete_from_segment(pages, entry, is_dead, result)? == 0 {
            linking::change_header(pages, memory, |header| header.segments.retain(|other| other.id != entry.id))?;
            blob::free(pages, entry.root, entry.id)?;
        }
    }
    Ok(())
}

/// Marks dead documents of a segment; returns the number of remaining documents.
fn delete_from_segment(
    pages: &impl Pages,
    entry: SegmentEntry,
    is_dead: &mut impl FnMut(Place) -> bool,
    result: &mut Removed,
) -> Outcome<u64> {
    let blob = Blob::open(pages, entry.root, entry.id)?;
    let segment = Segment::open(&blob)?;
    let mut left = 0;
    // Page by page: each is one record.
    for extent in segment.all_extents()? {
        pages.tick()?;
        let mut dead = Vec::new();
        segment.places_of(&extent, |places| {
            for (document, place) in places.iter().filter(|(_, place)| place.is_row()) {
                match is_dead(place) {
                    true => dead.push(document),
                    false => left += 1,
                }
            }
            Ok(())
        })?;
        if !dead.is_empty() {
            mark_dead_within(&segment, &extent, &dead)?;
            result.removed += dead.len() as u64;
        }
    }
    result.kept += left;
    Ok(left)
}

/// The memories that have ever been sealed.
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

/// Merges segments of a size if there are many, and rewrites segments that are mostly dead. `alone` as in
/// [`bulk_delete`].
pub fn merge_segments<L>(pages: &impl Pages, alone: impl FnMut(MemoryHash) -> L) -> Outcome<()> {
    merge_segments_within(pages, &LIMITS, alone)
}

/// Merges within other limits.
pub fn merge_segments_within<L>(
    pages: &impl Pages,
    limits: &Limits,
    mut alone: impl FnMut(MemoryHash) -> L,
) -> Outcome<()> {
    for memory in sealed_memories(pages)? {
        pages.tick()?;
        let _alone = alone(memory);
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
