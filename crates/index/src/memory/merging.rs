//! Merging segments: a search reads each segment, and only a merge drops dead documents.
//!
//! The merged segment is written, then the header names it in the place of the others, then these are freed. Only one
//! process at a time does this for a memory, and VACUUM is no exception.

use std::collections::BTreeMap;

use memory_search_core::ErrorKind;

use super::contents::header;
use super::header::{Header, SegmentEntry};
use super::limits::Limits;
use super::linking::{change_header, finish, write};
use crate::blob::{self, Blob};
use crate::fault::{Fault, Outcome, damaged_content};
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::segment::{self, InMemory, Segment};

/// Merges segments of a size while there are many, none of which has more than `at_most` documents together, as long
/// as the memory does not have too many segments.
pub(super) fn merge(pages: &impl Pages, memory: MemoryHash, at_most: u32, limits: &Limits) -> Outcome<()> {
    // While the tail holds documents of the last segment, this segment must stay where it is.
    let mut found = finish(pages, memory)?;
    while let Some(before) = found {
        let Some(chosen) = to_merge(&before.segments, at_most, limits) else { return Ok(()) };
        let is_full = before.segments.len() >= limits.many_segments;
        if !replace(pages, memory, &chosen, if is_full { u64::MAX } else { limits.merged_bytes })? {
            return Ok(());
        }
        found = header(pages, memory)?;
    }
    Ok(())
}

/// Rewrites segments of which more than half is dead.
pub(super) fn drop_dead(pages: &impl Pages, memory: MemoryHash, limits: &Limits) -> Outcome<()> {
    let Some(Header { segments, .. }) = finish(pages, memory)? else { return Ok(()) };
    for entry in segments {
        let (mut live, mut all) = (0_u32, 0_u32);
        Segment::open(Blob::open(pages, entry.root, entry.id)?)?.places(|places| {
            live += places.iter().filter(|(_, place)| place.is_row()).count() as u32;
            all += places.iter().len() as u32;
            Ok(())
        })?;
        if live < all / 2 && live <= limits.merged_by_vacuum {
            replace(pages, memory, &[entry], limits.merged_bytes)?;
        }
    }
    Ok(())
}

/// The segments that should become one, because there are too many of one size.
fn to_merge(segments: &[SegmentEntry], at_most: u32, limits: &Limits) -> Option<Vec<SegmentEntry>> {
    let at_most = u64::from(limits.merged(segments.len(), at_most));
    let mut by_size: BTreeMap<u32, Vec<SegmentEntry>> = BTreeMap::new();
    for entry in segments {
        by_size.entry(limits.size(entry.documents)).or_default().push(*entry);
    }
    by_size.into_values().find_map(|mut entries| {
        entries.truncate(limits.segments_of_a_size);
        let documents: u64 = entries.iter().map(|entry| u64::from(entry.documents)).sum();
        (entries.len() == limits.segments_of_a_size && documents <= at_most).then_some(entries)
    })
}

/// Reports an error in documents that come from pages as damage.
fn as_damage(fault: Fault) -> Fault {
    match fault {
        Fault::Error(error) if error.kind == ErrorKind::Internal => {
            damaged_content(&format!("segments cannot be merged: {}", error.message))
        }
        fault => fault,
    }
}

/// Replaces several segments by one. False if they have more than `most_bytes` together.
fn replace(pages: &impl Pages, memory: MemoryHash, chosen: &[SegmentEntry], most_bytes: u64) -> Outcome<bool> {
    let mut segments = Vec::new();
    for entry in chosen {
        segments.push(Segment::open(Blob::open(pages, entry.root, entry.id)?)?);
    }
    if segments.iter().map(Segment::length).sum::<u64>() > most_bytes {
        return Ok(false);
    }
    let bytes = segment::merge(&segments.iter().collect::<Vec<_>>(), &|| pages.tick()).map_err(as_damage)?;
    let documents = Segment::open(InMemory(&bytes))?.documents();
    let merged = (documents > 0).then(|| write(pages, &bytes, documents)).transpose()?;
    change_header(pages, memory, |header| {
        let is_chosen = |entry: &SegmentEntry| chosen.iter().any(|gone| gone.id == entry.id);
        let at = header.segments.iter().position(is_chosen).unwrap_or(0);
        header.segments.retain(|entry| !is_chosen(entry));
        if let Some(entry) = merged {
            header.segments.insert(at.min(header.segments.len()), entry);
        }
    })?;
    for entry in chosen {
        blob::free(pages, entry.root, entry.id)?;
    }
    Ok(true)
}
