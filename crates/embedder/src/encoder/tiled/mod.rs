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
#[cfg(test)]
mod tests;
mod tokens;
mod wide;

use std::ops::Range;

use memory_search_tiles::{self as tiles, Out, Tiles};
use pulp::Arch;

use self::blocks::{BLOCK, ROWS_AT_ONCE, blocks_of};
use self::factors::Factors;
pub(super) use self::factors::Matrix;
use self::tokens::Tokens;
pub(super) use self::wide::WIDE_AT_ONCE;
use super::integers::Vnni;
use super::integers::instructions::Instructions;
use super::panels::LANES;
use super::products::Start;
use crate::ModelError;

/// Panels from which tiles are faster than f32.
pub(super) const LEAST_PANELS: usize = 5;

/// Memory for products of some texts.
pub(super) struct Tiled<I: Instructions = Vnni> {
    tiles: Tiles,
    instructions: I,
    arch: Arch,
    tokens: Tokens,
    /// A block of what the wide layer gives.
    inner: Tokens,
    factors: Factors,
}

impl<I: Instructions> Tiled<I> {
    /// Room for vectors of at most `deepest` numbers. `kept`: the sizes of the matrices that are kept, in rows and depth;
    /// none if each is used once.
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
            inner: Tokens::new(panels, BLOCK)?,
            factors: Factors::new(kept)?,
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

    /// The products of all rows of a matrix with the panels that were taken, as many as `out` has.
    pub(super) fn multiply(
        &mut self,
        matrix: Matrix<'_>,
        start: Start<'_>,
        out: &mut [f32],
        pause: &mut dyn FnMut(usize),
    ) {
        self.multiply_some(matrix, 0..matrix.rows(), start, out, |_| (), pause);
    }

    /// The products of some rows of a matrix, from the first of a group on; panels of `out` have a row for each, and
    /// `start` is for these rows alone. `finish` gets all numbers, some rows of a panel at a time, when they are
    /// complete.
    fn multiply_some(
        &mut self,
        matrix: Matrix<'_>,
        some: Range<usize>,
        start: Start<'_>,
        out: &mut [f32],
        mut finish: impl FnMut(&mut [f32]),
        pause: &mut dyn FnMut(usize),
    ) {
        let width = some.len();
        let panels = out.len() / (width * LANES);
        for first in (0..width).step_by(ROWS_AT_ONCE) {
            let rows = (width - first).min(ROWS_AT_ONCE);
            for block in 0..blocks_of(matrix.depth) {
                self.tiles.multiply(
                    self.factors.take(self.arch, matrix, (some.start + first) / ROWS_AT_ONCE, block),
                    self.tokens.block(block, panels),
                    if block == 0 { start.from(first).of_tiles() } else { GOES_ON },
                    Out { numbers: &mut out.as_chunks_mut().0[first..], apart: width, rows },
                );
            }
            for panel in out.chunks_exact_mut(width * LANES) {
                finish(&mut panel[first * LANES..][..rows * LANES]);
            }
            pause(rows * matrix.depth * panels * LANES);
        }
    }
}

/// The start of a block that is not the first.
const GOES_ON: tiles::Start<'_> = tiles::Start { out: true, bias: None };

impl<'a> Start<'a> {
    /// The same start for tiles.
    fn of_tiles(self) -> tiles::Start<'a> {
        match self {
            Start::Zero => tiles::Start::default(),
            Start::Bias(bias) => tiles::Start { out: false, bias: Some(bias) },
            Start::BiasAndOut(bias) => tiles::Start { out: true, bias: Some(bias) },
        }
    }
}
