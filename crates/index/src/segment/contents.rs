//! All documents of a segment as they were put in, by inverting its postings. Merges and checks read them.

use std::collections::HashMap;

use memory_search_core::error::out_of_memory;
use memory_search_core::text::document::Occurrences;

use super::dictionary::{self, Info};
use super::postings::{self, List};
use super::run::Run;
use super::{Segment, SegmentDocument, build, bytes};
use crate::blob::PagedBytes;
use crate::document::Document;
use crate::fault::{Outcome, damaged_content};
use crate::quantization;

/// Hashes whose documents are noted between two ticks.
const HASHES_A_TICK: usize = 8_192;
/// Memory for at most so many lexemes is allocated at once, because a length may be damaged.
const MOST_LIKELY: usize = 24;

/// The documents that are not dead, with everything, in their order.
pub fn documents_again<B: PagedBytes>(segment: &Segment<B>) -> Outcome<Vec<Document>> {
    Ok(live(segment, &|| Ok(()))?.into_iter().map(|one| one.document).collect())
}

/// One segment of the documents of several that are not dead. Codes and means are carried over byte for byte; groups
/// that are alike become one. The segments are of one index. Calls `tick` now and then, while no page is held.
pub fn merge<B: PagedBytes>(segments: &[&Segment<B>], tick: &impl Fn() -> Outcome<()>) -> Outcome<Vec<u8>> {
    let numbers = segments.first().map_or(0, |segment| segment.number_columns());
    let (mut documents, mut all_groups, mut known) = (Vec::new(), Vec::new(), HashMap::new());
    for segment in segments {
        tick()?;
        let mut renumbered = Vec::new();
        for group in segment.codes()?.groups()? {
            let next = all_groups.len() as u32;
            let number = *known.entry(group.clone()).or_insert(next);
            if number == next {
                push(&mut all_groups, group)?;
            }
            push(&mut renumbered, number)?;
        }
        let mut live = live(segment, tick)?;
        for group in live.iter_mut().flat_map(|one| &mut one.groups) {
            let number = renumbered.get(*group as usize);
            *group = *number.ok_or_else(|| damaged_content("a code is of a group that is not there"))?;
        }
        documents.try_reserve(live.len()).map_err(|_| out_of_memory())?;
        documents.append(&mut live);
    }
    build::build_ticking(&mut documents, &all_groups, numbers, tick)
}

fn push<T>(all: &mut Vec<T>, one: T) -> Outcome<()> {
    all.try_reserve(1).map_err(|_| out_of_memory())?;
    all.push(one);
    Ok(())
}

/// Like [`push`], for a list that mostly has one element: [`push`] would allocate four.
fn push_one<T>(all: &mut Vec<T>, one: T) -> Outcome<()> {
    if all.capacity() == 0 {
        all.try_reserve_exact(1).map_err(|_| out_of_memory())?;
    }
    push(all, one)
}

/// The documents that are not dead, in their order.
fn live<B: PagedBytes>(segment: &Segment<B>, tick: &impl Fn() -> Outcome<()>) -> Outcome<Vec<SegmentDocument>> {
    let mut all: Vec<SegmentDocument> = Vec::new();
    all.try_reserve_exact(segment.documents() as usize).map_err(|_| out_of_memory())?;
    segment.places(|places| {
        let document = |place| Document { place, ..Document::default() };
        all.extend(places.iter().map(|(_, place)| SegmentDocument { document: document(place), groups: Vec::new() }));
        Ok(())
    })?;
    let lengths = segment.lengths()?;
    for (one, length) in all.iter_mut().zip(lengths.iter()) {
        one.document.length = length
            .and_then(|length| u32::try_from(length).ok())
            .ok_or_else(|| damaged_content("the length of a document is none"))?;
        let likely = (one.document.length as usize).min(MOST_LIKELY);
        one.document.lexemes.try_reserve_exact(likely).map_err(|_| out_of_memory())?;
        one.document.numbers.try_reserve_exact(segment.number_columns()).map_err(|_| out_of_memory())?;
    }
    for column in 0..segment.number_columns() {
        let column = segment.numbers(column)?;
        all.iter_mut().zip(column.iter()).try_for_each(|(one, number)| push(&mut one.document.numbers, number))?;
    }
    tick()?;
    add_hashes(segment, &mut all, tick)?;
    tick()?;
    add_codes(segment, &mut all)?;
    all.retain(|one| one.document.place.is_row());
    Ok(all)
}

