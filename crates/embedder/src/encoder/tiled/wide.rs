//! The wide layer and the product behind it, block by block.
//!
//! What the wide layer gives for all panels is four times as much as the vectors, and together with the weights more
//! than the second cache has. So 384 of its numbers are computed for all panels, pass through GELU, are rounded as one
//! block and multiplied, before the next ones are computed. The sums of blocks are added in the same order as if all
//! blocks were there at once.

use memory_search_tiles::Out;

use super::blocks::{BLOCK, ROWS_AT_ONCE};
use super::{GOES_ON, Matrix, Tiled};
use crate::encoder::curves::Gelu;
use crate::encoder::integers::instructions::Instructions;
use crate::encoder::panels::LANES;
use crate::encoder::products::Start;

/// The most numbers of a token that [`Tiled::wide`] needs room for.
pub(crate) const WIDE_AT_ONCE: usize = BLOCK;

impl<I: Instructions> Tiled<I> {
    /// Both products of the wide layer for the panels that were taken, as many as `out` has; those of `outer` are added
    /// to `out`. `room` is overwritten; it has as many panels of [`WIDE_AT_ONCE`] rows.
    #[expect(clippy::too_many_arguments, reason = "two products' parts, and what the caller does meanwhile")]
    pub(crate) fn wide(
        &mut self,
        inner: Matrix<'_>,
        of_inner: &[f32],
        outer: Matrix<'_>,
        of_outer: &[f32],
        room: &mut [f32],
        out: &mut [f32],
        pause: &mut dyn FnMut(usize),
    ) {
        let width = outer.rows();
        let panels = out.len() / (width * LANES);
        for (block, bias) in of_inner.chunks(BLOCK).enumerate() {
            let numbers = &mut room[..panels * bias.len() * LANES];
            let (arch, rows) = (self.arch, block * BLOCK..block * BLOCK + bias.len());
            // Of a few rows at a time, which are still in the first cache.
            let finish = |numbers: &mut [f32]| arch.dispatch(Gelu { numbers });
            self.multiply_some(inner, rows, Start::Bias(bias), numbers, finish, pause);
            self.inner.round(self.instructions, numbers, bias.len());
            for first in (0..width).step_by(ROWS_AT_ONCE) {
                let rows = (width - first).min(ROWS_AT_ONCE);
                let start = Start::BiasAndOut(of_outer).from(first).of_tiles();
                self.tiles.multiply(
                    self.factors.take(self.arch, outer, first / ROWS_AT_ONCE, block),
                    self.inner.block(0, panels),
                    if block == 0 { start } else { GOES_ON },
                    Out { numbers: &mut out.as_chunks_mut().0[first..], apart: width, rows },
                );
                pause(rows * bias.len() * panels * LANES);
            }
        }
    }
}

// A block begins with a group of rows.
const _: () = assert!(BLOCK.is_multiple_of(ROWS_AT_ONCE));
