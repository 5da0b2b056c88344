//! Sealing a tail into a segment, and merging segments.
//!
//! Each step leaves a memory that a search reads right, so that a crash may come between any two:
//!
//! 1. the segment is written, and nothing points to it;
//! 2. the header names it, and says that the tail still holds its documents: they count once;
//! 3. they are taken off the tail;
//! 4. the header says so.
//!
//! Who does this is alone for its memory, and no VACUUM runs meanwhile; rows are added and searched all the while.

use std::collections::BTreeMap;

use super::contents::header;
use super::header::{Header, SegmentEntry};
use super::tail::{self, LONG_TAIL, Outside, Record};
use crate::blob::{self, Blob};
use crate::document::{Document, DocumentView};
use crate::fault::Outcome;
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::place::Place;
use crate::quantization;
use crate::segment::{self, Group, Segment, SegmentDocument};
use crate::tree::{Key, Tree, Walk};

/// So many segments of a size become one.
pub const SEGMENTS_OF_A_SIZE: usize = 8;
/// Segments of so many documents together are merged while a row's inserter waits: some milliseconds.
pub const MERGED_AT_ONCE: u32 = 8 * LONG_TAIL as u32;

/// Seals the tail of a memory, if it is long, and merges small segments. `numbers` is the count of number columns.
pub fn seal(pages: &impl Pages, memory: MemoryHash, numbers: usize) -> Outcome<()> {
    let before = header(pages, memory)?.unwrap_or_default();
    if before.tail_holds_sealed {
        finish(pages, memory, &before)?;
    }
    let (documents, outside) = read_tail(pages, memory)?;
    if documents.len() < LONG_TAIL {
        return Ok(());
    }
    let keys: Vec<Key> = documents.iter().map(|document| Key { memory, place: document.place }).collect();
    let entry = write_segment(pages, documents, numbers)?;
    change_header(pages, memory, |header| {
        header.segments.push(entry);
        header.tail_holds_sealed = true;
    })?;
    Tree::open(pages)?.remove(&keys)?;
    change_header(pages, memory, |header| header.tail_holds_sealed = false)?;
    for outside in outside {
        blob::free(pages, outside.root, outside.id)?;
    }
    merge(pages, memory, MERGED_AT_ONCE)
}

/// Takes off the tail what a crash left there of the last segment.
fn finish(pages: &impl Pages, memory: MemoryHash, header: &Header) -> Outcome<()> {
    if let Some(last) = header.segments.last() {
        let blob = Blob::open(pages, last.root, last.id)?;
        let mut sealed = std::collections::BTreeSet::new();
        Segment::open(&blob)?.places(|places| {
            sealed.extend(places.iter().map(|(_, place)| place).filter(|place| place.is_row()));
            Ok(())
        })?;
        let keys: Vec<Key> = sealed.into_iter().map(|place| Key { memory, place }).collect();
        Tree::open(pages)?.remove(&keys)?;
    }
    change_header(pages, memory, |header| header.tail_holds_sealed = false)
}

/// The documents of a tail in the order of their places, and where those lie that have blobs of their own.
fn read_tail(pages: &impl Pages, memory: MemoryHash) -> Outcome<(Vec<Document>, Vec<Outside>)> {
    let mut documents = Vec::new();
    let mut outside: Vec<(Place, Outside)> = Vec::new();
    tail::each(pages, memory, |place, record, block| {
        match Record::read(record, block)? {
            Record::Within(bytes) => documents.push(DocumentView::new(bytes)?.to_document(place)),
            Record::Outside(at) => outside.push((place, at)),
        }
        Ok(Walk::Go)
    })?;
    for &(place, at) in &outside {
        let mut bytes = Vec::new();
        tail::read_outside(pages, at, &mut bytes)?;
        documents.push(DocumentView::new(&bytes)?.to_document(place));
    }
    documents.sort_by_key(|document| document.place);
    Ok((documents, outside.into_iter().map(|(_, at)| at).collect()))
}

