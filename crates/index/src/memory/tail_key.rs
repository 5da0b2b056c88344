//! The key of a document of a tail: not its place itself, but a number computed from it, spread over the whole range.
//!
//! Rows mostly come in the order of their places. With places as keys, each row would go to the end of its memory, and
//! the leaves to the left of it that a seal empties would never fill again, because leaves stay in the tree: reading
//! the tail of a memory of a million rows would be a walk over tens of thousands of empty leaves. With spread keys, the
//! next rows fill the existing leaves.

use crate::hashing::MemoryHash;
use crate::place::Place;
use crate::tree::Key;

/// Odd, so that the place can be computed from a product of 48 bits; near 2^48 divided by the golden ratio, so that
/// consecutive places get distant keys. The lowest bits of a product are zero exactly if those of the place are. So the
/// key of a row is never the key of a memory's header, which comes before all rows.
const SPREAD: u64 = 0x9e37_79b9_7f4b;
const BITS: u64 = (1 << 48) - 1;
const GATHER: u64 = inverse(SPREAD);

/// The inverse of an odd factor (by Newton's method: each step doubles the number of correct bits).
const fn inverse(of: u64) -> u64 {
    let (mut found, mut step) = (of, 0);
    while step < 5 {
        found = found.wrapping_mul(2_u64.wrapping_sub(of.wrapping_mul(found)));
        step += 1;
    }
    found & BITS
}

fn times(place: Place, factor: u64) -> Place {
    let number = (u64::from(place.block) << 16 | u64::from(place.offset)).wrapping_mul(factor) & BITS;
    Place { block: (number >> 16) as u32, offset: number as u16 }
}

/// The key of the document of a row.
pub fn key_of(memory: MemoryHash, place: Place) -> Key {
    Key { memory, place: times(place, SPREAD) }
}

/// The place of the row, computed from the key of its document; [`Place::is_row`] is false for the header of a memory.
#[inline]
pub fn place_of(key: &Key) -> Place {
    times(key.place, GATHER)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_key_gives_its_place_and_comes_after_the_header(memory: u128, block: u32, offset: u16) {
            let place = Place { block, offset };
            let key = key_of(memory, place);
            prop_assert_eq!(place_of(&key), place);
            prop_assert_eq!(key.place.is_row(), place.is_row());
            prop_assert!(!place.is_row() || key > Key::header(memory));
        }
    }

    #[test]
    fn consecutive_rows_are_spread_evenly_over_their_memory() {
        for (blocks, rows) in [(0..256, 2), (0..64, 8), (1_000_000..1_000_008, 64), (70..71, 290)] {
            let mut in_part = [0; 16];
            let all = blocks.clone().flat_map(|block| (1..=rows).map(move |offset| Place { block, offset }));
            all.clone().for_each(|place| in_part[key_of(1, place).place.block as usize >> 28] += 1);
            let even = all.count() / 16;
            assert!(in_part.iter().all(|&part| (even / 2..=2 * even).contains(&part)), "{in_part:?}");
        }
    }
}
