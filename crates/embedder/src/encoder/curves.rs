//! The functions between products: softmax, GELU and layer normalisation, without calls; the exponential function of
//! `std` would be a call for each number.
//!
//! Numbers are in panels (`panels.rs`), so sums run down the rows, and each token has its own lane.

use pulp::{Simd, WithSimd};

use super::panels::LANES;

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
        let scale = simd.splat_f32s(self.scale);
        for panel in rows_of::<S, VECTORS>(self.numbers).chunks_exact_mut(self.width) {
            let rows = &mut panel[..self.rows];
            let mut greatest = [simd.splat_f32s(f32::NEG_INFINITY); VECTORS];
            for row in rows.iter() {
                for vector in 0..VECTORS {
                    greatest[vector] = greater(simd, row[vector], greatest[vector]);
                }
            }
            let mut sum = [simd.splat_f32s(0.0); VECTORS];
            for row in rows.iter_mut() {
                for vector in 0..VECTORS {
                    let power = simd.mul_f32s(simd.sub_f32s(row[vector], greatest[vector]), scale);
                    row[vector] = exponential(simd, power);
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

/// `a` if it is greater, else `b`. This is not the processor's maximum, which differs between kinds of processors for
/// values that are not numbers.
#[inline(always)]
fn greater<S: Simd>(simd: S, a: S::f32s, b: S::f32s) -> S::f32s {
    simd.select_f32s(simd.less_than_f32s(b, a), a, b)
}

/// x (1 + erf(x / √2)) / 2. The error function is Abramowitz and Stegun's 7.1.26, off by at most 1.5e-7.
#[inline(always)]
fn gelu<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let splat = |number| simd.splat_f32s(number);
    let magnitude = simd.abs_f32s(x);
    let size = simd.mul_f32s(magnitude, splat(std::f32::consts::FRAC_1_SQRT_2));
    let t = reciprocal(simd, simd.mul_add_e_f32s(size, splat(0.327_591_1), splat(1.0)));
    let mut sum = splat(1.061_405_4);
    for coefficient in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        sum = simd.mul_add_e_f32s(sum, t, splat(coefficient));
    }
    let power = exponential(simd, simd.neg_f32s(simd.mul_f32s(size, size)));
    let erf = simd.negate_mul_add_e_f32s(simd.mul_f32s(sum, t), power, splat(1.0));
    simd.mul_f32s(splat(0.5), simd.mul_add_e_f32s(magnitude, erf, x))
}

/// 1 / x of an x from 1 to 1e30, off by at most 2e-7 of it. A register of divisions takes as long as 32 other operations.
#[inline(always)]
fn reciprocal<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    /// A number's bits grow with its logarithm: this less the bits of x is within 13 % of the bits of 1 / x.
    const BITS: u32 = 0x7ef3_11c7;
    let one = simd.splat_f32s(1.0);
    let bits = simd.sub_u32s(simd.splat_u32s(BITS), simd.transmute_u32s_f32s(x));
    let mut inverse = simd.transmute_f32s_u32s(bits);
    // Newton's method squares the error.
    for _ in 0..3 {
        inverse = simd.mul_add_e_f32s(inverse, simd.negate_mul_add_e_f32s(x, inverse, one), inverse);
    }
    inverse
}

/// e to the power x, which is 0 or less, off by at most 2e-7 of it; below -87 its least result. Uses the Cephes
/// library's polynomial.
#[inline(always)]
fn exponential<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    /// Adding this to a number removes its fraction, and leaves the whole part in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // ln 2 in two parts, the first exact in few bits.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    /// Bits of a f32's fraction, and the bias of its exponent.
    const FRACTION: u32 = 23;
    const BIAS: u32 = 127;
    let splat = |number| simd.splat_f32s(number);
    let least = splat(-87.0);
    let x = simd.select_f32s(simd.less_than_f32s(x, least), least, x);
    let rounded = simd.mul_add_e_f32s(x, splat(std::f32::consts::LOG2_E), splat(ROUND));
    let whole = simd.sub_f32s(rounded, splat(ROUND));
    let rest = simd.negate_mul_add_e_f32s(whole, splat(LN_2_HIGH), x);
    let rest = simd.negate_mul_add_e_f32s(whole, splat(LN_2_LOW), rest);
    let mut sum = splat(1.987_569_1e-4);
    for coefficient in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        sum = simd.mul_add_e_f32s(sum, rest, splat(coefficient));
    }
    let sum = simd.add_f32s(simd.mul_add_e_f32s(simd.mul_f32s(sum, rest), rest, rest), splat(1.0));
    let exponent = simd.splat_u32s(BIAS.wrapping_sub(ROUND.to_bits()));
    let exponent = simd.add_u32s(simd.transmute_u32s_f32s(rounded), exponent);
    let power = simd.wrapping_dyn_shl_u32s(exponent, simd.splat_u32s(FRACTION));
    simd.mul_f32s(sum, simd.transmute_f32s_u32s(power))
}

#[cfg(test)]
mod tests {
    use pulp::{Arch, Scalar};

    use super::*;

    struct Exponential<'a> {
        numbers: &'a mut [f32],
    }

    impl WithSimd for Exponential<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            for number in S::as_mut_simd_f32s(self.numbers).0 {
                *number = exponential(simd, *number);
            }
        }
    }

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

    #[test]
    fn the_exponential_agrees_with_std_to_seven_digits() {
        let xs: Vec<f32> = (-8_700..=0).map(|step| step as f32 / 100.0).collect();
        let xs = xs[..xs.len() / LANES * LANES].to_vec();
        for powers in with_each!(xs.clone(), Exponential {}) {
            for (power, &x) in powers.iter().zip(&xs) {
                let exact = f64::from(x).exp();
                let off = (f64::from(*power) - exact).abs() / exact;
                assert!(off < 2e-7, "{x}: {off:e}");
            }
        }
        let ends = [-1e30, f32::NEG_INFINITY, f32::NAN].repeat(LANES);
        for powers in with_each!(ends.clone(), Exponential {}) {
            for (power, x) in powers.iter().zip(&ends) {
                assert!(if x.is_nan() { power.is_nan() } else { *power < 1e-37 });
            }
        }
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
                let off = (f64::from(*number) - exact).abs();
                assert!(off < 1e-6, "{x}: {off:e}");
            }
            assert_eq!((&curve[800..808], &curve[808..]), (&[100.0; 8][..], &[0.0; 8][..]));
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
