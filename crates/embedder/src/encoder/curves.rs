//! The curves between products: softmax, GELU and layer normalisation. Loops without calls, which the compiler makes as
//! wide as the processor allows; the exponential function of `std` is a call for each number.
//!
//! Numbers lie in panels (`panels.rs`), so sums run down the rows, and each token has its own lane.

use pulp::{Simd, WithSimd};

use super::panels::LANES;

/// The numbers of one row of a panel.
type Row = [f32; LANES];

/// Sums that are taken side by side, so that an addition need not wait for the one before.
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
    fn with_simd<S: Simd>(self, _simd: S) {
        for panel in self.numbers.as_chunks_mut::<LANES>().0.chunks_exact_mut(self.width) {
            let rows = &mut panel[..self.rows];
            let greatest = greatest(rows);
            for row in rows.iter_mut() {
                for lane in 0..LANES {
                    row[lane] = exponential((row[lane] - greatest[lane]) * self.scale);
                }
            }
            let share = sums(rows, |number| number).map(|sum| 1.0 / sum);
            for row in rows {
                for lane in 0..LANES {
                    row[lane] *= share[lane];
                }
            }
        }
    }
}

/// GELU of each number.
pub(super) struct Gelu<'a> {
    pub(super) numbers: &'a mut [f32],
}

impl WithSimd for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        for number in self.numbers {
            *number = gelu(*number);
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
    fn with_simd<S: Simd>(self, _simd: S) {
        let width = self.bias.len();
        for panel in self.numbers.as_chunks_mut::<LANES>().0.chunks_exact_mut(width) {
            let mean = sums(panel, |number| number).map(|sum| sum / width as f32);
            for row in panel.iter_mut() {
                for lane in 0..LANES {
                    row[lane] -= mean[lane];
                }
            }
            let variance = sums(panel, |number| number * number).map(|sum| sum / width as f32);
            let scale = variance.map(|variance| 1.0 / (variance + self.epsilon).sqrt());
            for ((row, factor), bias) in panel.iter_mut().zip(self.factor).zip(self.bias) {
                for lane in 0..LANES {
                    row[lane] = row[lane] * scale[lane] * factor + bias;
                }
            }
        }
    }
}

/// The sums of a term over all rows.
#[inline(always)]
fn sums(rows: &[Row], term: impl Fn(f32) -> f32) -> Row {
    let mut sums = [[0.0; LANES]; SUMS];
    let (chunks, rest) = rows.as_chunks::<SUMS>();
    for chunk in chunks {
        for at in 0..SUMS {
            for lane in 0..LANES {
                sums[at][lane] += term(chunk[at][lane]);
            }
        }
    }
    for row in rest {
        for lane in 0..LANES {
            sums[0][lane] += term(row[lane]);
        }
    }
    let mut all = [0.0; LANES];
    for sums in sums {
        for lane in 0..LANES {
            all[lane] += sums[lane];
        }
    }
    all
}

/// The greatest number of each lane.
#[inline(always)]
fn greatest(rows: &[Row]) -> Row {
    let mut greatest = [f32::NEG_INFINITY; LANES];
    for row in rows {
        for lane in 0..LANES {
            greatest[lane] = if row[lane] > greatest[lane] { row[lane] } else { greatest[lane] };
        }
    }
    greatest
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
        // The rows behind the 19th count for nothing, whatever they hold.
        for panel in numbers.chunks_mut(21 * LANES) {
            panel[19 * LANES..].fill(f32::NAN);
        }
        Arch::new().dispatch(Softmax { numbers: &mut numbers, width: 21, rows: 19, scale: 0.5 });
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

    #[test]
    fn a_normalised_lane_has_mean_zero_and_variance_one_before_factor_and_bias() {
        let mut numbers = panels();
        let (factor, bias) = ([2.0; 21], [3.0; 21]);
        Arch::new().dispatch(Normalise { numbers: &mut numbers, factor: &factor, bias: &bias, epsilon: 1e-12 });
        for panel in numbers.chunks(21 * LANES) {
            for at in 0..LANES {
                let numbers = lane(panel, at);
                let mean: f64 = numbers.iter().sum::<f64>() / 21.0;
                let variance: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 21.0;
                assert!((mean - 3.0).abs() < 1e-5 && (variance - 4.0).abs() < 1e-4, "{mean} {variance}");
            }
        }
    }

    /// A lane without a token may hold anything; the others are as without it.
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
