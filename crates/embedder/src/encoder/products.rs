//! Products of matrices: nearly all of an embedding's time.
//!
//! The left side has rows of factors, as the model's file has them: the weights stay in the file's mapping, which all
//! connections share, and nothing is packed or copied. The right side has vectors of tokens in panels (`panels.rs`), so
//! the lanes of a register are tokens: a factor is multiplied with a register of tokens and added to a register of
//! sums, and no sum is taken across lanes. A tile of rows by tokens stays in registers over the whole depth. Every
//! token's numbers are computed in the same order, independently of other tokens.

use std::array::from_fn;

use pulp::{Simd, WithSimd};

use super::panels::{LANES, Panels, PanelsMut};

/// Rows of a tile, and its panels of 16 if a register holds 16 numbers: 24 registers of sums.
pub(super) const WIDE_ROWS: usize = 8;
const WIDE_PANELS: usize = 3;
/// Rows of a tile of one panel in registers of 8 or 4 numbers, and without vector instructions.
const NARROW_ROWS: usize = 6;
const SCALAR_ROWS: usize = 2;
/// The number of factors that are multiplied with all tokens before the next ones: 1 MB, half of a level 2 cache.
const BLOCK_FACTORS: usize = 1 << 18;

/// Rows of factors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) factors: &'a [f32],
    /// Numbers from one row's start to the next one's.
    pub(super) stride: usize,
    /// The number of rows, and the number of values of each that count.
    pub(super) count: usize,
    pub(super) depth: usize,
}

impl<'a> Rows<'a> {
    #[inline(always)]
    fn row(&self, row: usize) -> &'a [f32] {
        &self.factors[row * self.stride..][..self.depth]
    }
}

/// The start of a sum.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start<'a> {
    Zero,
    /// A number for each row.
    Bias(&'a [f32]),
    /// That number plus the one in `out`.
    BiasAndOut(&'a [f32]),
}

impl<'a> Start<'a> {
    /// The start of the rows from the `first`.
    pub(super) fn from(self, first: usize) -> Self {
        match self {
            Start::Zero => Start::Zero,
            Start::Bias(bias) => Start::Bias(&bias[first..]),
            Start::BiasAndOut(bias) => Start::BiasAndOut(&bias[first..]),
        }
    }
}

/// For each token of `right` its inner products with all rows of `left`, put into as many rows of `out`.
pub(super) struct Products<'a> {
    pub(super) left: Rows<'a>,
    pub(super) right: Panels<'a>,
    pub(super) start: Start<'a>,
    pub(super) out: PanelsMut<'a>,
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let rows = self.left.count;
        let block = (BLOCK_FACTORS / self.left.depth.max(1)).max(WIDE_ROWS);
        for first in (0..rows).step_by(block) {
            self.across::<S>(simd, first, rows.min(first + block));
        }
    }
}

