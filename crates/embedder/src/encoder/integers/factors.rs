//! Rows of factors, rounded to integers just before they are multiplied.

use super::blocks::{BLOCK, MOST_OF_FACTOR, PAIRS};
use super::scale::{Scale, magnitude, rounded};
use crate::ModelError;
use crate::encoder::buffer::{self, Aligned};

/// Rows that are read side by side.
const STREAMS: usize = 8;

/// The pairs of a block of one row's factors.
pub(super) type Block = [[i16; 2]; PAIRS];

/// Some rows of factors, each with a scale for each block. The rows of a block lie together, as far apart as one block is
/// long: so the place of each is that of the first and a constant.
pub(super) struct Factors {
    rows: usize,
    pairs: Aligned<[i16; 2]>,
    units: Vec<f32>,
}

impl Factors {
    /// Room for so many blocks of rows.
    pub(super) fn new(blocks: usize) -> Result<Self, ModelError> {
        Ok(Self { rows: 0, pairs: Aligned::zeros(blocks * PAIRS)?, units: buffer::zeros(blocks)? })
    }

    /// Takes rows of `depth` factors.
    #[inline(always)]
    pub(super) fn round(&mut self, factors: &[f32], depth: usize) {
        let rows = factors.len() / depth;
        self.rows = rows;
        let pairs = self.pairs.as_chunks_mut::<PAIRS>().0;
        // Rows that are far apart, side by side: as many steady streams of memory, which the processor reads ahead.
        let apart = rows.div_ceil(STREAMS);
        for first in 0..apart {
            for block in 0..depth.div_ceil(BLOCK) {
                for row in (first..rows).step_by(apart) {
                    let factors = &factors[row * depth..][block * BLOCK..depth.min((block + 1) * BLOCK)];
                    let place = block * rows + row;
                    self.units[place] = round_block(factors, &mut pairs[place]);
                }
            }
        }
    }

    /// A block of some rows.
    #[inline(always)]
    pub(super) fn pairs<const ROWS: usize>(&self, block: usize, row: usize) -> &[Block; ROWS] {
        &self.pairs.as_chunks::<PAIRS>().0[block * self.rows + row..].as_chunks().0[0]
    }

    /// The units of that block's scales.
    #[inline(always)]
    pub(super) fn units<const ROWS: usize>(&self, block: usize, row: usize) -> &[f32; ROWS] {
        &self.units[block * self.rows + row..].as_chunks().0[0]
    }
}

#[inline(always)]
fn round_block(factors: &[f32], pairs: &mut Block) -> f32 {
    let mut greatest = 0;
    for factor in factors {
        greatest = magnitude(*factor).max(greatest);
    }
    let scale = Scale::new(greatest, MOST_OF_FACTOR);
    let places = pairs.as_flattened_mut();
    for (place, factor) in places.iter_mut().zip(factors) {
        *place = rounded(*factor, scale.inverse);
    }
    // The pair of an odd row's last factor.
    places[factors.len()..].fill(0);
    scale.unit
}
