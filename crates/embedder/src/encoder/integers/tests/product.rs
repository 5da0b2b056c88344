//! Products of any size, and their definition.

use super::super::blocks::{BLOCK, MOST_OF_FACTOR, MOST_OF_TOKEN};
use super::super::factors::Factors;
use super::super::instructions::Instructions;
use super::super::scale::{Scale, magnitude, rounded};
use super::super::sums::Sums;
use super::super::tokens::Tokens;
use super::super::vnni::Vnni;
use super::super::{Integers, Start};
use super::plain::Plain;
use crate::encoder::panels::{LANES, PanelsMut, place_of};

/// The integers of a block, and the number that 1 stands for.
pub(super) fn integers(numbers: &[f32], most: i16) -> (Vec<i64>, f32) {
    let scale = Scale::new(numbers.iter().map(|number| magnitude(*number)).max().unwrap(), most);
    (numbers.iter().map(|number| rounded(*number, scale.inverse).into()).collect(), scale.unit)
}

/// The integers of each block of a row or of a token's vector.
fn blocks(numbers: &[f32], most: i16) -> Vec<(Vec<i64>, f32)> {
    numbers.chunks(BLOCK).map(|block| integers(block, most)).collect()
}

/// The inner product of a row and a token's vector, block by block, in wide integers; `start` comes first.
fn by_definition(row: &[(Vec<i64>, f32)], vector: &[(Vec<i64>, f32)], start: f32) -> f32 {
    let mut sum = start;
    for ((factors, of_row), (numbers, of_token)) in row.iter().zip(vector) {
        let whole: i64 = factors.iter().zip(numbers).map(|(factor, number)| factor * number).sum();
        // A number that is NaN or infinite may become any integer: its unit is NaN.
        if (of_row * of_token).is_finite() {
            assert_eq!(i64::from(whole as i32), whole, "the sum fits");
        }
        sum += whole as f32 * (of_row * of_token);
    }
    sum
}

/// Numbers that look like chance, between -1 and 1, some of them 0.
pub(super) fn numbers(seed: u32, count: usize) -> Vec<f32> {
    let number = |at: usize| {
        let bits = (at as u32).wrapping_add(seed).wrapping_mul(2_654_435_761);
        if bits.is_multiple_of(13) { 0.0 } else { (bits >> 8) as f32 / (1 << 23) as f32 - 1.0 }
    };
    (0..count).map(number).collect()
}

/// A product of any size.
pub(super) struct Product {
    pub(super) rows: usize,
    pub(super) depth: usize,
    pub(super) panels: usize,
    pub(super) matrix: Vec<f32>,
    pub(super) vectors: Vec<f32>,
}

impl Product {
    pub(super) fn new(rows: usize, depth: usize, panels: usize, seed: u32) -> Self {
        let (matrix, vectors) = (numbers(seed, rows * depth), numbers(seed ^ 77, panels * depth * LANES));
        Self { rows, depth, panels, matrix, vectors }
    }

    pub(super) fn vector(&self, token: usize) -> Vec<f32> {
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

    /// By memory that has room for it.
    pub(super) fn by_integers<I: Instructions>(
        &self,
        integers: &mut Integers<I>,
        start: Start<'_>,
        before: &[f32],
    ) -> Vec<f32> {
        let mut out = before.to_vec();
        let mut products = 0;
        integers.take(&self.vectors, self.depth);
        integers.multiply(&self.matrix, self.depth, start, &mut out, &mut |count| products += count);
        assert_eq!(products, self.matrix.len() * self.panels * LANES, "each is counted once");
        out
    }

    /// By each kind of instructions that this processor has.
    pub(super) fn by_each(&self, start: Start<'_>, before: &[f32]) -> Vec<Vec<f32>> {
        let vnni = Vnni::try_new().map(|vnni| self.by(vnni, start, before));
        [self.by(Plain, start, before)].into_iter().chain(vnni).collect()
    }

    /// All products by each kind of instructions are those of the definition.
    pub(super) fn assert_by_definition(&self, start: Start<'_>, before: &[f32]) {
        self.assert_defined(&self.by_each(start, before), start, before);
    }

    /// All products are those of the definition, in each of `outs`.
    pub(super) fn assert_defined(&self, outs: &[Vec<f32>], start: Start<'_>, before: &[f32]) {
        let rows: Vec<_> = self.matrix.chunks(self.depth).map(|factors| blocks(factors, MOST_OF_FACTOR)).collect();
        for token in 0..self.panels * LANES {
            let vector = blocks(&self.vector(token), MOST_OF_TOKEN);
            for (row, factors) in rows.iter().enumerate() {
                let place = place_of(self.rows, token, row);
                let start = match start {
                    Start::Zero => 0.0,
                    Start::Bias(bias) => bias[row],
                    Start::BiasAndOut(bias) => bias[row] + before[place],
                };
                let defined = by_definition(factors, &vector, start);
                for out in outs {
                    let same = out[place].to_bits() == defined.to_bits() || out[place].is_nan() && defined.is_nan();
                    assert!(same, "row {row}, token {token}: {} instead of {defined}", out[place]);
                }
            }
        }
    }
}