/// Adds lexemes and terms. The dictionaries ascend, and so do the hashes of each document.
fn add_hashes<B: PagedBytes>(
    segment: &Segment<B>,
    all: &mut [SegmentDocument],
    tick: &impl Fn() -> Outcome<()>,
) -> Outcome<()> {
    let (start, end) = segment.header.postings;
    let lists = bytes::range(&segment.bytes, start, end - start)?;
    let mut rest = &lists[..];
    let documents = segment.documents();
    let mut failed = Ok(());
    each_list(segment, &segment.header.lexemes, &mut rest, lists.len(), tick, |hash, found| {
        let mut add = |document: u32, found: Occurrences| {
            let one = &mut all[document as usize].document;
            if one.place.is_row() && failed.is_ok() {
                failed = push(&mut one.lexemes, (hash, found));
            }
        };
        match found {
            Found::Single(document, occurrences) => {
                add(document, occurrences);
                Ok(())
            }
            Found::List(list) => list.each_posting(documents, segment.usual(), add),
        }
    })?;
    each_list(segment, &segment.header.terms, &mut rest, lists.len(), tick, |hash, found| {
        let mut add = |document: u32| {
            let one = &mut all[document as usize].document;
            if one.place.is_row() && failed.is_ok() {
                failed = push(&mut one.terms, hash);
            }
        };
        match found {
            Found::Single(document, _) => {
                add(document);
                Ok(())
            }
            Found::List(list) => list.each_document(documents, add),
        }
    })?;
    failed?;
    match rest.is_empty() {
        true => Ok(()),
        false => Err(damaged_content("a segment has postings of no hash")),
    }
}

/// The postings of a hash.
enum Found<'a> {
    Single(u32, Occurrences),
    List(List<&'a [u8]>),
}

/// Calls `each` with every hash of a dictionary. Its lists must be the next of `rest`, so that each is read only once,
/// also with a damaged dictionary.
fn each_list<'a, B: PagedBytes>(
    segment: &Segment<B>,
    dictionary: &Run,
    rest: &mut &'a [u8],
    length: usize,
    tick: &impl Fn() -> Outcome<()>,
    mut each: impl FnMut(u64, Found<'a>) -> Outcome<()>,
) -> Outcome<()> {
    let mut last = None;
    for (number, (hash, info)) in dictionary::entries(dictionary, &segment.bytes)?.into_iter().enumerate() {
        if number.is_multiple_of(HASHES_A_TICK) {
            tick()?;
        }
        if last.is_some_and(|last| last >= hash) {
            return Err(damaged_content("the hashes of a dictionary do not ascend"));
        }
        last = Some(hash);
        let found = match info {
            Info::Single(document, found) => {
                segment.check_document(document)?;
                Found::Single(document, found)
            }
            Info::List(start) => {
                let in_order = start as usize == length - rest.len();
                let list = if in_order { postings::take(rest, segment.documents()) } else { None };
                Found::List(list.ok_or_else(|| damaged_content("the postings of a dictionary are not in its order"))?)
            }
        };
        each(hash, found)?;
    }
    Ok(())
}

/// Adds codes. Each code has bytes of its own. So the codes take no more memory than the segment has bytes (apart from
/// the lists), also if a damaged segment gives very many to one document.
fn add_codes<B: PagedBytes>(segment: &Segment<B>, all: &mut [SegmentDocument]) -> Outcome<()> {
    let codes = segment.codes()?;
    let dimensions: Vec<usize> = codes.groups()?.iter().map(|group| group.dimensions as usize).collect();
    codes.each(|group, document, first, rest| {
        let one = all.get_mut(document as usize).ok_or_else(|| damaged_content("a code is of no document"))?;
        if one.document.place.is_row() {
            let code = quantization::join(dimensions[group], first, rest);
            let code = code.ok_or_else(|| damaged_content("the parts of a code are of no code"))?;
            push_one(&mut one.document.codes, code)?;
            push_one(&mut one.groups, group as u32)?;
        }
        Ok(())
    })
}
