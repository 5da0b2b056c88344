//! The functions between products: softmax, GELU and layer normalisation, without calls; an exponential function of
//! `std` would be a call for each number.
//!
//! Numbers are in panels (`panels.rs`), so sums run down the rows, and each token has its own lane.

use pulp::{Simd, WithSimd};

use super::panels::LANES;
use super::powers::power_of_two;

/// The number of parallel sums of squares, so that an addition need not wait for the previous one.
const SUMS: usize = 4;

/// The first `rows` rows of each panel become shares of 1 in each lane, after all were multiplied with `scale`.
pub(super) struct Softmax<'a> {
    pub(super) numbers: &'a mut [f32],
    /// Rows of a panel.
    pub(super) width: usize,
    pub(super) rows: usize,
    pub(super) scale: f32,
}

impl WithSimd for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            LANES => self.by_rows::<S, 1>(simd),
            8 => self.by_rows::<S, 2>(simd),
            4 => self.by_rows::<S, 4>(simd),
            _ => self.by_rows::<S, LANES>(simd),
        }
    }
}

impl Softmax<'_> {
    /// A row has so many registers.
    #[inline(always)]
    fn by_rows<S: Simd, const VECTORS: usize>(self, simd: S) {
        // Powers of 2 take fewer operations than those of e.
        let scale = simd.splat_f32s(self.scale * std::f32::consts::LOG2_E);
        for panel in rows_of::<S, VECTORS>(self.numbers).chunks_exact_mut(self.width) {
            let rows = &mut panel[..self.rows];
            let greatest = greatest_of::<S, VECTORS>(simd, rows);
            let mut sum = [simd.splat_f32s(0.0); VECTORS];
            for row in rows.iter_mut() {
                for vector in 0..VECTORS {
                    let power = simd.mul_f32s(simd.sub_f32s(row[vector], greatest[vector]), scale);
                    row[vector] = power_of_two(simd, power);
                    sum[vector] = simd.add_f32s(sum[vector], row[vector]);
                }
            }
            for of_vector in &mut sum {
                *of_vector = simd.div_f32s(simd.splat_f32s(1.0), *of_vector);
            }
            for row in rows {
                for vector in 0..VECTORS {
                    row[vector] = simd.mul_f32s(row[vector], sum[vector]);
                }
            }
        }
    }
}

/// GELU of each number of whole panels.
pub(super) struct Gelu<'a> {
    pub(super) numbers: &'a mut [f32],
}

impl WithSimd for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for number in S::as_mut_simd_f32s(self.numbers).0 {
            *number = gelu(simd, *number);
        }
    }
}

/// Each token's vector is scaled to mean 0 and variance 1, and then by a factor and a bias for each of its numbers.
pub(super) struct Normalise<'a> {
    pub(super) numbers: &'a mut [f32],
    pub(super) factor: &'a [f32],
    pub(super) bias: &'a [f32],
    pub(super) epsilon: f32,
}

impl WithSimd for Normalise<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            LANES => self.by_rows::<S, 1>(simd),
            8 => self.by_rows::<S, 2>(simd),
            4 => self.by_rows::<S, 4>(simd),
            _ => self.by_rows::<S, LANES>(simd),
        }
    }
}

impl Normalise<'_> {
    /// A row has so many registers.
    #[inline(always)]
    fn by_rows<S: Simd, const VECTORS: usize>(self, simd: S) {
        let width = self.bias.len();
        let (share, epsilon) = (simd.splat_f32s(1.0 / width as f32), simd.splat_f32s(self.epsilon));
        for panel in rows_of::<S, VECTORS>(self.numbers).chunks_exact_mut(width) {
            let mean = sums(simd, panel, |number| number);
            for row in panel.iter_mut() {
                for vector in 0..VECTORS {
                    row[vector] = simd.negate_mul_add_e_f32s(mean[vector], share, row[vector]);
                }
            }
            let mut scale = sums(simd, panel, |number| simd.mul_f32s(number, number));
            for of_vector in &mut scale {
                let variance = simd.mul_add_e_f32s(*of_vector, share, epsilon);
                *of_vector = simd.div_f32s(simd.splat_f32s(1.0), simd.sqrt_f32s(variance));
            }
            for ((row, factor), bias) in panel.iter_mut().zip(self.factor).zip(self.bias) {
                let (factor, bias) = (simd.splat_f32s(*factor), simd.splat_f32s(*bias));
                for vector in 0..VECTORS {
                    row[vector] = simd.mul_add_e_f32s(simd.mul_f32s(row[vector], scale[vector]), factor, bias);
                }
            }
        }
    }
}

