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

use std::ops::Range;

use memory_search_tiles::{Split, Sums, Tiles};
use pulp::Arch;

pub(super) use self::blocks::BLOCK;
use self::blocks::{ROWS_AT_ONCE, blocks_of};
use self::factors::Factors;
pub(super) use self::factors::Matrix;
use self::sums::Added;
use self::tokens::Tokens;
use super::buffer;
use super::integers::Vnni;
use super::integers::instructions::Instructions;
use super::panels::{LANES, PanelsMut};
use super::products::Start;
use crate::ModelError;

/// Panels from which tiles are faster than f32.
pub(super) const LEAST_PANELS: usize = 5;

/// Panels whose sums are in memory at once: 64 KB.
const PANELS_AT_ONCE: usize = 16;

/// Memory for products of some texts.
pub(super) struct Tiled<I: Instructions = Vnni> {
    tiles: Tiles,
    instructions: I,
    arch: Arch,
    tokens: Tokens,
    /// Those of a block of numbers that are multiplied at once, while `tokens` stay.
    of_block: Tokens,
    factors: Factors,
    sums: Vec<[Split<Sums>; Tiles::LEFT]>,
}

/// The tokens that are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// All numbers of vectors, for one product or for several.
    Vectors,
    /// The numbers of the block of vectors with this number.
    Block(usize),
}

impl<I: Instructions> Tiled<I> {
    /// Room for so many panels, of vectors of at most `depth` numbers. `kept`: the sizes of the matrices that are kept,
    /// in rows and depth; none if each is used once.
    pub(super) fn new(
        tiles: Tiles,
        instructions: I,
        arch: Arch,
        panels: usize,
        depth: usize,
        kept: &[(usize, usize)],
    ) -> Result<Self, ModelError> {
        Ok(Self {
            tiles,
            instructions,
            arch,
            tokens: Tokens::new(panels, depth)?,
            of_block: Tokens::new(panels, BLOCK)?,
            factors: Factors::new(kept)?,
            sums: buffer::zeros(panels.min(PANELS_AT_ONCE))?,
        })
    }

    /// Forgets the matrices of a layer.
    pub(super) fn forget(&mut self) {
        self.factors.forget();
    }

    /// Rounds vectors of tokens of `depth` numbers: whole ones, or a block of them.
    pub(super) fn take(&mut self, taken: Taken, vectors: &[f32], depth: usize) {
        let tokens = match taken {
            Taken::Vectors => &mut self.tokens,
            Taken::Block(_) => &mut self.of_block,
        };
        tokens.round(self.instructions, vectors, depth);
    }

    /// The products of some rows of a matrix with the panels that were taken, as many as `out` has. They are added to
    /// their start, or to `out` if there is none. `finish` gets all numbers, some rows of a panel at a time, when they
    /// are complete.
    #[expect(clippy::too_many_arguments, reason = "a product's parts, and what the caller does meanwhile")]
    pub(super) fn multiply(
        &mut self,
        matrix: Matrix<'_>,
        rows: Range<usize>,
        taken: Taken,
        start: Option<Start<'_>>,
        out: &mut [f32],
        finish: &mut dyn FnMut(&mut [f32]),
        pause: &mut dyn FnMut(usize),
    ) {
        let width = rows.len();
        let panels = out.len() / (width * LANES);
        let (tokens, blocks) = match taken {
            Taken::Vectors => (&self.tokens, 0..blocks_of(matrix.depth)),
            Taken::Block(block) => (&self.of_block, block..block + 1),
        };
        debug_assert!(rows.start.is_multiple_of(ROWS_AT_ONCE), "groups begin with these rows");
        for first in rows.clone().step_by(ROWS_AT_ONCE) {
            let count = (rows.end - first).min(ROWS_AT_ONCE);
            let place = first - rows.start;
            for block in blocks.clone() {
                let (left, of_rows) = self.factors.take(self.arch, matrix, first / ROWS_AT_ONCE, block);
                let start = start.filter(|_| block == blocks.start).map(|start| start.from(place));
                for panel in (0..panels).step_by(PANELS_AT_ONCE) {
                    let some = panel..panels.min(panel + PANELS_AT_ONCE);
                    let (right, of_tokens) = tokens.block(block - blocks.start, some.clone());
                    let sums = &mut self.sums[..some.len()];
                    self.tiles.multiply(left, right, sums);
                    let out = &mut out[panel * width * LANES..][..some.len() * width * LANES];
                    let panels = PanelsMut { numbers: &mut *out, width, first: place };
                    let added = Added { sums, of_rows, of_tokens, start, out: panels, count };
                    let instructions = self.instructions;
                    instructions.run(
                        #[inline(always)]
                        || added.put(instructions),
                    );
                    if block + 1 == blocks.end {
                        for panel in out.chunks_exact_mut(width * LANES) {
                            finish(&mut panel[place * LANES..][..count * LANES]);
                        }
                    }
                }
            }
            let depth = match taken {
                Taken::Vectors => matrix.depth,
                Taken::Block(block) => matrix.depth.min((block + 1) * BLOCK) - block * BLOCK,
            };
            pause(count * depth * panels * LANES);
        }
    }
}
