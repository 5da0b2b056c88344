//! The keys of the tree's records.

use crate::hashing::MemoryHash;
use crate::place::{PLACE_BYTES, Place};

/// Bytes of a key on a page.
pub const KEY_BYTES: usize = 16 + PLACE_BYTES;

/// A memory, and a row of it; [`Place::NONE`] for the memory's header, which comes before its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The memory.
    pub memory: MemoryHash,
    /// The row.
    pub place: Place,
}

impl Key {
    /// The least of all keys.
    pub const MIN: Key = Key { memory: 0, place: Place::NONE };

    /// The key of a memory's header, and the least of a memory.
    pub fn header(memory: MemoryHash) -> Key {
        Key { memory, place: Place::NONE }
    }

    /// The key as bytes that sort as keys do.
    pub fn to_bytes(self) -> [u8; KEY_BYTES] {
        let mut bytes = [0; KEY_BYTES];
        bytes[..16].copy_from_slice(&self.memory.to_be_bytes());
        bytes[16..].copy_from_slice(&self.place.to_bytes());
        bytes
    }

    /// From [`Key::to_bytes`].
    pub fn from_bytes(bytes: &[u8; KEY_BYTES]) -> Key {
        let (mut memory, mut place) = ([0; 16], [0; PLACE_BYTES]);
        memory.copy_from_slice(&bytes[..16]);
        place.copy_from_slice(&bytes[16..]);
        Key { memory: u128::from_be_bytes(memory), place: Place::from_bytes(place) }
    }

    /// A key on a page; the caller has checked that it ends there.
    pub(super) fn read(bytes: &[u8], at: usize) -> Key {
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(&bytes[at..at + KEY_BYTES]);
        Key::from_bytes(&key)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key() -> impl Strategy<Value = Key> {
        let near = |value: u128| prop_oneof![Just(value), any::<u128>()];
        (near(0x0100), prop_oneof![0..3u32, any::<u32>()], any::<u16>())
            .prop_map(|(memory, block, offset)| Key { memory, place: Place { block, offset } })
    }

    proptest! {
        #[test]
        fn bytes_sort_as_keys_and_are_read_as_the_same_key(a in key(), b in key()) {
            prop_assert_eq!(a.cmp(&b), a.to_bytes().cmp(&b.to_bytes()));
            prop_assert_eq!(Key::from_bytes(&a.to_bytes()), a);
        }
    }
}
