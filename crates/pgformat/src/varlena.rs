//! Values of variable length (varatt.h), and what is in some of them.

/// A value of variable length: what it holds, or where it stands in its page when it must be decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varlena<'a> {
    /// Its content.
    Plain(&'a [u8]),
    /// All of it, with its header.
    Compressed(&'a [u8]),
}

/// The payload of a bit string: the count of its bits, and the bits (utils/varbit.h).
pub fn bit_string(payload: &[u8]) -> (usize, &[u8]) {
    let (count, bits) = payload.split_first_chunk().unwrap_or((&[0; 4], &[]));
    (usize::try_from(i32::from_ne_bytes(*count)).unwrap_or(0), bits)
}
