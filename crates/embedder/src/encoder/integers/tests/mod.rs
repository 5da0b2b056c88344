//! The products by instructions are those of the definition, to the last bit.

pub(crate) mod plain;
mod product;

use proptest::prelude::*;

use self::plain::Plain;
use self::product::{Product, integers, numbers};
use super::blocks::{MOST_OF_FACTOR, MOST_OF_TOKEN};
use super::vnni::Vnni;
use super::*;
use crate::encoder::panels::place_of;

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

/// A layer's products have two depths, by the same memory. 130 rows of 4,096 factors are rounded in three parts.
#[test]
fn products_of_several_depths_are_by_one_memory_as_by_the_definition() {
    let (rows, panels) = (130, 5);
    assert!(rows > 2 * rows_at_once(4_096));
    let mut plain = Integers::with(Plain, 151, 4_096, panels).unwrap();
    let mut vnni = Vnni::try_new().map(|vnni| Integers::with(vnni, 151, 4_096, panels).unwrap());
    // The last number of 151 has a pair of its own, with a number beside it that does not count.
    for (seed, depth) in [(1, 4_096), (2, 151), (3, 4_096)] {
        let product = Product::new(rows, depth, panels, seed);
        let (bias, before) = (numbers(seed ^ 5, rows), numbers(seed ^ 3, rows * panels * LANES));
        let start = Start::BiasAndOut(&bias);
        let by_vnni = vnni.as_mut().map(|vnni| product.by_integers(vnni, start, &before));
        let outs: Vec<_> = [product.by_integers(&mut plain, start, &before)].into_iter().chain(by_vnni).collect();
        product.assert_defined(&outs, start, &before);
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

/// No product with such a block is subnormal.
#[test]
fn a_block_of_zeros_has_a_unit_of_zero() {
    assert_eq!(integers(&[0.0, -0.0, 0.0], MOST_OF_TOKEN), (vec![0; 3], 0.0));
}

/// A factor that is no number takes all numbers of its row, and one of a token all of that token, and no others. Zeros
/// beside it do not hide it.
#[test]
fn what_is_no_number_does_not_become_one() {
    let (rows, depth, panels) = (9, 200, 2);
    for damage in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for (row, token) in [(Some(4), None), (None, Some(21)), (Some(8), Some(0))] {
            let mut product = Product::new(rows, depth, panels, 2);
            product.matrix[5 * depth..6 * depth].fill(0.0);
            (0..depth).for_each(|at| product.vectors[place_of(depth, 17, at)] = 0.0);
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
