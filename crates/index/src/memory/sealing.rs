//! Sealing a tail into a segment.
//!
//! After each step searches read the memory correctly, so that a crash may come between any two:
//!
//! 1. the segment is written, and nothing points to it;
//! 2. the header names it, and notes that the tail still holds its documents, so that they count once;
//! 3. the documents are removed from the tail;
//! 4. the header says so.
//!
//! Only one process seals a memory at a time, and VACUUM does not work on that memory meanwhile. Rows are added and
//! searched all the time.

use std::collections::BTreeMap;

use super::contents::header;
use super::header::{MAX_SEGMENTS, SegmentEntry};
use super::limits::{LIMITS, Limits};
use super::linking::{change_header, finish, write};
use super::merging;
use super::restart::settled;
use super::tail::{self, Outside, Record};
use super::tail_key::key_of;
use crate::blob;
use crate::document::{Document, DocumentView};
use crate::fault::{Outcome, damaged, damaged_content};
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::quantization;
use crate::segment::{self, Group, SegmentDocument};
use crate::tree::{Key, Tree, Walk};

/// Seals the tail of a memory, if it is long, and merges small segments. `numbers` is the count of number columns.
pub fn seal(pages: &impl Pages, memory: MemoryHash, numbers: usize) -> Outcome<()> {
    seal_within(pages, memory, numbers, &LIMITS)
}

/// Seals within other limits.
pub fn seal_within(pages: &impl Pages, memory: MemoryHash, numbers: usize, limits: &Limits) -> Outcome<()> {
    settled(seal_alone(pages, memory, numbers, limits))
}

fn seal_alone(pages: &impl Pages, memory: MemoryHash, numbers: usize, limits: &Limits) -> Outcome<()> {
    let before = finish(pages, memory)?.unwrap_or_default();
    if before.segments.len() >= MAX_SEGMENTS {
        // Merges failed again and again. The tail grows until a VACUUM merges successfully.
        merging::merge(pages, memory, limits.merged_at_once, limits)?;
        if header(pages, memory)?.is_some_and(|header| header.segments.len() >= MAX_SEGMENTS) {
            return Ok(());
        }
    }
    let (documents, outside) = read_tail(pages, memory, numbers, limits)?;
    if documents.len() < limits.long_tail {
        return Ok(());
    }
    let keys: Vec<Key> = documents.iter().map(|document| key_of(memory, document.place)).collect();
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
    merging::merge(pages, memory, limits.merged_at_once, limits)
}

/// The first documents of a tail in the order of their keys, and the addresses of blobs of their own.
fn read_tail(
    pages: &impl Pages,
    memory: MemoryHash,
    numbers: usize,
    limits: &Limits,
) -> Outcome<(Vec<Document>, Vec<Outside>)> {
    let (mut documents, mut bytes, mut outside) = (Vec::new(), 0, Vec::new());
    tail::each(pages, memory, |place, record, block| {
        if documents.last().is_some_and(|last: &Document| key_of(memory, last.place) >= key_of(memory, place)) {
            return Err(damaged(block, "its keys do not rise"));
        }
        let (document, length) = match Record::read(record, block)? {
            Record::Within(bytes) => (DocumentView::new(bytes)?.to_document(place), bytes.len()),
            Record::Outside(at) => {
                outside.push((documents.len(), at));
                (Document { place, ..Document::default() }, at.length as usize)
            }
        };
        documents.push(document);
        bytes += length;
        let is_enough = documents.len() >= limits.sealed_at_once
            || documents.len() >= limits.long_tail && bytes >= limits.sealed_bytes;
        Ok(if is_enough { Walk::Stop } else { Walk::Go })
    })?;
    if documents.len() < limits.long_tail {
        return Ok((documents, Vec::new()));
    }
    for &(number, at) in &outside {
        let mut bytes = Vec::new();
        tail::read_outside(pages, at, &mut bytes)?;
        let document: &mut Document = &mut documents[number];
        *document = DocumentView::new(&bytes)?.to_document(document.place);
    }
    if documents.iter().any(|document| document.numbers.len() != numbers) {
        return Err(damaged_content("a document has other numbers than the index"));
    }
    Ok((documents, outside.into_iter().map(|(_, at)| at).collect()))
}

/// Writes documents whose codes are relative to zero as a segment.
fn write_segment(pages: &impl Pages, documents: Vec<Document>, numbers: usize) -> Outcome<SegmentEntry> {
    let mut numbered: BTreeMap<usize, u32> = BTreeMap::new();
    let (mut groups, mut sealed) = (Vec::new(), Vec::with_capacity(documents.len()));
    for document in documents {
        let mut of_codes = Vec::with_capacity(document.codes.len());
        for code in &document.codes {
            let dimensions =
                quantization::dimensions_of(code).ok_or_else(|| damaged_content("a code cannot be read"))?;
            let next = groups.len() as u32;
            let group = *numbered.entry(dimensions).or_insert(next);
            if group == next {
                groups.push(Group { dimensions: dimensions as u32, mean: None });
            }
            of_codes.push(group);
        }
        sealed.push(SegmentDocument { document, groups: of_codes });
    }
    let count = sealed.len() as u32;
    write(pages, &segment::build(&mut sealed, &groups, numbers)?, count)
}