/// The rows of panels, in registers.
#[inline(always)]
fn rows_of<S: Simd, const VECTORS: usize>(numbers: &mut [f32]) -> &mut [[S::f32s; VECTORS]] {
    S::as_mut_simd_f32s(numbers).0.as_chunks_mut().0
}

/// The sums of a term over all rows.
#[inline(always)]
fn sums<S: Simd, const VECTORS: usize>(
    simd: S,
    rows: &[[S::f32s; VECTORS]],
    term: impl Fn(S::f32s) -> S::f32s,
) -> [S::f32s; VECTORS] {
    let mut sums = [[simd.splat_f32s(0.0); VECTORS]; SUMS];
    let (chunks, rest) = rows.as_chunks::<SUMS>();
    for chunk in chunks {
        for at in 0..SUMS {
            for vector in 0..VECTORS {
                sums[at][vector] = simd.add_f32s(sums[at][vector], term(chunk[at][vector]));
            }
        }
    }
    for row in rest {
        for vector in 0..VECTORS {
            sums[0][vector] = simd.add_f32s(sums[0][vector], term(row[vector]));
        }
    }
    let mut all = sums[0];
    for of_some in &sums[1..] {
        for vector in 0..VECTORS {
            all[vector] = simd.add_f32s(all[vector], of_some[vector]);
        }
    }
    all
}

/// The greatest number in each lane.
#[inline(always)]
fn greatest_of<S: Simd, const VECTORS: usize>(simd: S, rows: &[[S::f32s; VECTORS]]) -> [S::f32s; VECTORS] {
    // Several chains, because each comparison waits for the one before it.
    let mut greatest = [[simd.splat_f32s(f32::NEG_INFINITY); VECTORS]; SUMS];
    let (chunks, rest) = rows.as_chunks::<SUMS>();
    for chunk in chunks {
        for at in 0..SUMS {
            for vector in 0..VECTORS {
                greatest[at][vector] = greater(simd, chunk[at][vector], greatest[at][vector]);
            }
        }
    }
    for row in rest {
        for vector in 0..VECTORS {
            greatest[0][vector] = greater(simd, row[vector], greatest[0][vector]);
        }
    }
    let mut all = greatest[0];
    for of_some in &greatest[1..] {
        for vector in 0..VECTORS {
            all[vector] = greater(simd, of_some[vector], all[vector]);
        }
    }
    all
}

/// `a` if it is greater, else `b`. This is not the processor's maximum, which differs between kinds of processors for
/// values that are not numbers.
#[inline(always)]
fn greater<S: Simd>(simd: S, a: S::f32s, b: S::f32s) -> S::f32s {
    simd.select_f32s(simd.less_than_f32s(b, a), a, b)
}

/// x (1 + erf(x / √2)) / 2, off by at most 2e-7 or as much of it: x above 0 less |x| times the share of the normal
/// distribution that is beyond |x|. The logarithm of this share, to the base 2, is a polynomial that falls everywhere; it
/// is off by so little that the product with |x| is off by at most 1e-8.
#[inline(always)]
fn gelu<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let splat = |number| simd.splat_f32s(number);
    let magnitude = simd.abs_f32s(x);
    let mut power = splat(-1.900_810_5e-6);
    for coefficient in
        [2.803_994e-5, -1.313_807_3e-4, -2.723_36e-4, 7.245_827e-3, -5.262_796e-2, -4.591_62e-1, -1.151_111_1, -1.0]
    {
        power = simd.mul_add_e_f32s(power, magnitude, splat(coefficient));
    }
    let above = simd.mul_f32s(splat(0.5), simd.add_f32s(x, magnitude));
    simd.negate_mul_add_e_f32s(magnitude, power_of_two(simd, power), above)
}

#[cfg(test)]
mod tests {
    use pulp::{Arch, Scalar};

    use super::*;

    /// The numbers after an operation by the widest instructions, without vector instructions, and on x86 by AVX2.
    macro_rules! with_each {
        ($numbers:expr, $operation:ident { $($field:ident: $value:expr),* }) => {{
            let mut each = vec![$numbers; 3];
            Arch::new().dispatch($operation { numbers: &mut each[0], $($field: $value),* });
            $operation { numbers: &mut each[1], $($field: $value),* }.with_simd(Scalar);
            #[cfg(target_arch = "x86_64")]
            match pulp::x86::V3::try_new() {
                Some(avx2) => Simd::vectorize(avx2, $operation { numbers: &mut each[2], $($field: $value),* }),
                None => each.truncate(2),
            }
            #[cfg(not(target_arch = "x86_64"))]
            each.truncate(2);
            each
        }};
    }