/// Writes documents whose codes are counted from zero as a segment.
fn write_segment(pages: &impl Pages, documents: Vec<Document>, numbers: usize) -> Outcome<SegmentEntry> {
    let mut groups: BTreeMap<usize, u32> = BTreeMap::new();
    let mut sealed = Vec::with_capacity(documents.len());
    for document in documents {
        let dimensions = document.code.as_deref().and_then(quantization::dimensions_of).unwrap_or(0);
        let next = groups.len() as u32;
        let group = *groups.entry(dimensions).or_insert(next);
        sealed.push(SegmentDocument { document, group });
    }
    let mut in_order: Vec<(u32, usize)> = groups.into_iter().map(|(dimensions, group)| (group, dimensions)).collect();
    in_order.sort_unstable();
    let groups: Vec<Group> =
        in_order.into_iter().map(|(_, dimensions)| Group { dimensions: dimensions as u32, mean: None }).collect();
    let count = sealed.len() as u32;
    write(pages, &segment::build(&mut sealed, &groups, numbers)?, count)
}

/// Writes a segment; nothing points to it yet.
pub fn write(pages: &impl Pages, bytes: &[u8], documents: u32) -> Outcome<SegmentEntry> {
    let id = pages.fresh_id();
    Ok(SegmentEntry { id, root: blob::write(pages, id, bytes)?, documents })
}

/// Merges segments of a size while there are many, none of which has more than `at_most` documents together.
pub fn merge(pages: &impl Pages, memory: MemoryHash, at_most: u32) -> Outcome<()> {
    loop {
        let Some(before) = header(pages, memory)? else { return Ok(()) };
        let Some(chosen) = to_merge(&before.segments, at_most) else { return Ok(()) };
        let mut blobs = Vec::new();
        for entry in &chosen {
            blobs.push(Blob::open(pages, entry.root, entry.id)?);
        }
        let mut segments = Vec::new();
        for blob in &blobs {
            segments.push(Segment::open(blob)?);
        }
        let bytes = segment::merge(&segments.iter().collect::<Vec<_>>())?;
        let documents = Segment::open(segment::InMemory(&bytes))?.documents();
        let merged = (documents > 0).then(|| write(pages, &bytes, documents)).transpose()?;
        change_header(pages, memory, |header| {
            let at = header.segments.iter().position(|entry| entry.id == chosen[0].id).unwrap_or(0);
            header.segments.retain(|entry| chosen.iter().all(|gone| gone.id != entry.id));
            if let Some(entry) = merged {
                header.segments.insert(at.min(header.segments.len()), entry);
            }
        })?;
        for entry in chosen {
            blob::free(pages, entry.root, entry.id)?;
        }
    }
}

/// The segments that should become one: of a size, and so many that there had better be fewer.
fn to_merge(segments: &[SegmentEntry], at_most: u32) -> Option<Vec<SegmentEntry>> {
    let mut by_size: BTreeMap<u32, Vec<SegmentEntry>> = BTreeMap::new();
    for entry in segments {
        let size = (entry.documents / LONG_TAIL as u32).max(1).ilog(SEGMENTS_OF_A_SIZE as u32);
        by_size.entry(size).or_default().push(*entry);
    }
    by_size.into_values().find_map(|mut entries| {
        entries.truncate(SEGMENTS_OF_A_SIZE);
        let documents: u64 = entries.iter().map(|entry| u64::from(entry.documents)).sum();
        (entries.len() == SEGMENTS_OF_A_SIZE && documents <= u64::from(at_most)).then_some(entries)
    })
}

/// Changes the header of a memory, and counts the change.
pub fn change_header(pages: &impl Pages, memory: MemoryHash, change: impl FnOnce(&mut Header)) -> Outcome<()> {
    Tree::open(pages)?.update(&Key::header(memory), |bytes| {
        let mut header = bytes.map(|bytes| Header::decode(bytes, 0)).transpose()?.unwrap_or_default();
        change(&mut header);
        header.changes = header.changes.wrapping_add(1);
        Ok(Some(header.encode()))
    })?;
    Ok(())
}
