//! Sums of products of integers become numbers.

use memory_search_tiles::{ROWS, Split, Sums, Tiles};

use super::factors::Units;
use crate::encoder::integers::instructions::Instructions;
use crate::encoder::panels::{LANES, PanelsMut};
use crate::encoder::products::Start;

/// The sums of a block of some rows for some panels.
pub(super) struct Added<'a> {
    pub(super) sums: &'a [[Split<Sums>; Tiles::LEFT]],
    pub(super) of_rows: &'a Units,
    pub(super) of_tokens: &'a [[f32; LANES]],
    /// Of these rows alone; `None` adds to the numbers in `out`.
    pub(super) start: Option<Start<'a>>,
    pub(super) out: PanelsMut<'a>,
    pub(super) count: usize,
}

impl Added<'_> {
    /// Adds the sums to their start, and puts them into the rows of `out` from its first.
    #[inline(always)]
    pub(super) fn put<I: Instructions>(mut self, instructions: I) {
        for (panel, (sums, of_tokens)) in self.sums.iter().zip(self.of_tokens).enumerate() {
            let out = self.out.rows(panel, 0, self.count).as_chunks_mut::<LANES>().0;
            for (row, out) in out.iter_mut().enumerate() {
                match self.start {
                    None => (),
                    Some(Start::Zero) => *out = [0.0; LANES],
                    Some(Start::Bias(bias)) => *out = [bias[row]; LANES],
                    Some(Start::BiasAndOut(bias)) => out.iter_mut().for_each(|number| *number += bias[row]),
                }
                let (sums, row_unit) = (&sums[row / ROWS], self.of_rows[row] * 256.0);
                instructions.add_split(&sums.high.0[row % ROWS], &sums.low.0[row % ROWS], row_unit, of_tokens, out);
            }
        }
    }
}
