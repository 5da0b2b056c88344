//! Vectors of tokens, rounded to integers.

use super::blocks::{BLOCK, MOST_OF_TOKEN, PAIRS, Pair};
use super::instructions::Instructions;
use super::token_scales::token_scales;
use crate::ModelError;
use crate::encoder::buffer::Aligned;
use crate::encoder::panels::LANES;

/// Panels of tokens' vectors. A row of a panel has a pair of numbers of each token, and a token has a scale for each
/// block of its numbers.
pub(super) struct Tokens {
    depth: usize,
    pairs: Aligned<Pair>,
    units: Aligned,
}

impl Tokens {
    /// Room for so many panels, of vectors of at most `depth` numbers.
    pub(super) fn new(panels: usize, depth: usize) -> Result<Self, ModelError> {
        Ok(Self {
            depth,
            pairs: Aligned::zeros(panels * depth.div_ceil(2) * LANES)?,
            units: Aligned::zeros(panels * depth.div_ceil(BLOCK) * LANES)?,
        })
    }

    /// Takes panels of vectors of `depth` numbers.
    #[inline(always)]
    pub(super) fn round<I: Instructions>(&mut self, instructions: I, vectors: &[f32], depth: usize) {
        self.depth = depth;
        let (rows, blocks) = (depth.div_ceil(2), depth.div_ceil(BLOCK));
        let pairs = self.pairs.as_chunks_mut().0.chunks_exact_mut(rows);
        let units = self.units.as_chunks_mut().0.chunks_exact_mut(blocks);
        for ((panel, pairs), units) in vectors.chunks_exact(depth * LANES).zip(pairs).zip(units) {
            instructions.run(
                #[inline(always)]
                || {
                    let blocks = panel.as_chunks().0.chunks(BLOCK);
                    for ((block, pairs), units) in blocks.zip(pairs.chunks_mut(PAIRS)).zip(units) {
                        round_block(instructions, block, pairs, units);
                    }
                },
            );
        }
    }

    /// The rows of a panel.
    #[inline(always)]
    pub(super) fn pairs(&self, panel: usize) -> &[[Pair; LANES]] {
        let rows = self.depth.div_ceil(2);
        &self.pairs.as_chunks().0[panel * rows..][..rows]
    }

    /// The scales' units of a panel's blocks.
    #[inline(always)]
    pub(super) fn units(&self, panel: usize) -> &[[f32; LANES]] {
        let blocks = self.depth.div_ceil(BLOCK);
        &self.units.as_chunks().0[panel * blocks..][..blocks]
    }
}

#[inline(always)]
fn round_block<I: Instructions>(
    instructions: I,
    rows: &[[f32; LANES]],
    pairs: &mut [[Pair; LANES]],
    units: &mut [f32; LANES],
) {
    let inverse = token_scales(instructions, rows, MOST_OF_TOKEN, units);
    let (twos, last) = rows.as_chunks::<2>();
    for (rows, pairs) in twos.iter().zip(&mut *pairs) {
        *pairs = instructions.round(&rows[0], &rows[1], &inverse);
    }
    if let ([row], Some(pairs)) = (last, pairs.last_mut()) {
        *pairs = instructions.round(row, &[0.0; LANES], &inverse);
    }
}
