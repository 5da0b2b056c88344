//! Documents for tests: with hashes that often meet, values at the ends of their ranges, and much that is missing.

use memory_search_core::text::document::Occurrences;
use proptest::prelude::*;

use super::Document;
use crate::place::Place;

/// A hash: one of a few, or any.
pub fn hash() -> impl Strategy<Value = u64> {
    let few = (0_u64..40).prop_map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    prop_oneof![8 => few, 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

/// The occurrences of a lexeme: mostly one of a weight.
pub fn occurrences() -> impl Strategy<Value = Occurrences> {
    let some = prop_oneof![
        4 => Just([1, 0, 0, 0]),
        2 => prop::array::uniform4(0_u16..4),
        1 => prop::array::uniform4(prop_oneof![Just(0), any::<u16>()]),
    ];
    some.prop_map(|by_weight| Occurrences { by_weight })
}

/// A number: often null, and often like others.
pub fn number() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![
        2 => Just(None),
        6 => (-3_i64..60).prop_map(|n| Some(1_700_000_000_000_000 + n * 1_000_000)),
        1 => (0_i64..100).prop_map(Some),
        1 => prop::sample::select(vec![i64::MIN, -1, 0, i64::MAX]).prop_map(Some),
    ]
}

prop_compose! {
    /// A document with so many numbers and no codes, somewhere.
    pub fn document(numbers: usize)(
        block: u32, offset in 1_u16..300,
        numbers in prop::collection::vec(number(), numbers..=numbers),
        terms in prop::collection::btree_set(hash(), 0..6),
        lexemes in prop::collection::btree_map(hash(), occurrences(), 0..24),
        other_length in prop::option::weighted(0.1, 0_u32..100_000),
    ) -> Document {
        Document {
            place: Place { block, offset },
            numbers,
            length: other_length.unwrap_or(lexemes.len() as u32),
            terms: terms.into_iter().collect(),
            lexemes: lexemes.into_iter().collect(),
            codes: Vec::new(),
        }
    }
}

/// A small document whose bytes tests pin.
pub fn small(place: Place, seed: u64) -> Document {
    let found = |d, a| Occurrences { by_weight: [d, 0, 0, a] };
    Document {
        place,
        numbers: vec![Some(1_700_000_000_000_000 + seed as i64 * 1_000_000), Some(-(seed as i64)), None],
        length: 3,
        terms: vec![seed, 0x0102_0304_0506_0708],
        lexemes: vec![(seed + 1, found(1, 0)), (0x1112_1314_1516_1718, found(2, 1)), (u64::MAX, found(300, 0))],
        codes: vec![vec![seed as u8, 0xc0, 0xde]],
    }
}
