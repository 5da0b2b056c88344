//! Documents in groups for tests.

use proptest::prelude::*;

use super::{Group, SegmentDocument, build};
use crate::document::samples::document;
use crate::document::{Document, samples};
use crate::place::Place;
use crate::quantization::code_bytes;

/// The input of a segment.
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
    vec![group(8, None), group(40, Some(vec![1, 2, 3])), group(16_000, Some(vec![7; 9_000]))]
}

/// Bytes of a code of so many dimensions, all the same except its dimensions and factors.
pub fn code(dimensions: u32, byte: u8) -> Vec<u8> {
    let mut code = vec![byte; code_bytes(dimensions as usize)];
    code[..2].copy_from_slice(&(dimensions as u16).to_le_bytes());
    // Factors that are finite and not negative, which halves do not tell from others.
    code[2..12].fill(byte & 0x37);
    code
}

/// A code of a group of all samples.
pub fn code_of(group: u32, byte: u8) -> Vec<u8> {
    code(groups()[group as usize].dimensions, byte)
}

/// So many documents at most.
pub fn parts(most: usize) -> impl Strategy<Value = Parts> {
    let codes = prop_oneof![
        1 => Just(vec![]),
        4 => prop::collection::vec((0..3_u32, any::<u8>()), 1..=1),
        1 => prop::collection::vec((0..3_u32, any::<u8>()), 2..9),
    ];
    let one = move |numbers| (document(numbers), codes.clone());
    (0_usize..4).prop_flat_map(move |numbers| {
        prop::collection::vec(one(numbers), 0..most).prop_map(move |all| {
            let with_codes = |(at, (document, codes)): (usize, (Document, Vec<(u32, u8)>))| {
                // No two rows have the same place.
                let place = Place { block: at as u32, ..document.place };
                let groups = codes.iter().map(|(group, _)| *group).collect();
                let codes = codes.iter().map(|&(group, byte)| code_of(group, byte)).collect();
                SegmentDocument { document: Document { codes, place, ..document }, groups }
            };
            Parts { documents: all.into_iter().enumerate().map(with_codes).collect(), groups: groups(), numbers }
        })
    })
}

/// A small segment whose bytes a test pins.
pub fn small() -> Parts {
    let document = |seed: u64| {
        let place = Place { block: 10 - seed as u32, offset: seed as u16 };
        let group = (seed % 2) as u32;
        let codes = vec![code_of(group, seed as u8)];
        SegmentDocument { document: Document { codes, ..samples::small(place, seed) }, groups: vec![group] }
    };
    Parts { documents: (1..5).map(document).collect(), groups: groups()[..2].to_vec(), numbers: 3 }
}

/// The same with one document that has four codes, two of them in one group, and one that has none.
pub fn small_with_several() -> Parts {
    let mut parts = small();
    parts.documents.truncate(2);
    for (group, byte) in [(1, 0x21), (0, 0x22), (1, 0x23)] {
        parts.documents[0].document.codes.push(code_of(group, byte));
        parts.documents[0].groups.push(group);
    }
    (parts.documents[1].document.codes, parts.documents[1].groups) = (Vec::new(), Vec::new());
    parts
}
