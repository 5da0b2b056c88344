//! Products of matrices by tiles of integers (crate `memory-search-tiles`), for texts of several panels: an instruction
//! of AMX multiplies 16,384 bytes in the time of 16 instructions of AVX-512.
//!
//! Factors and tokens' numbers are rounded to 16 bits with their sign, at most 32,639, with a scale for each row's, and
//! each token's, block of 384 numbers. A number is two bytes, 256 * high + low. The products of two high bytes and of a
//! high one and a low one are summed exactly, each in 32 bits over a block, where each sum stays below 2^24: so both
//! are exact as f32. The products of two low bytes are left out. They are below 2^14 each, when the rounding changes
//! the product of two numbers by up to 2^15.
//!
//! The sums of a block become f32 by both scales and are added to those of the blocks before, always in this order.

mod blocks;
mod factors;
mod sums;
#[cfg(test)]
mod tests;
mod tokens;

use memory_search_tiles::{Split, Sums, Tiles};
use pulp::Arch;

use self::blocks::{ROWS_AT_ONCE, blocks_of};
use self::factors::Factors;
use self::sums::Added;
use self::tokens::Tokens;
use super::buffer;
use super::integers::Vnni;
use super::integers::instructions::Instructions;
use super::panels::{LANES, PanelsMut};
use super::products::Start;
use super::weights::Tensor;
use crate::ModelError;

/// Panels from which tiles are faster than f32.
pub(super) const LEAST_PANELS: usize = 5;

/// Panels whose sums are in memory at once: 32 KB.
const PANELS_AT_ONCE: usize = 8;

/// Memory for products of some texts.
pub(super) struct Tiled<I: Instructions = Vnni> {
    tiles: Tiles,
    instructions: I,
    arch: Arch,
    tokens: Tokens,
    factors: Factors,
    sums: Vec<[Split<Sums>; Tiles::LEFT]>,
}

impl<I: Instructions> Tiled<I> {
    /// `numbers`: the sizes of the matrices that are kept, in rows and depth; none if each is used once.
    pub(super) fn new(
        tiles: Tiles,
        instructions: I,
        arch: Arch,
        panels: usize,
        deepest: usize,
        kept: &[(usize, usize)],
    ) -> Result<Self, ModelError> {
        Ok(Self {
            tiles,
            instructions,
            arch,
            tokens: Tokens::new(panels, deepest)?,
            factors: Factors::new(deepest, kept)?,
            sums: buffer::zeros(panels.min(PANELS_AT_ONCE))?,
        })
    }

    /// Forgets the matrices of a layer.
    pub(super) fn forget(&mut self) {
        self.factors.forget();
    }

    /// Rounds vectors of tokens, for one product or for several.
    pub(super) fn take(&mut self, vectors: &[f32], depth: usize) {
        self.tokens.round(self.instructions, vectors, depth);
    }

    /// The products of all rows of a matrix with the panels that were taken, as many as `out` has. `tensor` is the
    /// matrix's name. `finish` gets all numbers, some rows of a panel at a time, when they are complete.
    #[expect(clippy::too_many_arguments, reason = "a product's parts, and what the caller does meanwhile")]
    pub(super) fn multiply(
        &mut self,
        tensor: &Tensor,
        matrix: &[f32],
        depth: usize,
        start: Start<'_>,
        out: &mut [f32],
        finish: &mut dyn FnMut(&mut [f32]),
        pause: &mut dyn FnMut(usize),
    ) {
        let width = matrix.len() / depth;
        let panels = out.len() / (width * LANES);
        for (number, rows) in matrix.chunks(ROWS_AT_ONCE * depth).enumerate() {
            let group = self.factors.take(self.arch, tensor, number, rows, depth);
            let (first, count) = (number * ROWS_AT_ONCE, rows.len() / depth);
            let blocks = blocks_of(depth);
            for block in 0..blocks {
                let (left, of_rows) = self.factors.block(group, block);
                let start = (block == 0).then(|| start.from(first));
                for panel in (0..panels).step_by(PANELS_AT_ONCE) {
                    let some = panel..panels.min(panel + PANELS_AT_ONCE);
                    let (right, of_tokens) = self.tokens.block(block, some.clone());
                    let sums = &mut self.sums[..some.len()];
                    self.tiles.multiply(left, right, sums);
                    let out = &mut out[panel * width * LANES..][..some.len() * width * LANES];
                    let panels = PanelsMut { numbers: &mut *out, width, first };
                    let added = Added { sums, of_rows, of_tokens, start, out: panels, count };
                    let instructions = self.instructions;
                    instructions.run(
                        #[inline(always)]
                        || added.put(instructions),
                    );
                    if block + 1 == blocks {
                        for panel in out.chunks_exact_mut(width * LANES) {
                            finish(&mut panel[first * LANES..][..count * LANES]);
                        }
                    }
                }
            }
            pause(rows.len() * panels * LANES);
        }
    }
}
