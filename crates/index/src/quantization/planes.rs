//! The layout of levels of four bits in a code: four planes of bits, the plane of the highest bit first. This plane
//! alone shows on which side of the middle each level is, so a first pass over many codes reads a quarter of their
//! bytes.
//!
//! A plane is in blocks of 32 bytes, which hold the bits of 256 dimensions: bit `k` of byte `j` is the bit of dimension
//! `32 k + j`, counted from the first of the block. The last block of fewer dimensions, `n` bytes of them, has in bit
//! `k` of byte `j` the bit of dimension `n k + j`. So one shift brings the bits of `n` neighbouring dimensions into the
//! lowest bits of `n` bytes.

/// The number of planes.
pub(super) const PLANES: usize = 4;

/// Bytes of a block of a plane.
pub(super) const BLOCK_BYTES: usize = 32;

/// Dimensions of a block of a plane.
pub(super) const BLOCK: usize = 8 * BLOCK_BYTES;

/// The coordinates of a query that a block of a plane is multiplied with, ordered by bit. They are zero beyond its
/// dimensions, so that bytes after a plane may be read with it.
pub(super) type QueryBlock = [[i8; BLOCK_BYTES]; 8];

/// Bytes of a plane of so many dimensions.
pub(super) fn plane_bytes(dimensions: usize) -> usize {
    dimensions.div_ceil(8)
}

/// Puts the levels of values, each below 16, into planes of zeros.
#[inline(always)]
pub(super) fn put(values: &[f32], planes: &mut [u8], level: impl Fn(f32) -> u8) {
    let bytes = plane_bytes(values.len());
    for (block, values) in values.chunks(BLOCK).enumerate() {
        let width = values.len().div_ceil(8);
        for (bit, values) in values.chunks(width).enumerate() {
            for (byte, &value) in values.iter().enumerate() {
                let level = level(value);
                for plane in 0..PLANES {
                    let has_bit = level >> (PLANES - 1 - plane) & 1;
                    planes[plane * bytes + block * BLOCK_BYTES + byte] |= has_bit << bit;
                }
            }
        }
    }
}

/// Calls `each` with every dimension and its level. `planes` are the planes of levels of so many dimensions.
pub(super) fn each_level(planes: &[u8], dimensions: usize, mut each: impl FnMut(usize, u8)) {
    let bytes = plane_bytes(dimensions);
    for dimension in 0..dimensions {
        let (block, within) = (dimension / BLOCK, dimension % BLOCK);
        let width = (dimensions - block * BLOCK).min(BLOCK).div_ceil(8);
        let (byte, bit) = (block * BLOCK_BYTES + within % width, within / width);
        let level = (0..PLANES).fold(0, |level, plane| level << 1 | (planes[plane * bytes + byte] >> bit & 1));
        each(dimension, level);
    }
}

/// The coordinates of a query in the order in which planes hold bits.
#[inline(always)]
pub(super) fn query_blocks(whole: &[i16]) -> Vec<QueryBlock> {
    let block = |values: &[i16]| {
        let mut block = [[0; BLOCK_BYTES]; 8];
        for (of_bit, values) in block.iter_mut().zip(values.chunks(values.len().div_ceil(8))) {
            of_bit.iter_mut().zip(values).for_each(|(place, &value)| *place = value as i8);
        }
        block
    };
    whole.chunks(BLOCK).map(block).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn levels_come_back_as_they_were_put(levels in prop::collection::vec(0u8..16, 1..700)) {
            let values: Vec<f32> = levels.iter().map(|&level| f32::from(level)).collect();
            let mut planes = vec![0; PLANES * plane_bytes(levels.len())];
            put(&values, &mut planes, |value| value as u8);
            let mut read = vec![u8::MAX; levels.len()];
            each_level(&planes, levels.len(), |dimension, level| read[dimension] = level);
            prop_assert_eq!(&read, &levels);
            let first = &planes[..plane_bytes(levels.len())];
            let highest = first.iter().map(|byte| byte.count_ones()).sum::<u32>() as usize;
            prop_assert_eq!(highest, levels.iter().filter(|&&level| level >= 8).count());
        }
    }
}
