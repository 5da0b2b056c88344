//! Data of the tree's tests: random keys and records, and the naive tree for comparison.

use std::collections::BTreeMap;

use super::{Key, MAX_RECORD, Tree, Walk, create};
use crate::memory_pages::MemoryPages;
use crate::pages::Pages;
use crate::place::Place;

/// The naive tree.
pub type Oracle = BTreeMap<Key, Vec<u8>>;

/// Random numbers, from a seed (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A key of one of few memories: a header, or a row.
    pub fn key(&mut self, rows: u64) -> Key {
        let memory = u128::from(self.below(7)) << 100;
        let offset = self.below(8) as u16;
        match offset {
            0 => Key::header(memory),
            _ => Key { memory, place: Place { block: self.below(rows) as u32, offset } },
        }
    }

    /// A record: mostly short, sometimes as long as can be.
    pub fn record(&mut self) -> Vec<u8> {
        let length = match self.below(10) {
            0 => self.below(MAX_RECORD as u64 + 1),
            1 => MAX_RECORD as u64,
            2 => 0,
            _ => 100 + self.below(200),
        };
        let first = self.next() as u8;
        (0..length).map(|byte| first.wrapping_add(byte as u8)).collect()
    }
}

/// An index of no records.
pub fn empty_index() -> MemoryPages {
    let pages = MemoryPages::new();
    create(&pages, [0; 16], b"").unwrap();
    pages
}

/// All records from a key on.
pub fn records<P: Pages>(tree: &Tree<'_, P>, from: &Key) -> Vec<(Key, Vec<u8>)> {
    let mut found = Vec::new();
    tree.leaves(from, |leaf| {
        for entry in leaf.entries() {
            let (_, key, record) = entry?;
            found.push((key, record.to_vec()));
        }
        Ok(Walk::Go)
    })
    .unwrap();
    found
}
