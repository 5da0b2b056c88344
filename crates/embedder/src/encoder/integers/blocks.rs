//! Blocks of numbers that are rounded with one scale.

/// Two numbers of a token, the first in the low half.
pub(crate) type Pair = u32;

/// Numbers of a row, and of a token, that have one scale, and their pairs.
pub(super) const BLOCK: usize = 128;
pub(super) const PAIRS: usize = BLOCK / 2;

/// The greatest integers: no sum over a block exceeds 32 bits.
pub(super) const MOST_OF_FACTOR: i16 = 4_095;
pub(super) const MOST_OF_TOKEN: i16 = 4_095;
