//! Documents in groups for tests.

use proptest::prelude::*;

use super::{Group, SegmentDocument, build};
use crate::document::samples::document;
use crate::document::{Document, samples};
use crate::place::Place;

/// What a segment is built of.
#[derive(Debug, Clone)]
pub struct Parts {
    pub documents: Vec<SegmentDocument>,
    pub groups: Vec<Group>,
    pub numbers: usize,
}

impl Parts {
    /// The segment; the documents are sorted as it numbers them.
    pub fn build(&mut self) -> Vec<u8> {
        build(&mut self.documents, &self.groups, self.numbers).unwrap()
    }
}

/// The groups of all samples: one has no mean, one a mean longer than a page.
pub fn groups() -> Vec<Group> {
    let group = |dimensions: u32, mean| Group { dimensions, mean };
    vec![group(8, None), group(8, Some(vec![1, 2, 3])), group(16_000, Some(vec![7; 9_000]))]
}

/// Bytes of a code of each group.
const CODE_BYTES: [usize; 3] = [11, 11, 4_000];

/// So many documents at most.
pub fn parts(most: usize) -> impl Strategy<Value = Parts> {
    let one = |numbers| (document(numbers), 0..3_u32, prop::option::weighted(0.8, any::<u8>()));
    (0_usize..4).prop_flat_map(move |numbers| {
        prop::collection::vec(one(numbers), 0..most).prop_map(move |all| {
            let with_code = |(at, (document, group, code)): (usize, (Document, u32, Option<u8>))| {
                let code = code.map(|byte| vec![byte; CODE_BYTES[group as usize]]);
                // No two rows lie in one place.
                let place = Place { block: at as u32, ..document.place };
                let group = if code.is_some() { group } else { 0 };
                SegmentDocument { document: Document { code, place, ..document }, group }
            };
            Parts { documents: all.into_iter().enumerate().map(with_code).collect(), groups: groups(), numbers }
        })
    })
}

/// A small segment whose bytes a test pins.
pub fn small() -> Parts {
    let document = |seed: u64| {
        let place = Place { block: 10 - seed as u32, offset: seed as u16 };
        SegmentDocument { document: samples::small(place, seed), group: (seed % 2) as u32 }
    };
    Parts { documents: (1..5).map(document).collect(), groups: groups()[..2].to_vec(), numbers: 3 }
}
