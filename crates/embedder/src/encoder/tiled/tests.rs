//! The products by tiles are those of the definition, to the last bit.

use proptest::prelude::*;

use super::blocks::{BLOCK, MOST};
use super::*;
use crate::encoder::curves::Gelu;
use crate::encoder::integers::scale::{Scale, magnitude, rounded};
use crate::encoder::integers::tests::plain::Plain;
use crate::encoder::panels::place_of;

/// The high and the low parts of a block's numbers, and the number that 1 stands for.
fn parts(numbers: &[f32]) -> (Vec<(i64, i64)>, f32) {
    let scale = Scale::new(numbers.iter().map(|number| magnitude(*number)).max().unwrap(), MOST);
    let parts = numbers.iter().map(|number| {
        let number = i64::from(rounded(*number, scale.inverse));
        let high = (number + 128).div_euclid(256);
        (high, number - 256 * high)
    });
    (parts.collect(), scale.unit)
}

/// The inner product of a row and a token's vector, block by block, after a start.
fn by_definition(row: &[f32], vector: &[f32], start: f32) -> f32 {
    let mut sum = start;
    for (row, vector) in row.chunks(BLOCK).zip(vector.chunks(BLOCK)) {
        let ((factors, of_row), (numbers, of_token)) = (parts(row), parts(vector));
        let (mut high, mut low) = (0, 0);
        for (factor, number) in factors.iter().zip(&numbers) {
            high += factor.0 * number.0;
            low += factor.0 * number.1 + factor.1 * number.0;
        }
        sum += (high as f32 * 256.0 + low as f32) * (of_row * 256.0 * of_token);
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

    /// With matrices that stay, and without; the second time the rows are known, or not.
    fn by<I: Instructions>(&self, tiles: Tiles, instructions: I, start: Start<'_>, before: &[f32]) -> Vec<f32> {
        let mut outs = Vec::new();
        for kept in [&[(self.rows, self.depth); 2][..], &[]] {
            let arch = Arch::new();
            let mut tiled = Tiled::new(tiles, instructions, arch, self.panels, self.depth + 5, kept).unwrap();
            // Other numbers that were there before.
            let other = Product::new(self.rows, self.depth, self.panels, 1);
            for product in [&other, self, self] {
                let mut out = before.to_vec();
                let mut products = 0;
                tiled.take(&product.vectors, self.depth);
                let tensor = usize::from(std::ptr::eq(product, self))..usize::MAX;
                let matrix = Matrix { tensor: &tensor, numbers: &product.matrix, depth: self.depth };
                tiled.multiply(matrix, start, &mut out, &mut |count| products += count);
                assert_eq!(products, self.matrix.len() * self.panels * LANES, "each is counted once");
                outs.push(out);
            }
        }
        let bits = |out: &[f32]| out.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        assert!([2, 4, 5].iter().all(|at| bits(&outs[*at]) == bits(&outs[1])), "the same each time");
        outs.swap_remove(1)
    }

    /// By code for every processor, and by the instructions if this one has them.
    fn by_each(&self, start: Start<'_>, before: &[f32]) -> Vec<Vec<f32>> {
        let mut outs = vec![self.by(Tiles::portable(), Plain, start, before)];
        match (Tiles::try_new(), Vnni::try_new()) {
            (Some(tiles), Some(vnni)) => outs.push(self.by(tiles, vnni, start, before)),
            _ => println!("NOT TESTED: this processor or system has no AMX"),
        }
        outs
    }

    fn assert_by_definition(&self, start: Start<'_>, before: &[f32]) {
        let outs = self.by_each(start, before);
        for token in 0..self.panels * LANES {
            let vector = self.vector(token);
            for (row, factors) in self.matrix.chunks(self.depth).enumerate() {
                let place = place_of(self.rows, token, row);
                let start = match start {
                    Start::Zero => 0.0,
                    Start::Bias(bias) => bias[row],
                    Start::BiasAndOut(bias) => before[place] + bias[row],
                };
                let defined = by_definition(factors, &vector, start);
                for out in &outs {
                    assert_eq!(out[place].to_bits(), defined.to_bits(), "row {row}, token {token}: {}", out[place]);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn products_of_any_shape_are_those_of_the_definition(
        rows in 1usize..70, depth in 1usize..900, panels in 1usize..11, start in 0usize..3, seed: u32,
    ) {
        let product = Product::new(rows, depth, panels, seed);
        let (bias, before) = (numbers(seed ^ 5, rows), numbers(seed ^ 3, rows * panels * LANES));
        product.assert_by_definition([Start::Zero, Start::Bias(&bias), Start::BiasAndOut(&bias)][start], &before);
    }

    /// Each factor is off by half a unit at most, and each number of a vector; and the products of two low bytes are
    /// left out.
    #[test]
    fn a_product_is_as_near_to_the_exact_one_as_its_units_say(depth in 1usize..500, seed: u32, exponent in -30i32..30) {
        let mut product = Product::new(3, depth, 1, seed);
        product.matrix.iter_mut().for_each(|factor| *factor *= 2.0_f32.powi(exponent));
        let greatest = |numbers: &[f32]| numbers.iter().fold(0.0_f64, |most, number| most.max(f64::from(number.abs())));
        for out in product.by_each(Start::Zero, &[0.0; 3 * LANES]) {
            for token in 0..LANES {
                let vector = product.vector(token);
                for (row, factors) in product.matrix.chunks(depth).enumerate() {
                    let exact: f64 = factors.iter().zip(&vector).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                    let most = greatest(factors) * greatest(&vector) * depth as f64;
                    let unit = 1.0 / f64::from(MOST);
                    let off = (f64::from(out[row * LANES + token]) - exact).abs();
                    prop_assert!(off <= most * (1.02 * unit + 128.0 * 128.0 * unit * unit), "{off:e} of {most:e}");
                }
            }
        }
    }

    #[test]
    fn a_panel_has_the_same_products_alone_and_beside_others(panels in 2usize..19, rows in 1usize..40, seed: u32) {
        let product = Product::new(rows, 450, panels, seed);
        let together = product.by_each(Start::Zero, &vec![0.0; panels * rows * LANES]);
        for (number, vectors) in product.vectors.chunks(450 * LANES).enumerate() {
            let alone = Product { panels: 1, vectors: vectors.to_vec(), matrix: product.matrix.clone(), ..product };
            for (together, alone) in together.iter().zip(alone.by_each(Start::Zero, &vec![0.0; rows * LANES])) {
                prop_assert_eq!(&together[number * rows * LANES..][..rows * LANES], &alone[..]);
            }
        }
    }
}

/// The numbers of the wide layer and of the product behind it, once with all between at once, once by blocks.
fn assert_wide<I: Instructions>(tiles: Tiles, instructions: I, [width, inner_width, panels]: [usize; 3]) {
    let arch = Arch::new();
    let (of_inner, of_outer) = (numbers(1, inner_width * width), numbers(2, width * inner_width));
    let (inner_bias, outer_bias) = (numbers(3, inner_width), numbers(4, width));
    let inner = Matrix { tensor: &(0..1), numbers: &of_inner, depth: width };
    let outer = Matrix { tensor: &(1..2), numbers: &of_outer, depth: inner_width };
    let vectors = numbers(5, panels * width * LANES);
    let mut at_once = vectors.clone();
    let mut tiled = Tiled::new(tiles, instructions, arch, panels, width.max(inner_width), &[]).unwrap();
    let mut all = vec![0.0; panels * inner_width * LANES];
    tiled.take(&vectors, width);
    tiled.multiply(inner, Start::Bias(&inner_bias), &mut all, &mut |_| ());
    arch.dispatch(Gelu { numbers: &mut all });
    tiled.take(&all, inner_width);
    tiled.multiply(outer, Start::BiasAndOut(&outer_bias), &mut at_once, &mut |_| ());
    for kept in [&[(inner_width, width), (width, inner_width)][..], &[]] {
        let mut tiled = Tiled::new(tiles, instructions, arch, panels, width, kept).unwrap();
        for _ in 0..2 {
            let (mut by_blocks, mut products) = (vectors.clone(), 0);
            let mut room = vec![f32::NAN; panels * inner_width.min(WIDE_AT_ONCE) * LANES];
            tiled.take(&vectors, width);
            let pause = &mut |count| products += count;
            tiled.wide(inner, &inner_bias, outer, &outer_bias, &mut room, &mut by_blocks, pause);
            assert_eq!(products, 2 * of_inner.len() * panels * LANES, "each is counted once");
            assert!(by_blocks.iter().zip(&at_once).all(|(a, b)| a.to_bits() == b.to_bits()), "{width}, {inner_width}");
        }
    }
}

#[test]
fn the_wide_layer_by_blocks_gives_the_same_numbers() {
    for sizes in [[48, 192, 2], [40, BLOCK, 1], [33, 2 * BLOCK + 70, 3], [450, BLOCK + 32, 2]] {
        assert_wide(Tiles::portable(), Plain, sizes);
        if let (Some(tiles), Some(vnni)) = (Tiles::try_new(), Vnni::try_new()) {
            assert_wide(tiles, vnni, sizes);
        }
    }
}

/// The greatest sums that rounding can give, over whole blocks and in between.
#[test]
fn the_greatest_sums_are_exact() {
    for depth in [BLOCK - 1, BLOCK, 2 * BLOCK + 1] {
        for number in [1.0, -1.0] {
            let (rows, panels) = (ROWS_AT_ONCE + 1, 2);
            let vectors = vec![number; panels * depth * LANES];
            let product = Product { rows, depth, panels, matrix: vec![3.0; rows * depth], vectors };
            product.assert_by_definition(Start::Zero, &vec![0.0; rows * panels * LANES]);
        }
    }
    let (byte, most) = (128_i32 * 128, 1 << 24);
    assert!(2 * byte * BLOCK as i32 <= most, "f32 has room for each whole number");
}

/// A factor that is no number takes all numbers of its row, and one of a token all of that token, and no others.
#[test]
fn what_is_no_number_does_not_become_one() {
    let (rows, depth, panels) = (40, 450, 2);
    for damage in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for (row, token) in [(Some(34), None), (None, Some(21)), (Some(8), Some(0))] {
            let mut product = Product::new(rows, depth, panels, 2);
            product.matrix[5 * depth..6 * depth].fill(0.0);
            if let Some(row) = row {
                product.matrix[row * depth + 150] = damage;
            }
            if let Some(token) = token {
                product.vectors[place_of(depth, token, 403)] = damage;
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
