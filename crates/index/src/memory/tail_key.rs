//! The key of a document of a tail: not its place but a number that stands for it, spread over all there are.
//!
//! Rows mostly come in the order of their places. Under these each would go to the end of its memory, and what a seal
//! empties on the left of it would never fill again, since leaves stay in the tree: the tail of a memory of a million
//! rows would be a walk over tens of thousands of empty leaves. Spread, the next rows fill the leaves that are there.

use crate::hashing::MemoryHash;
use crate::place::Place;
use crate::tree::Key;

/// Odd, so that a product of 48 bits tells the place again; near 2^48 divided by the golden ratio, so that places in a
/// row lie far from each other. The lowest bits of a product are zero where those of the place are: a row stays a row,
/// and a memory's header comes before all of them.
const SPREAD: u64 = 0x9e37_79b9_7f4b;
const BITS: u64 = (1 << 48) - 1;
const GATHER: u64 = inverse(SPREAD);

/// The factor that undoes another, both odd (by Newton's method: each step doubles the bits that are right).
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

/// The place of the row whose document has a key; [`Place::is_row`] is false for the header of a memory.
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
        fn a_key_tells_its_place_and_comes_after_the_header(memory: u128, block: u32, offset: u16) {
            let place = Place { block, offset };
            let key = key_of(memory, place);
            prop_assert_eq!(place_of(&key), place);
            prop_assert_eq!(key.place.is_row(), place.is_row());
            prop_assert!(!place.is_row() || key > Key::header(memory));
        }
    }

    #[test]
    fn rows_that_come_in_order_lie_evenly_among_those_of_their_memory() {
        for (blocks, rows) in [(0..256, 2), (0..64, 8), (1_000_000..1_000_008, 64), (70..71, 290)] {
            let mut in_part = [0; 16];
            let all = blocks.clone().flat_map(|block| (1..=rows).map(move |offset| Place { block, offset }));
            all.clone().for_each(|place| in_part[key_of(1, place).place.block as usize >> 28] += 1);
            let even = all.count() / 16;
            assert!(in_part.iter().all(|&part| (even / 2..=2 * even).contains(&part)), "{in_part:?}");
        }
    }
}
