//! The products by instructions are those of the definition, to the last bit.

use std::array::from_fn;

use proptest::prelude::*;

use super::blocks::{MOST_OF_FACTOR, MOST_OF_TOKEN, Pair};
use super::factors::Factors;
use super::instructions::Instructions;
use super::scale::{Scale, magnitude, rounded};
use super::sums::Sums;
use super::tokens::Tokens;
use super::vnni::Vnni;
use super::*;
use crate::encoder::panels::place_of;

/// The same operations without instructions: whatever a test shows of them is shown on every processor.
#[derive(Debug, Clone, Copy)]
struct Plain;

impl Instructions for Plain {
    type Lanes = [[i16; 2]; LANES];
    type Sums = [i32; LANES];

    fn run<R>(self, code: impl FnOnce() -> R) -> R {
        code()
    }

    fn zeros(self) -> Self::Sums {
        [0; LANES]
    }

    fn all(self, pair: [i16; 2]) -> Self::Lanes {
        [pair; LANES]
    }

    fn load(self, pairs: &[Pair; LANES]) -> Self::Lanes {
        pairs.map(|pair| [pair as i16, (pair >> 16) as i16])
    }

    fn add_products(self, sums: Self::Sums, a: Self::Lanes, b: Self::Lanes) -> Self::Sums {
        from_fn(|lane| {
            let product = |at: usize| i32::from(a[lane][at]) * i32::from(b[lane][at]);
            sums[lane].wrapping_add(product(0)).wrapping_add(product(1))
        })
    }

    fn greater(self, magnitudes: Self::Sums, numbers: &[f32; LANES]) -> Self::Sums {
        from_fn(|lane| magnitudes[lane].max(magnitude(numbers[lane]) as i32))
    }

    fn magnitudes(self, magnitudes: Self::Sums) -> [u32; LANES] {
        magnitudes.map(|magnitude| magnitude as u32)
    }

    fn round(self, low: &[f32; LANES], high: &[f32; LANES], inverse: &[f32; LANES]) -> [Pair; LANES] {
        from_fn(|lane| {
            let rounded = |number| Pair::from(rounded(number, inverse[lane]) as u16);
            rounded(low[lane]) | rounded(high[lane]) << 16
        })
    }

    fn add_scaled(self, sums: Self::Sums, unit: f32, units: &[f32; LANES], out: &mut [f32; LANES]) {
        for lane in 0..LANES {
            out[lane] += sums[lane] as f32 * (unit * units[lane]);
        }
    }
}

/// The integers of a block, and what 1 stands for.
fn integers(numbers: &[f32], most: i16) -> (Vec<i64>, f32) {
    let scale = Scale::new(numbers.iter().map(|number| magnitude(*number)).max().unwrap(), most);
    (numbers.iter().map(|number| rounded(*number, scale.inverse).into()).collect(), scale.unit)
}

/// The inner product of a row and a token's vector, block by block, in wide integers; `start` comes first.
fn by_definition(row: &[f32], vector: &[f32], start: f32) -> f32 {
    let mut sum = start;
    for (factors, numbers) in row.chunks(BLOCK).zip(vector.chunks(BLOCK)) {
        let (factors, of_row) = integers(factors, MOST_OF_FACTOR);
        let (numbers, of_token) = integers(numbers, MOST_OF_TOKEN);
        let whole: i64 = factors.iter().zip(&numbers).map(|(factor, number)| factor * number).sum();
        // What is no number may be any integer; its unit is none.
        if (of_row * of_token).is_finite() {
            assert_eq!(i64::from(whole as i32), whole, "the sum fits");
        }
        sum += whole as f32 * (of_row * of_token);
    }
    sum
}

/// Numbers that look like chance, between -1 and 1, some of them 0.
fn numbers(seed: u32, count: usize) -> Vec<f32> {
    let number = |at: usize| {
        let bits = (at as u32).wrapping_add(seed).wrapping_mul(2_654_435_761);
        if bits.is_multiple_of(13) { 0.0 } else { (bits >> 8) as f32 / (1 << 23) as f32 - 1.0 }
    };
    (0..count).map(number).collect()
}

/// A product of any size.
struct Product {
    rows: usize,
    depth: usize,
    panels: usize,
    matrix: Vec<f32>,
    vectors: Vec<f32>,
}

