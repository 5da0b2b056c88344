//! The documents of a memory that are visible: those of rows that the snapshot sees or, if the executor was asked, of
//! the rows that it named.

use memory_search_core::error;
use memory_search_core::place::Place;
use memory_search_index::bitset::Bitset;
use memory_search_index::fault::Outcome;
use memory_search_index::memory::contents::{Contents, OpenSegment};
use memory_search_index::segment::extents::Extent;

use super::open::OpenIndex;
use super::rows_asked::RowsAsked;
use crate::index::RelationPages;
use crate::pg::interrupt;
use crate::pg::seen_rows::SeenRows;
use crate::pg::visibility::VisibilityMap;

/// The visible documents of a memory.
pub struct Seen {
    /// The visible ones of the tail.
    pub tail: Bitset,
    /// The visible ones of each segment.
    pub segments: Vec<Bitset>,
}

/// The documents that the snapshot sees: by blocks that everybody sees, and by reading the other rows.
pub fn in_snapshot(
    contents: &Contents<'_, RelationPages>,
    open: &OpenIndex,
    map: &mut VisibilityMap<'_>,
) -> Outcome<Seen> {
    let mut tail = Bitset::empty(contents.tail_documents())?;
    let mut asked = Vec::new();
    for document in 0..contents.tail_documents() {
        let (place, is_visible_to_all, _) = contents.tail_document(document)?;
        match is_visible_to_all {
            true => tail.insert(document),
            false => asked.push((document, place)),
        }
    }
    ask_rows(open, &asked, &mut tail);
    let mut segments = Vec::with_capacity(contents.segments.len());
    for segment in &contents.segments {
        let (mut counts, asked) = map.asked_by(|map| seen_by_all(segment, map))?;
        ask_rows(open, &asked, &mut counts);
        segments.push(counts);
    }
    Ok(Seen { tail, segments })
}

/// The documents of a segment that the snapshot sees, by reading all of their rows.
pub fn without_map(segment: &OpenSegment<'_, RelationPages>, open: &OpenIndex) -> Outcome<Bitset> {
    let mut seen = Bitset::empty(segment.segment.documents())?;
    let mut asked: Vec<(u32, Place)> = Vec::new();
    segment.segment.places(|places| {
        for row in places.iter().filter(|(_, place)| place.is_row()) {
            asked.try_reserve(1).map_err(|_| error::out_of_memory())?;
            asked.push(row);
        }
        Ok(())
    })?;
    ask_rows(open, &asked, &mut seen);
    Ok(seen)
}

/// The documents whose rows are among some; `None` if one of these rows has no document.
pub fn by_caller(contents: &Contents<'_, RelationPages>, open: &OpenIndex, rows: &RowsAsked) -> Outcome<Option<Seen>> {
    let mut finding = rows.find()?;
    let mut seen = Seen { tail: Bitset::empty(contents.tail_documents())?, segments: Vec::new() };
    for segment in &contents.segments {
        seen.segments.push(Bitset::empty(segment.segment.documents())?);
    }
    each_unseen(contents, &mut seen, |place| finding.sees(place))?;
    let mut moved = finding.moved()?;
    if !moved.is_empty() {
        let mut rows = SeenRows::in_active_snapshot(&open.table);
        each_unseen(contents, &mut seen, |place| moved.sees(&mut rows, place))?;
    }
    Ok(moved.are_all_found().then_some(seen))
}

/// Adds the documents for which `sees` returns true, among those that are not included yet.
fn each_unseen(
    contents: &Contents<'_, RelationPages>,
    seen: &mut Seen,
    mut sees: impl FnMut(Place) -> bool,
) -> Outcome<()> {
    let mut add = |seen: &mut Bitset, document: u32, place: Place| {
        if place.is_row() && !seen.contains(document) && sees(place) {
            seen.insert(document);
        }
    };
    for document in 0..contents.tail_documents() {
        let (place, ..) = contents.tail_document(document)?;
        add(&mut seen.tail, document, place);
    }
    for (segment, seen) in contents.segments.iter().zip(&mut seen.segments) {
        segment.segment.places(|places| {
            places.iter().for_each(|(document, place)| add(seen, document, place));
            Ok(())
        })?;
    }
    Ok(())
}

/// Looking at this many blocks of the map together takes less time than testing one document.
const BLOCKS_A_DOCUMENT: u32 = 128;

/// The documents of a segment that everybody sees, and the others whose rows must be tested.
fn seen_by_all(
    segment: &OpenSegment<'_, RelationPages>,
    map: &mut VisibilityMap<'_>,
) -> Outcome<(Bitset, Vec<(u32, Place)>)> {
    let mut counts = Bitset::empty(segment.segment.documents())?;
    let mut others: Vec<Extent> = Vec::new();
    segment.segment.extents(|extent| {
        // Rows that were inserted one after another are near each other: usually all documents of an extent can be
        // tested at once.
        let documents = extent.documents();
        let blocks = extent
            .blocks()
            .filter(|(least, greatest)| (greatest - least) / BLOCKS_A_DOCUMENT <= documents.len() as u32);
        if blocks.is_some_and(|(least, greatest)| map.are_visible_to_all(least, greatest)) {
            counts.insert_range(documents);
            return Ok(());
        }
        // Until then it only matters which pages of the map are needed.
        if map.will_be_asked_again()
            && let Some((least, greatest)) = blocks
        {
            map.ask_for(least, greatest);
            return Ok(());
        }
        others.try_reserve(1).map_err(|_| error::out_of_memory())?;
        others.push(extent);
        Ok(())
    })?;
    let mut asked: Vec<(u32, Place)> = Vec::new();
    for extent in &others {
        segment.segment.places_of(extent, |places| {
            for (document, place) in places.iter().filter(|(_, place)| place.is_row()) {
                if map.is_visible_to_all(place.block) {
                    counts.insert(document);
                } else {
                    asked.try_reserve(1).map_err(|_| error::out_of_memory())?;
                    asked.push((document, place));
                }
            }
            Ok(())
        })?;
    }
    Ok((counts, asked))
}

/// Tests whether the snapshot sees the rows, by reading them.
fn ask_rows(open: &OpenIndex, asked: &[(u32, Place)], counts: &mut Bitset) {
    let mut rows = SeenRows::in_active_snapshot(&open.table);
    for (number, &(document, place)) in asked.iter().enumerate() {
        if number % 64 == 0 {
            interrupt::check();
        }
        if rows.version(place).is_some() {
            counts.insert(document);
        }
    }
}
