//! Products of matrices by integers, for texts of many tokens: one instruction of AVX-512 VNNI multiplies 32 pairs of
//! numbers of 16 bits and adds them to sums of 32 bits, in the time in which one of AVX-512 multiplies 16 of f32.
//!
//! Factors and tokens' numbers are rounded to integers of at most 4,095, with a scale for each row's, and each token's,
//! block of 128 numbers. 4,095 * 4,095 * 128 is less than 2^31, so the sum of a block is exact for all numbers. It
//! becomes f32 by both scales and is added to the sums of the blocks before it. Larger blocks leave fewer bits: 512
//! numbers leave two fewer to a product, one to each of its numbers or two to one of them. Smaller blocks cost more
//! conversions.
//!
//! The file's factors stay f32, since all connections share its mapping. A few rows are rounded before they meet all
//! tokens. It costs as much for one panel of tokens as for many, so few panels are multiplied by f32 (`products.rs`).

pub(super) mod blocks;
mod factors;
pub(super) mod instructions;
pub(super) mod scale;
mod sums;
#[cfg(test)]
pub(super) mod tests;
pub(super) mod token_scales;
mod tokens;
#[cfg(target_arch = "x86_64")]
mod vnni;
#[cfg(not(target_arch = "x86_64"))]
#[path = "no_vnni.rs"]
mod vnni;

use self::blocks::BLOCK;
use self::factors::Factors;
use self::instructions::Instructions;
use self::sums::{ROWS, Sums};
use self::tokens::Tokens;
pub(super) use self::vnni::Vnni;
use super::panels::{LANES, PanelsMut};
use super::products::Start;
use super::settings::Settings;
use crate::ModelError;

/// Panels from which integers are faster than f32.
pub(super) const LEAST_PANELS: usize = 5;

/// Factors that are rounded before they meet all tokens: 512 KB, a quarter of a second cache.
const BLOCK_FACTORS: usize = 1 << 18;

/// Memory for products of one text.
pub(super) struct Integers<I: Instructions = Vnni> {
    instructions: I,
    tokens: Tokens,
    factors: Factors,
}

impl Integers {
    /// Room for so many panels.
    pub(super) fn new(instructions: Vnni, settings: &Settings, panels: usize) -> Result<Self, ModelError> {
        Self::with(instructions, settings.width, settings.inner_width, panels)
    }
}

impl<I: Instructions> Integers<I> {
    /// Room for panels, and for matrices that have each of two widths as depth and at most the wider as rows.
    fn with(instructions: I, width: usize, inner: usize, panels: usize) -> Result<Self, ModelError> {
        let deepest = width.max(inner);
        let blocks = |depth: usize| rows_at_once(depth).min(deepest) * depth.div_ceil(BLOCK);
        Ok(Self {
            instructions,
            tokens: Tokens::new(panels, deepest)?,
            factors: Factors::new(blocks(width).max(blocks(inner)))?,
        })
    }

    /// Rounds vectors of tokens, for one product or for several.
    pub(super) fn take(&mut self, vectors: &[f32], depth: usize) {
        self.tokens.round(self.instructions, vectors, depth);
    }

    /// The products of all rows of a matrix with the first panels that were taken, as many as `out` has.
    pub(super) fn multiply(
        &mut self,
        matrix: &[f32],
        depth: usize,
        start: Start<'_>,
        out: &mut [f32],
        pause: &mut dyn FnMut(usize),
    ) {
        let width = matrix.len() / depth;
        let panels = out.len() / (width * LANES);
        let at_once = rows_at_once(depth);
        for (at, rows) in matrix.chunks(at_once * depth).enumerate() {
            let (first, count) = (at * at_once, rows.len() / depth);
            let (factors, tokens, instructions) = (&mut self.factors, &self.tokens, self.instructions);
            let out = &mut *out;
            instructions.run(
                #[inline(always)]
                move || {
                    factors.round(rows, depth);
                    let out = PanelsMut { numbers: out, width, first };
                    Sums { factors, rows: count, tokens, start: start.from(first), out, panels }.add(instructions);
                },
            );
            pause(rows.len() * panels * LANES);
        }
    }
}

/// Rows of so many factors that are rounded at once.
fn rows_at_once(depth: usize) -> usize {
    (BLOCK_FACTORS / depth / ROWS).max(1) * ROWS
}
