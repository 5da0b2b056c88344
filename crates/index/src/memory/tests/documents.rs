//! Random rows, some too long for a page, and the expected estimates by the codes of their embeddings.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use memory_search_core::text::document::Occurrences;

use crate::document::Document;
use crate::place::Place;
use crate::quantization::{Rotation, encode, is_unusual};
use crate::tree::generated::Random;

/// Numbers of each document.
pub const NUMBERS: usize = 3;

/// A row of the table.
#[derive(Debug, Clone)]
pub struct Row {
    /// With codes, if the test knows the expected ones.
    pub document: Document,
    /// Its embedding, and the embeddings of its passages.
    pub embeddings: Vec<Vec<f32>>,
    /// No two rows have the same.
    pub version: u64,
    pub state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Live,
    /// Being put in: a reader may see it or not.
    InFlight,
    /// The next VACUUM removes it: until then a reader may see it or not.
    Dead,
}

/// The rotation of so many dimensions.
pub fn rotation(dimensions: usize) -> Option<Rc<Rotation>> {
    thread_local!(static ALL: RefCell<HashMap<usize, Rc<Rotation>>> = RefCell::default());
    ALL.with_borrow_mut(|all| {
        let new = || Rc::new(Rotation::new(dimensions).unwrap());
        Some(Rc::clone(all.entry(dimensions).or_insert_with(new)))
    })
}

pub fn vector(random: &mut Random, dimensions: usize) -> Vec<f32> {
    (0..dimensions).map(|_| random.below(2_001) as f32 / 1_000.0 - 0.9).collect()
}

/// A row without codes.
pub fn row(random: &mut Random, place: Place, version: u64) -> Row {
    let lexemes = match random.below(400) {
        0 => 1_100 + random.below(900),
        1..7 => 300 + random.below(100),
        _ => random.below(12),
    };
    let mut hashes: Vec<u64> =
        (0..lexemes).map(|_| random.below(4 * lexemes + 20).wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    let occurrences = |random: &mut Random| match random.below(10) {
        0 => Occurrences { by_weight: [random.next() as u16, 0, 3, 1] },
        _ => Occurrences { by_weight: [1, 0, 0, 0] },
    };
    let lexemes: Vec<_> = hashes.into_iter().map(|hash| (hash, occurrences(random))).collect();
    let mut terms: Vec<u64> = (0..random.below(4)).map(|_| random.below(30) << 40).collect();
    terms.sort_unstable();
    terms.dedup();
    let number = |random: &mut Random| match random.below(8) {
        0 => None,
        1 => Some(random.next() as i64),
        _ => Some(1_700_000_000_000_000 + random.below(1_000) as i64 * 1_000_000),
    };
    let length = if random.below(10) == 0 { random.below(90) as u32 } else { lexemes.len() as u32 };
    let embeddings = match random.below(24) {
        0..4 => passages(random),
        4..9 => Vec::new(),
        9..14 => vec![vector(random, 64)],
        _ => vec![vector(random, 8)],
    };
    let numbers = (0..NUMBERS).map(|_| number(random)).collect();
    let document = Document { place, numbers, length, terms, lexemes, codes: Vec::new() };
    Row { document, embeddings, version, state: State::Live }
}

/// Several embeddings: many near each other, some of a length that the server cannot compute with.
fn passages(random: &mut Random) -> Vec<Vec<f32>> {
    let mut all = vec![vector(random, 8)];
    for _ in 0..1 + random.below(19) {
        let mut next = match random.below(8) {
            0 => vector(random, 8),
            1 | 2 => vector(random, 64),
            _ => all[random.below(all.len() as u64) as usize].clone(),
        };
        let at = random.below(next.len() as u64) as usize;
        next[at] += random.below(3) as f32 / 1_000.0;
        if random.below(40) == 0 && !is_unusual(&next) {
            next.iter_mut().for_each(|value| *value *= 1e25);
        }
        all.push(next);
    }
    all
}

/// Gives a row the codes that a document of the tail has.
pub fn with_codes(mut row: Row) -> Row {
    let code = |embedding: &Vec<f32>| encode(&rotation(embedding.len()).unwrap(), embedding, None).unwrap();
    row.document.codes = row.embeddings.iter().map(code).collect();
    row
}

/// The document with its codes sorted, because the index keeps them in no order.
pub fn in_order(mut document: Document) -> Document {
    document.codes.sort_unstable();
    document
}

pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