impl Product {
    fn new(rows: usize, depth: usize, panels: usize, seed: u32) -> Self {
        let (matrix, vectors) = (numbers(seed, rows * depth), numbers(seed ^ 77, panels * depth * LANES));
        Self { rows, depth, panels, matrix, vectors }
    }

    fn vector(&self, token: usize) -> Vec<f32> {
        (0..self.depth).map(|at| self.vectors[place_of(self.depth, token, at)]).collect()
    }

    fn by<I: Instructions>(&self, instructions: I, start: Start<'_>, before: &[f32]) -> Vec<f32> {
        let mut tokens = Tokens::new(self.panels, self.depth).unwrap();
        tokens.round(instructions, &self.vectors, self.depth);
        let mut factors = Factors::new(self.rows * self.depth.div_ceil(BLOCK)).unwrap();
        factors.round(&self.matrix, self.depth);
        let mut out = before.to_vec();
        let (rows, panels) = (self.rows, self.panels);
        let numbers = PanelsMut { numbers: &mut out, width: rows, first: 0 };
        let sums = Sums { factors: &factors, rows, tokens: &tokens, start, out: numbers, panels };
        instructions.run(
            #[inline(always)]
            || sums.add(instructions),
        );
        out
    }

    /// By each kind of instructions that this processor has.
    fn by_each(&self, start: Start<'_>, before: &[f32]) -> Vec<Vec<f32>> {
        let vnni = Vnni::try_new().map(|vnni| self.by(vnni, start, before));
        [self.by(Plain, start, before)].into_iter().chain(vnni).collect()
    }

