//! The curves between products: softmax, GELU and layer normalisation. Loops without calls, which the compiler makes as
//! wide as the processor allows; the exponential function of `std` is a call for each number.

use pulp::{Simd, WithSimd};

/// Lanes of sums: as many in every build, so that the order in which numbers are added is too.
const LANES: usize = 16;

/// Each row of `columns` numbers becomes shares of 1, after all were multiplied with `scale`.
pub(super) struct Softmax<'a> {
    pub(super) numbers: &'a mut [f32],
    pub(super) columns: usize,
    pub(super) scale: f32,
}

impl WithSimd for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        for row in self.numbers.chunks_exact_mut(self.columns) {
            let greatest = greatest(row);
            for number in row.iter_mut() {
                *number = exponential((*number - greatest) * self.scale);
            }
            let share = 1.0 / sum(row, |number| number);
            for number in row.iter_mut() {
                *number *= share;
            }
        }
    }
}

/// GELU of each number plus its column's bias.
pub(super) struct Gelu<'a> {
    pub(super) numbers: &'a mut [f32],
    pub(super) bias: &'a [f32],
}

impl WithSimd for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        for row in self.numbers.chunks_exact_mut(self.bias.len()) {
            for (number, bias) in row.iter_mut().zip(self.bias) {
                *number = gelu(*number + bias);
            }
        }
    }
}

/// Each row of `sum` gets that of `residual` and the bias added, and is scaled to mean 0 and variance 1.
pub(super) struct AddAndNormalise<'a> {
    pub(super) sum: &'a mut [f32],
    pub(super) residual: &'a [f32],
    pub(super) bias: &'a [f32],
    pub(super) factor: &'a [f32],
    pub(super) norm_bias: &'a [f32],
    pub(super) epsilon: f32,
}

impl WithSimd for AddAndNormalise<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let width = self.bias.len();
        for (row, residual) in self.sum.chunks_exact_mut(width).zip(self.residual.chunks_exact(width)) {
            for ((number, residual), bias) in row.iter_mut().zip(residual).zip(self.bias) {
                *number += residual + bias;
            }
            let mean = sum(row, |number| number) / width as f32;
            for number in row.iter_mut() {
                *number -= mean;
            }
            let variance = sum(row, |number| number * number) / width as f32;
            let scale = 1.0 / (variance + self.epsilon).sqrt();
            for ((number, factor), bias) in row.iter_mut().zip(self.factor).zip(self.norm_bias) {
                *number = *number * scale * factor + bias;
            }
        }
    }
}

/// The sum of a term over a row.
#[inline(always)]
fn sum(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] += term(chunk[lane]);
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|&number| term(number)).sum::<f32>()
}

/// The greatest number of a row.
#[inline(always)]
fn greatest(row: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for chunk in row.chunks(LANES) {
        for (lane, &number) in lanes.iter_mut().zip(chunk) {
            *lane = if number > *lane { number } else { *lane };
        }
    }
    lanes.into_iter().fold(f32::NEG_INFINITY, f32::max)
}

/// x (1 + erf(x / √2)) / 2. The error function is Abramowitz and Stegun's 7.1.26, off by at most 1.5e-7.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    let size = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let sum = (((1.061_405_4 * t - 1.453_152) * t + 1.421_413_7) * t - 0.284_496_74) * t + 0.254_829_6;
    let erf = 1.0 - sum * t * exponential(-size * size);
    0.5 * (x + x.abs() * erf)
}

/// e to the power x, off by at most 2e-7 of it; below -87 the least that it gives, above 88 the greatest. By the Cephes
/// library's polynomial.
#[inline(always)]
fn exponential(x: f32) -> f32 {
    /// Added to a number this takes away its fraction, and leaves the whole part in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // ln 2 in two parts, the first exact in few bits.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let whole = rounded - ROUND;
    let rest = x - whole * LN_2_HIGH - whole * LN_2_LOW;
    let mut sum = 1.987_569_1e-4;
    for coefficient in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        sum = sum * rest + coefficient;
    }
    let power = rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    (sum * rest * rest + rest + 1.0) * f32::from_bits(power)
}

#[cfg(test)]
mod tests {
    use pulp::Arch;

    use super::*;

    #[test]
    fn the_exponential_is_that_of_std_to_seven_digits() {
        for step in -8_700..=8_800 {
            let x = step as f32 / 100.0;
            let exact = f64::from(x).exp();
            let off = (f64::from(exponential(x)) - exact).abs() / exact;
            assert!(off < 2e-7, "{x}: {off:e}");
        }
        assert!(exponential(-1e30) < 1e-37 && exponential(f32::NEG_INFINITY) < 1e-37);
        assert!(exponential(1e30).is_finite());
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
    fn gelu_is_that_of_the_error_function() {
        for step in -400..=400 {
            let x = f64::from(step) / 100.0;
            let exact = x * (1.0 + error_function(x / std::f64::consts::SQRT_2)) / 2.0;
            let off = (f64::from(gelu(x as f32)) - exact).abs();
            assert!(off < 1e-6, "{x}: {off:e}");
        }
        assert_eq!((gelu(100.0), gelu(-100.0)), (100.0, 0.0));
    }

    #[test]
    fn softmax_gives_shares_of_one_in_each_row() {
        let mut numbers: Vec<f32> = (0..3 * 21).map(|at| ((at * 7) % 11) as f32 - 90.0).collect();
        let before = numbers.clone();
        Arch::new().dispatch(Softmax { numbers: &mut numbers, columns: 21, scale: 0.5 });
        for (row, before) in numbers.chunks(21).zip(before.chunks(21)) {
            let all: f64 = before.iter().map(|&x| f64::from(x * 0.5).exp()).sum();
            for (share, &x) in row.iter().zip(before) {
                assert!((f64::from(*share) - f64::from(x * 0.5).exp() / all).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_normalised_row_has_mean_zero_and_variance_one_before_factor_and_bias() {
        let mut sum: Vec<f32> = (0..2 * 19).map(|at| (at * at % 23) as f32).collect();
        let residual: Vec<f32> = (0..2 * 19).map(|at| (at % 5) as f32).collect();
        let (bias, factor, norm_bias) = ([0.5; 19], [2.0; 19], [3.0; 19]);
        Arch::new().dispatch(AddAndNormalise {
            sum: &mut sum,
            residual: &residual,
            bias: &bias,
            factor: &factor,
            norm_bias: &norm_bias,
            epsilon: 1e-12,
        });
        for row in sum.chunks(19) {
            let mean: f32 = row.iter().sum::<f32>() / 19.0;
            let variance: f32 = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / 19.0;
            assert!((mean - 3.0).abs() < 1e-5 && (variance - 4.0).abs() < 1e-4, "{mean} {variance}");
        }
    }
}
