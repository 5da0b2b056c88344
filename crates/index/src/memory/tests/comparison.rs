//! Whether the index holds what the table does.

use std::collections::HashMap;

use super::documents::{Row, State, cosine, vector};
use super::world::{Shared, World, bulk_delete, clean_up};
use crate::document::Document;
use crate::hashing::MemoryHash;
use crate::memory::contents::Contents;
use crate::memory::{check, for_each_document};
use crate::memory_pages::MemoryPages;
use crate::place::Place;
use crate::quantization::{Estimate, Query};

/// Every row that is live is there once and as it was put in, and nothing else that was not put in.
pub fn compare(pages: &MemoryPages, world: &World, memory: MemoryHash) {
    let contents = Contents::read(pages, memory, &mut |_| false).unwrap();
    let mut seen: HashMap<Place, Document> = HashMap::new();
    for document in contents.all_documents().unwrap() {
        let row = world.rows.get(&(memory, document.place)).expect("a document is there that nobody put in");
        assert_eq!(document, row.document);
        assert!(seen.insert(document.place, document).is_none(), "a document is there twice");
    }
    for row in world.of(memory).filter(|row| row.state == State::Live) {
        assert!(seen.contains_key(&row.document.place), "a document is missing: {row:?}");
    }
    let mut places = 0;
    contents
        .each_place(&mut |number, place| {
            if place.is_row() {
                places += 1;
                assert!(seen.contains_key(&place));
                // Reading a page within this would hold two.
                assert!(number < contents.documents());
            }
        })
        .unwrap();
    assert_eq!(places, seen.len());
}

/// What codes say of a query is near what embeddings say.
pub fn compare_estimates(pages: &MemoryPages, world: &mut World, memory: MemoryHash) {
    for dimensions in [8, 64] {
        let asked = vector(&mut world.random, dimensions);
        let contents = Contents::read(pages, memory, &mut |_| false).unwrap();
        let mut places = HashMap::new();
        let mut note = |number, place| {
            places.insert(number, place);
        };
        contents.each_place(&mut note).unwrap();
        let first = |part: usize| if part == 0 { 0 } else { contents.segments[part - 1].first };
        let mut seen = 0;
        let mut each = |part: usize, number: u32, estimate: Estimate| {
            let place = places[&(first(part) + number)];
            if place.is_row() {
                let embedding = world.rows[&(memory, place)].embedding.as_ref().unwrap();
                let exact = cosine(&asked, embedding);
                let off = (f64::from(estimate.cosine) - exact).abs();
                assert!(off <= 6.0 * f64::from(estimate.error) + 0.001, "{estimate:?} of {exact}");
                seen += 1;
            }
            Ok(())
        };
        contents.estimates(&Query::new(&asked).unwrap(), &mut each).unwrap();
        let has = |row: &&Row| row.embedding.as_ref().is_some_and(|embedding| embedding.len() == dimensions);
        let (live, all) = (
            world.of(memory).filter(has).filter(|row| row.state == State::Live).count(),
            world.of(memory).filter(has).count(),
        );
        assert!((live..=all).contains(&seen), "{seen} of {live} to {all}");
    }
}

/// After all has ended, the index holds the table and nothing else.
pub fn compare_at_the_end(pages: &MemoryPages, world: &Shared) {
    world.borrow_mut().restart(pages);
    bulk_delete(pages, world).unwrap();
    clean_up(pages, world).unwrap();
    let checked = check(pages).unwrap();
    let world = world.borrow();
    assert_eq!(checked.unlinked_pages, 0, "{checked:?}");
    assert_eq!(checked.pages.empty_pages, 0);
    assert_eq!(checked.tail_documents + checked.segment_documents, world.rows.len() as u64);
    let mut rows = world.rows.iter();
    let mut last: Option<MemoryHash> = None;
    let mut documents: Vec<Document> = Vec::new();
    for_each_document(pages, |memory, document| {
        if last != Some(memory) {
            compare_in_order(&mut rows, &mut documents);
            last = Some(memory);
        }
        documents.push(document.clone());
        Ok(())
    })
    .unwrap();
    compare_in_order(&mut rows, &mut documents);
    assert!(rows.next().is_none());
}

fn compare_in_order<'a>(
    rows: &mut impl Iterator<Item = (&'a (MemoryHash, Place), &'a Row)>,
    documents: &mut Vec<Document>,
) {
    documents.sort_by_key(|document| document.place);
    for document in documents.drain(..) {
        assert_eq!(Some(&document), rows.next().map(|(_, row)| &row.document));
    }
}
