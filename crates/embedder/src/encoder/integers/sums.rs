//! Sums of products of integers, exact in 32 bits.

use std::array::from_fn;

use super::blocks::PAIRS;
use super::factors::Factors;
use super::instructions::Instructions;
use super::tokens::Tokens;
use crate::encoder::panels::{LANES, PanelsMut};
use crate::encoder::products::Start;

/// Rows of a tile of two panels: 24 registers of sums. Two panels of 384 numbers fit into the first cache with the rows,
/// three do not. With one panel, 12 registers still keep both units busy.
pub(super) const ROWS: usize = 12;
/// Rows of a tile behind the last of those.
const FEW_ROWS: usize = 4;

/// For each token its inner products with some rows of factors.
pub(super) struct Sums<'a> {
    pub(super) factors: &'a Factors,
    pub(super) rows: usize,
    pub(super) tokens: &'a Tokens,
    /// Of these rows alone.
    pub(super) start: Start<'a>,
    pub(super) out: PanelsMut<'a>,
    pub(super) panels: usize,
}

impl Sums<'_> {
    /// Must run in the context of the instructions.
    #[inline(always)]
    pub(super) fn add<I: Instructions>(mut self, instructions: I) {
        for panel in (0..self.panels / 2 * 2).step_by(2) {
            self.down::<I, 2>(instructions, panel);
        }
        if self.panels % 2 == 1 {
            self.down::<I, 1>(instructions, self.panels - 1);
        }
    }

    #[inline(always)]
    fn down<I: Instructions, const PANELS: usize>(&mut self, instructions: I, panel: usize) {
        let mut row = 0;
        while row < self.rows {
            match self.rows - row {
                ROWS.. => {
                    self.tile::<I, PANELS, ROWS>(instructions, panel, row);
                    row += ROWS;
                }
                FEW_ROWS.. => {
                    self.tile::<I, PANELS, FEW_ROWS>(instructions, panel, row);
                    row += FEW_ROWS;
                }
                _ => {
                    self.tile::<I, PANELS, 1>(instructions, panel, row);
                    row += 1;
                }
            }
        }
    }

    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "all loops over a tile have one form")]
    fn tile<I: Instructions, const PANELS: usize, const ROWS: usize>(
        &mut self,
        instructions: I,
        panel: usize,
        row: usize,
    ) {
        let mut sums = [[[0.0_f32; LANES]; ROWS]; PANELS];
        if let Start::Bias(bias) | Start::BiasAndOut(bias) = self.start {
            let bias = &bias[row..][..ROWS];
            for of_panel in &mut sums {
                for at in 0..ROWS {
                    of_panel[at] = [bias[at]; LANES];
                }
            }
        }
        if let Start::BiasAndOut(_) = self.start {
            for at_panel in 0..PANELS {
                let out = self.out.rows(panel + at_panel, row, ROWS).as_chunks::<LANES>().0;
                for at in 0..ROWS {
                    for lane in 0..LANES {
                        sums[at_panel][at][lane] += out[at][lane];
                    }
                }
            }
        }
        let tokens: [_; PANELS] = from_fn(|at| self.tokens.pairs(panel + at));
        let of_tokens: [_; PANELS] = from_fn(|at| self.tokens.units(panel + at));
        for block in 0..of_tokens[0].len() {
            let factors = self.factors.pairs::<ROWS>(block, row);
            let of_factors = self.factors.units::<ROWS>(block, row);
            let steps = (tokens[0].len() - block * PAIRS).min(PAIRS);
            // Equally long slices, so that the loop over the steps checks no index.
            let tokens: [_; PANELS] = from_fn(|at| &tokens[at][block * PAIRS..][..steps]);
            let mut whole = [[instructions.zeros(); ROWS]; PANELS];
            for step in 0..steps {
                let mut of_step = [instructions.all([0; 2]); PANELS];
                for at_panel in 0..PANELS {
                    of_step[at_panel] = instructions.load(&tokens[at_panel][step]);
                }
                for at in 0..ROWS {
                    let pair = instructions.all(factors[at][step]);
                    for at_panel in 0..PANELS {
                        whole[at_panel][at] = instructions.add_products(whole[at_panel][at], pair, of_step[at_panel]);
                    }
                }
            }
            for at_panel in 0..PANELS {
                let of_tokens = &of_tokens[at_panel][block];
                for at in 0..ROWS {
                    let (unit, sum) = (of_factors[at], &mut sums[at_panel][at]);
                    instructions.add_scaled(whole[at_panel][at], unit, of_tokens, sum);
                }
            }
        }
        for at_panel in 0..PANELS {
            let out = self.out.rows(panel + at_panel, row, ROWS).as_chunks_mut::<LANES>().0;
            out.copy_from_slice(&sums[at_panel]);
        }
    }
}
