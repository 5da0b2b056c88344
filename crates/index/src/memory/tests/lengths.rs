//! Embeddings of lengths that the server cannot compute with, among others: their estimates are not numbers, for every
//! way by which their documents came into the index.

use super::documents::{NUMBERS, rotation};
use super::world::{SMALL, memory};
use crate::document::Document;
use crate::memory::bulk::{Embedded, Loader};
use crate::memory::contents::Contents;
use crate::memory::{check, sealing, tail, vacuum};
use crate::memory_pages::MemoryPages;
use crate::place::Place;
use crate::quantization::{Query, encode};
use crate::tree::generated::empty_index;

const ROWS: u32 = 60;

/// Rows of 48 dimensions, of which every third is too long or too short, then some of 20 that all are.
fn embedding(row: u32) -> (Vec<f32>, bool) {
    let (dimensions, is_unusual) = if row < ROWS - 6 { (48, row % 3 == 1) } else { (20, true) };
    let length = match (is_unusual, row % 2) {
        (false, _) => 1.0,
        (true, 0) => 1e25,
        (true, _) => 1e-25,
    };
    ((0..dimensions).map(|at| ((row * 50 + at) as f32).sin() * length).collect(), is_unusual)
}

fn document(row: u32) -> Document {
    let numbers = vec![Some(i64::from(row)); NUMBERS];
    Document { place: Place { block: row, offset: 1 }, numbers, ..Document::default() }
}

/// Documents whose estimates are not numbers, and how many have one.
fn unforeseen(pages: &MemoryPages, dimensions: usize) -> (Vec<u32>, usize) {
    let contents = Contents::read(pages, memory(0), &mut |_| false).unwrap();
    let (mut places, mut found, mut all) = (vec![Place::NONE; contents.documents() as usize], Vec::new(), 0);
    contents.each_place(&mut |number, place| places[number as usize] = place).unwrap();
    let query = Query::new(&vec![0.5; dimensions]).unwrap();
    let mut each = |part: usize, number: u32, estimate: crate::quantization::Estimate| {
        let first = if part == 0 { 0 } else { contents.segments[part - 1].first };
        all += 1;
        if estimate.upper().is_nan() {
            found.push(places[(first + number) as usize].block);
        }
        Ok(())
    };
    contents.estimates(&query, &mut each).unwrap();
    found.sort_unstable();
    (found, all)
}

fn assert_unforeseen(pages: &MemoryPages) {
    check(pages).unwrap();
    for (dimensions, rows) in [(48, 0..ROWS - 6), (20, ROWS - 6..ROWS)] {
        let unusual: Vec<u32> = rows.clone().filter(|row| embedding(*row).1).collect();
        assert_eq!(unforeseen(pages, dimensions), (unusual, rows.len()));
    }
}

#[test]
fn a_build_a_seal_and_a_merge_keep_embeddings_of_unusual_length() {
    for rows in [ROWS, 4] {
        let pages = empty_index();
        let mut loader = Loader::within(&pages, NUMBERS, rotation, SMALL).unwrap();
        for row in ROWS - rows..ROWS {
            let embedded = Embedded { document: document(row), embeddings: vec![embedding(row).0] };
            loader.add(memory(0), embedded).unwrap();
        }
        loader.finish().unwrap();
        if rows == ROWS {
            assert_unforeseen(&pages);
        } else {
            assert_eq!(unforeseen(&pages, 20), ((ROWS - 4..ROWS).collect(), 4));
        }
    }
    let pages = empty_index();
    for row in 0..ROWS {
        let embedding = embedding(row).0;
        let codes = encode(&rotation(embedding.len()).unwrap(), &embedding, None).into_iter().collect();
        tail::insert(&pages, memory(0), &Document { codes, ..document(row) }).unwrap();
    }
    assert_unforeseen(&pages);
    for _ in 0..ROWS {
        sealing::seal_within(&pages, memory(0), NUMBERS, &SMALL).unwrap();
    }
    assert_unforeseen(&pages);
    vacuum::merge_segments_within(&pages, &SMALL, |_| ()).unwrap();
    assert_unforeseen(&pages);
}
