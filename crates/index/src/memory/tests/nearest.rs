//! A search in two passes over the codes of a memory finds the same nearest documents as a scan over its vectors.

use std::rc::Rc;

use crate::document::Document;
use crate::memory::bulk::{Embedded, Loader};
use crate::memory::contents::Contents;
use crate::memory_pages::MemoryPages;
use crate::place::Place;
use crate::quantization::{Nearest, Query, Rotation};
use crate::tree::create;

const ROWS: u32 = 6_000;
const QUERIES: u32 = 20;
const WANTED: usize = 10;

/// A value between -1 and 1 for a seed.
fn value(seed: u64) -> f32 {
    let mixed = (seed ^ seed >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 40) as f32 / (1 << 23) as f32 - 1.0
}

/// The distribution of a memory's embeddings.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// In all directions alike.
    Centred,
    /// All of them in one direction.
    OneSided,
    /// Around a few points, close together, so that signs distinguish them badly.
    Clusters,
    /// Few coordinates that are not zero.
    Sparse,
    /// Many times the same.
    Duplicates,
}

fn vector(kind: Kind, row: u32, dimensions: usize) -> Vec<f32> {
    let at = |row: u32, dimension: usize| value(u64::from(row) << 20 | dimension as u64);
    let of = |dimension: usize| match kind {
        Kind::Centred => at(row, dimension),
        Kind::OneSided => 1.5 + at(row, dimension),
        Kind::Clusters => at(row % 7, dimension) + 0.02 * at(row, dimension),
        Kind::Sparse if (dimension as u32 + row).is_multiple_of(7) => 1.1 + at(row, dimension),
        Kind::Sparse => 0.0,
        Kind::Duplicates => at(row % 40, dimension),
    };
    (0..dimensions).map(of).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// The number of wanted rows, of all queries, whose documents were found.
fn found(kind: Kind, dimensions: usize) -> usize {
    let pages = MemoryPages::new();
    create(&pages, [7; 16], &[]).unwrap();
    let rotation = Rc::new(Rotation::new(dimensions).unwrap());
    let mut loader = Loader::new(&pages, 0, |_| Some(rotation.clone())).unwrap();
    let rows: Vec<Vec<f32>> = (0..ROWS).map(|row| vector(kind, row, dimensions)).collect();
    for (row, embedding) in (0..).zip(&rows) {
        let document = Document { place: Place { block: row, offset: 1 }, ..Document::default() };
        loader.add(7, Embedded { document, embeddings: vec![embedding.clone()] }).unwrap();
    }
    loader.finish().unwrap();
    let contents = Contents::read(&pages, 7, &mut |_| false).unwrap();
    let mut hits = 0;
    for query in 0..QUERIES {
        let asked = vector(kind, ROWS + query * 3, dimensions);
        let exact: Vec<f64> = rows.iter().map(|row| cosine(&asked, row)).collect();
        let mut near = Nearest::new(WANTED);
        contents.add_near(&Query::new(&asked).unwrap(), &mut near, &mut |_, document| Some(document)).unwrap();
        loop {
            let next = near.next(32).unwrap();
            if next.is_empty() {
                break;
            }
            for document in next {
                let row = contents.place(document).unwrap().block;
                near.learn(document, Some(exact[row as usize])).unwrap();
            }
        }
        assert!(near.is_complete());
        let mut best = exact.clone();
        best.sort_by(|a, b| b.total_cmp(a));
        let found = near.found();
        hits += found.iter().filter(|(_, cosine)| *cosine >= best[WANTED - 1]).count().min(WANTED);
    }
    hits
}

#[test]
fn hardly_any_of_the_nearest_is_missed_in_any_distribution() {
    for dimensions in [8, 33, 64, 256] {
        for kind in [Kind::Centred, Kind::OneSided, Kind::Clusters, Kind::Sparse, Kind::Duplicates] {
            let (found, wanted) = (found(kind, dimensions), QUERIES as usize * WANTED);
            assert!(found * 1000 >= wanted * 990, "{found} of {wanted}, {kind:?}, {dimensions} dimensions");
        }
    }
}