    /// erf by its Taylor series, which converges for all arguments that matter here.
    fn error_function(x: f64) -> f64 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * std::f64::consts::FRAC_2_SQRT_PI
    }

    #[test]
    fn gelu_agrees_with_the_error_function() {
        let xs: Vec<f32> = (-400..400).map(|step| step as f32 / 100.0).chain([100.0; 8]).chain([-100.0; 8]).collect();
        for curve in with_each!(xs.clone(), Gelu {}) {
            for (number, &x) in curve.iter().zip(&xs[..800]) {
                let exact = f64::from(x) * (1.0 + error_function(f64::from(x) / std::f64::consts::SQRT_2)) / 2.0;
                let off = (f64::from(*number) - exact).abs() / exact.abs().max(1.0);
                assert!(off < 2e-7, "{x}: {off:e}");
            }
            assert_eq!((&curve[800..808], &curve[808..]), (&[100.0; 8][..], &[0.0; 8][..]));
            assert!(curve[..200].iter().zip(&xs).all(|(number, x)| *number < 0.0 && *number > x * 0.03), "the tail");
        }
    }

    /// Numbers in panels of 21 rows, of which some tests use 19.
    fn panels() -> Vec<f32> {
        (0..2 * 21 * LANES).map(|at| ((at * 7 + at / 5) % 11) as f32 - 90.0).collect()
    }

    /// One token's numbers.
    fn lane(panel: &[f32], lane: usize) -> Vec<f64> {
        panel.chunks(LANES).map(|row| row[lane].into()).collect()
    }

    #[test]
    fn softmax_gives_each_lane_shares_of_one() {
        let (mut numbers, before) = (panels(), panels());
        // The rows after the 19th do not count.
        for panel in numbers.chunks_mut(21 * LANES) {
            panel[19 * LANES..].fill(f32::NAN);
        }
        for numbers in with_each!(numbers.clone(), Softmax { width: 21, rows: 19, scale: 0.5 }) {
            for (panel, before) in numbers.chunks(21 * LANES).zip(before.chunks(21 * LANES)) {
                for at in 0..LANES {
                    let (shares, before) = (lane(panel, at), lane(before, at));
                    let all: f64 = before[..19].iter().map(|x| (x * 0.5).exp()).sum();
                    for (share, x) in shares.iter().zip(&before[..19]) {
                        assert!((share - (x * 0.5).exp() / all).abs() < 1e-6);
                    }
                    assert!(shares[19..].iter().all(|share| share.is_nan()));
                }
            }
        }
    }

    #[test]
    fn a_normalised_lane_has_mean_zero_and_variance_one_before_factor_and_bias() {
        let (factor, bias) = ([2.0; 21], [3.0; 21]);
        for numbers in with_each!(panels(), Normalise { factor: &factor, bias: &bias, epsilon: 1e-12 }) {
            for panel in numbers.chunks(21 * LANES) {
                for at in 0..LANES {
                    let numbers = lane(panel, at);
                    let mean: f64 = numbers.iter().sum::<f64>() / 21.0;
                    let variance: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 21.0;
                    assert!((mean - 3.0).abs() < 1e-5 && (variance - 4.0).abs() < 1e-4, "{mean} {variance}");
                }
            }
        }
    }

    /// A lane without a token may hold anything, without effect on the others.
    #[test]
    fn lanes_do_not_mix() {
        let (mut clean, mut damaged) = (panels(), panels());
        damaged.iter_mut().skip(5).step_by(LANES).for_each(|number| *number = f32::NAN);
        for numbers in [&mut clean, &mut damaged] {
            let (factor, bias) = ([2.0; 21], [3.0; 21]);
            Arch::new().dispatch(Normalise { numbers, factor: &factor, bias: &bias, epsilon: 1e-12 });
            Arch::new().dispatch(Gelu { numbers });
            Arch::new().dispatch(Softmax { numbers, width: 21, rows: 21, scale: 0.5 });
        }
        for (at, (clean, damaged)) in clean.iter().zip(&damaged).enumerate() {
            assert!(if at % LANES == 5 { damaged.is_nan() } else { clean == damaged }, "{at}: {clean} {damaged}");
        }
    }
}