impl Products<'_> {
    /// Some rows of the product, for all panels.
    #[inline(always)]
    fn across<S: Simd>(&mut self, simd: S, first: usize, end: usize) {
        let panels = self.right.count();
        let mut panel = 0;
        while panel < panels {
            let left = panels - panel;
            // Four panels are not computed as three and one, because a single panel uses half of the processor's units.
            let taken = match left {
                _ if S::F32_LANES != LANES => 1,
                4 => 2,
                _ => left.min(WIDE_PANELS),
            };
            match (S::F32_LANES, taken) {
                (LANES, 3) => self.down::<S, 3, 1, WIDE_ROWS>(simd, panel, first, end),
                (LANES, 2) => self.down::<S, 2, 1, WIDE_ROWS>(simd, panel, first, end),
                (LANES, _) => self.down::<S, 1, 1, WIDE_ROWS>(simd, panel, first, end),
                (8, _) => self.down::<S, 1, 2, NARROW_ROWS>(simd, panel, first, end),
                (4, _) => self.down::<S, 1, 4, NARROW_ROWS>(simd, panel, first, end),
                _ => self.down::<S, 1, 16, SCALAR_ROWS>(simd, panel, first, end),
            }
            panel += taken;
        }
    }

    /// The rows from `first` to `end` for `PANELS` panels, tile by tile.
    ///
    /// The rows of a tile are as far apart as possible, so each row continues in the next tile's: as many sequential
    /// streams of memory, which the processor prefetches. It reads adjacent rows half as fast.
    #[inline(always)]
    fn down<S: Simd, const PANELS: usize, const VECTORS: usize, const ROWS: usize>(
        &mut self,
        simd: S,
        panel: usize,
        first: usize,
        end: usize,
    ) {
        let apart = (end - first) / ROWS;
        for row in first..first + apart {
            self.tile::<S, PANELS, VECTORS, ROWS>(simd, panel, row, apart);
        }
        for row in first + apart * ROWS..end {
            self.tile::<S, PANELS, VECTORS, 1>(simd, panel, row, 1);
        }
    }

    /// `ROWS` rows that are `apart`, for `PANELS` panels, each `VECTORS` registers wide.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "all loops over a tile have one form")]
    fn tile<S: Simd, const PANELS: usize, const VECTORS: usize, const ROWS: usize>(
        &mut self,
        simd: S,
        panel: usize,
        row: usize,
        apart: usize,
    ) {
        let depth = self.left.depth;
        let factors: [&[f32]; ROWS] = from_fn(|at| self.left.row(row + at * apart));
        // Equally long slices, so that the loop over the depth checks no index.
        let tokens: [&[[S::f32s; VECTORS]]; PANELS] =
            from_fn(|at| &S::as_simd_f32s(self.right.rows(panel + at, 0, depth)).0.as_chunks().0[..depth]);
        let rows = (ROWS - 1) * apart + 1;
        // These are loops with known bounds, not closures: the compiler must see that all sums fit into registers.
        let mut sums = [[[simd.splat_f32s(0.0); VECTORS]; ROWS]; PANELS];
        if let Start::Bias(bias) | Start::BiasAndOut(bias) = self.start {
            let bias = &bias[row..][..rows];
            for at in 0..ROWS {
                let bias = simd.splat_f32s(bias[at * apart]);
                for of_panel in &mut sums {
                    of_panel[at] = [bias; VECTORS];
                }
            }
        }
        if let Start::BiasAndOut(_) = self.start {
            for at_panel in 0..PANELS {
                let out = S::as_mut_simd_f32s(self.out.rows(panel + at_panel, row, rows)).0.as_chunks::<VECTORS>().0;
                for at in 0..ROWS {
                    for vector in 0..VECTORS {
                        sums[at_panel][at][vector] = simd.add_f32s(sums[at_panel][at][vector], out[at * apart][vector]);
                    }
                }
            }
        }
        for step in 0..depth {
            let mut of_step = [[simd.splat_f32s(0.0); VECTORS]; PANELS];
            for at_panel in 0..PANELS {
                of_step[at_panel] = tokens[at_panel][step];
            }
            for at in 0..ROWS {
                let factor = simd.splat_f32s(factors[at][step]);
                for at_panel in 0..PANELS {
                    for vector in 0..VECTORS {
                        let sum = &mut sums[at_panel][at][vector];
                        // "e": fused only if the processor can do it; in software it would take a hundred times as
                        // long.
                        *sum = simd.mul_add_e_f32s(factor, of_step[at_panel][vector], *sum);
                    }
                }
            }
        }
        for at_panel in 0..PANELS {
            let out = S::as_mut_simd_f32s(self.out.rows(panel + at_panel, row, rows)).0.as_chunks_mut::<VECTORS>().0;
            for at in 0..ROWS {
                out[at * apart] = sums[at_panel][at];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulp::{Arch, Scalar};

    use super::*;

    /// Pseudo-random numbers, whole and small, so that their sums are exact in any order of addition.
    fn whole_numbers(seed: u32, count: usize) -> Vec<f32> {
        let number = |at: usize| ((at as u32).wrapping_mul(2_654_435_761) ^ seed) % 17;
        (0..count).map(|at| number(at) as f32 - 8.0).collect()
    }

    /// By the widest instructions, and without vector instructions; on x86 also by AVX2.
    fn with_each(mut run: impl FnMut(&dyn Fn(Products<'_>))) {
        run(&|products| Arch::new().dispatch(products));
        run(&|products| products.with_simd(Scalar));
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = pulp::x86::V3::try_new() {
            run(&|products| Simd::vectorize(avx2, products));
        }
    }

    proptest! {
        #[test]
        fn products_of_any_shape_agree_with_the_definition(
            rows in 1usize..40, tokens in 1usize..100, depth in 0usize..70, start in 0usize..3, seed: u32,
        ) {
            let (stride, first, width, out_first, out_width) = (depth + 3, 2, depth + 5, 1, rows + 4);
            let panels = tokens.div_ceil(LANES);
            let left = whole_numbers(seed, rows * stride);
            let bias = whole_numbers(seed ^ 5, rows);
            let mut right = whole_numbers(seed ^ 9, panels * width * LANES);
            // The lanes behind the last token.
            for (at, number) in right.iter_mut().enumerate() {
                if at / (width * LANES) * LANES + at % LANES >= tokens {
                    *number = f32::NAN;
                }
            }
            let before = whole_numbers(seed ^ 3, panels * out_width * LANES);
            let mut outs = Vec::new();
            with_each(|run| {
                let mut out = before.clone();
                run(Products {
                    left: Rows { factors: &left, stride, count: rows, depth },
                    right: Panels { numbers: &right, width, first },
                    start: [Start::Zero, Start::Bias(&bias), Start::BiasAndOut(&bias)][start],
                    out: PanelsMut { numbers: &mut out, width: out_width, first: out_first },
                });
                outs.push(out);
            });
            for out in outs {
                for (at, (number, before)) in out.iter().zip(&before).enumerate() {
                    let (panel, row, lane) = (at / (out_width * LANES), at / LANES % out_width, at % LANES);
                    if panel * LANES + lane >= tokens {
                        continue;
                    }
                    let expected = match row.checked_sub(out_first).filter(|row| *row < rows) {
                        None => *before,
                        Some(row) => {
                            let product = |step| {
                                left[row * stride + step] * right[(panel * width + first + step) * LANES + lane]
                            };
                            let sum: f32 = (0..depth).map(product).sum();
                            sum + [0.0, bias[row], bias[row] + before][start]
                        }
                    };
                    prop_assert_eq!(*number, expected);
                }
            }
        }

        /// The products are equal to the last bit: otherwise an embedding would depend on the others that are computed
        /// with it.
        #[test]
        fn a_panel_has_the_same_products_alone_and_beside_others(panels in 1usize..9, rows in 1usize..30, seed: u32) {
            let depth = 50;
            let left: Vec<f32> = whole_numbers(seed, rows * depth).iter().map(|number| number / 7.0).collect();
            let right: Vec<f32> =
                whole_numbers(seed ^ 9, panels * depth * LANES).iter().map(|number| number / 3.0).collect();
            let product = |right: &[f32]| {
                let mut out = vec![0.0; right.len() / depth * rows];
                Arch::new().dispatch(Products {
                    left: Rows { factors: &left, stride: depth, count: rows, depth },
                    right: Panels { numbers: right, width: depth, first: 0 },
                    start: Start::Zero,
                    out: PanelsMut { numbers: &mut out, width: rows, first: 0 },
                });
                out
            };
            let alone: Vec<f32> = right.chunks(depth * LANES).flat_map(product).collect();
            prop_assert_eq!(product(&right), alone);
        }
    }
}