    /// All products by the definition.
    fn assert_by_definition(&self, start: Start<'_>, before: &[f32]) {
        for out in self.by_each(start, before) {
            for token in 0..self.panels * LANES {
                let vector = self.vector(token);
                for (row, factors) in self.matrix.chunks(self.depth).enumerate() {
                    let place = place_of(self.rows, token, row);
                    let start = match start {
                        Start::Zero => 0.0,
                        Start::Bias(bias) => bias[row],
                        Start::BiasAndOut(bias) => bias[row] + before[place],
                    };
                    let defined = by_definition(factors, &vector, start);
                    let same = out[place].to_bits() == defined.to_bits() || out[place].is_nan() && defined.is_nan();
                    assert!(same, "row {row}, token {token}: {} instead of {defined}", out[place]);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn products_of_any_shape_are_those_of_the_definition(
        rows in 1usize..20, depth in 1usize..300, panels in 1usize..8, start in 0usize..3, seed: u32,
    ) {
        let product = Product::new(rows, depth, panels, seed);
        let (bias, before) = (numbers(seed ^ 5, rows), numbers(seed ^ 3, rows * panels * LANES));
        let start = [Start::Zero, Start::Bias(&bias), Start::BiasAndOut(&bias)][start];
        product.assert_by_definition(start, &before);
    }

    /// Each factor is off by half a unit at most, and each number of a vector.
    #[test]
    fn a_product_is_as_near_to_the_exact_one_as_its_units_say(depth in 1usize..300, seed: u32, exponent in -30i32..30) {
        let mut product = Product::new(3, depth, 1, seed);
        let scale = 2.0_f32.powi(exponent);
        product.matrix.iter_mut().for_each(|factor| *factor *= scale);
        let greatest = |numbers: &[f32]| numbers.iter().fold(0.0_f64, |most, number| most.max(f64::from(number.abs())));
        for out in product.by_each(Start::Zero, &[0.0; 3 * LANES]) {
            for token in 0..LANES {
                let vector = product.vector(token);
                for (row, factors) in product.matrix.chunks(depth).enumerate() {
                    let exact: f64 = factors.iter().zip(&vector).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                    let most = greatest(factors) * greatest(&vector) * depth as f64;
                    let bound = most * (0.51 / f64::from(MOST_OF_FACTOR) + 0.51 / f64::from(MOST_OF_TOKEN));
                    let off = (f64::from(out[row * LANES + token]) - exact).abs();
                    prop_assert!(off <= bound, "{off:e} of {bound:e}");
                }
            }
        }
    }

    #[test]
    fn a_panel_has_the_same_products_alone_and_beside_others(panels in 2usize..9, rows in 1usize..20, seed: u32) {
        let product = Product::new(rows, 150, panels, seed);
        let out = vec![0.0; panels * rows * LANES];
        let together = product.by_each(Start::Zero, &out);
        let alone: Vec<f32> = product.vectors.chunks(150 * LANES).flat_map(|panel| {
            let alone = Product { panels: 1, vectors: panel.to_vec(), matrix: product.matrix.clone(), ..product };
            alone.by_each(Start::Zero, &out[..rows * LANES]).pop().unwrap()
        }).collect();
        for together in together {
            prop_assert_eq!(&together, &alone);
        }
    }
}

/// All products of a block at their greatest, with one sign or the other.
#[test]
fn the_greatest_sums_do_not_overflow() {
    for depth in [BLOCK - 1, BLOCK, 3 * BLOCK] {
        for number in [1.0, -1.0] {
            let (rows, panels) = (ROWS + 1, 3);
            let vectors = vec![number; panels * depth * LANES];
            let product = Product { rows, depth, panels, matrix: vec![3.0; rows * depth], vectors };
            product.assert_by_definition(Start::Zero, &vec![0.0; rows * panels * LANES]);
            for out in product.by_each(Start::Zero, &vec![0.0; rows * panels * LANES]) {
                let exact = 3.0 * number * depth as f32;
                assert!(out.iter().all(|sum| (sum / exact - 1.0).abs() < 1e-6), "{} instead of {exact}", out[0]);
            }
        }
    }
    let most = i64::from(MOST_OF_FACTOR) * i64::from(MOST_OF_TOKEN) * BLOCK as i64;
    assert!(most <= i64::from(i32::MAX), "{most}");
}

#[test]
fn zeros_have_products_of_zero() {
    let (rows, depth, panels) = (9, 200, 2);
    let zeros = vec![0.0; rows * panels * LANES];
    let mut product = Product::new(rows, depth, panels, 1);
    product.matrix[3 * depth..4 * depth].fill(0.0);
    for out in product.by_each(Start::Zero, &zeros) {
        for panel in out.chunks(rows * LANES) {
            assert!(panel[3 * LANES..4 * LANES].iter().all(|sum| *sum == 0.0));
            assert!(panel[4 * LANES..].iter().any(|sum| *sum != 0.0));
        }
    }
    product.vectors.fill(0.0);
    for out in product.by_each(Start::Zero, &zeros) {
        assert_eq!(out, zeros);
    }
}

/// A factor that is no number takes all numbers of its row, and one of a token all of that token, and no others.
#[test]
fn what_is_no_number_does_not_become_one() {
    let (rows, depth, panels) = (9, 200, 2);
    for damage in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for (row, token) in [(Some(4), None), (None, Some(21)), (Some(8), Some(0))] {
            let mut product = Product::new(rows, depth, panels, 2);
            if let Some(row) = row {
                product.matrix[row * depth + 150] = damage;
            }
            if let Some(token) = token {
                product.vectors[place_of(depth, token, 3)] = damage;
            }
            for out in product.by_each(Start::Zero, &vec![0.0; rows * panels * LANES]) {
                for (at, sum) in out.iter().enumerate() {
                    let (panel, of_row, lane) = (at / LANES / rows, at / LANES % rows, at % LANES);
                    let damaged = row == Some(of_row) || token == Some(panel * LANES + lane);
                    assert_eq!(sum.is_nan(), damaged, "{damage}, row {of_row}, panel {panel}, lane {lane}");
                }
            }
        }
    }
}

/// Numbers whose magnitudes no scale of f32 has room for.
#[test]
fn the_least_and_the_greatest_numbers_are_rounded_to_their_place() {
    for number in [f32::MIN_POSITIVE / 4.0, 1e-38, 1e-33, 1e-31, 1e-20, 1.0, 1e20, f32::MAX] {
        for numbers in [vec![number; 3], vec![-number, 0.0, number / 3.0]] {
            let (integers, unit) = integers(&numbers, MOST_OF_TOKEN);
            assert!(unit.is_finite() && unit > 0.0);
            for (integer, number) in integers.iter().zip(&numbers) {
                assert!(integer.abs() <= MOST_OF_TOKEN.into());
                let off = (*integer as f64 * f64::from(unit) - f64::from(*number)).abs();
                assert!(off <= f64::from(unit) * 0.501, "{number:e}: {off:e} of {unit:e}");
            }
        }
    }
}
