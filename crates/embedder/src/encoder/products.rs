//! Products of matrices: nearly all of an embedding's time.
//!
//! Both sides lie row by row, as the model's file has them, so a number of the product is the inner product of two rows
//! and nothing is packed or copied: the weights stay in the file's mapping, which all connections share. A tile of rows
//! by columns is summed at once, each row being loaded once for the tile. Blocks of rows that fit into the processor's
//! first cache meet all columns before the next block does.

use pulp::{Simd, WithSimd};

/// Rows of a product that are computed at once.
pub(super) const TILE_ROWS: usize = 4;
/// Columns of a product that are computed at once, and where there are 32 registers.
const TILE_COLUMNS: usize = 3;
const WIDE_TILE_COLUMNS: usize = 4;
/// Rows of a block, whole tiles, and how long a part of each is computed at once: 24 KiB. Beside it a tile's columns,
/// 6 KiB, fit into 32 KiB.
const BLOCK_ROWS: usize = 16;
const BLOCK_DEPTH: usize = 384;

/// Some columns of a matrix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) numbers: &'a [f32],
    /// Numbers from one row's start to the next one's.
    pub(super) stride: usize,
    /// The first column, and how many there are.
    pub(super) first: usize,
    pub(super) columns: usize,
}

impl<'a> Rows<'a> {
    /// All columns of a matrix.
    pub(super) fn whole(numbers: &'a [f32], columns: usize) -> Self {
        Self { numbers, stride: columns, first: 0, columns }
    }

    fn count(&self) -> usize {
        self.numbers.len() / self.stride
    }

    #[inline(always)]
    fn row(&self, row: usize) -> &'a [f32] {
        &self.numbers[row * self.stride + self.first..][..self.columns]
    }
}

/// For each row of `left` its inner products with all rows of `right`, put into a row of `out`.
pub(super) struct Products<'a> {
    pub(super) left: Rows<'a>,
    pub(super) right: Rows<'a>,
    pub(super) out: &'a mut [f32],
    pub(super) out_stride: usize,
    /// The column of `out` that the first row of `right` goes to.
    pub(super) out_first: usize,
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (rows, depth) = (self.left.count(), self.left.columns);
        for from in (0..depth).step_by(BLOCK_DEPTH) {
            let block = Block { from, to: depth.min(from + BLOCK_DEPTH) };
            for row in (0..rows).step_by(BLOCK_ROWS) {
                self.across::<S>(simd, block, row, rows.min(row + BLOCK_ROWS));
            }
        }
    }
}

/// The part of each row that is computed at once.
#[derive(Debug, Clone, Copy)]
struct Block {
    from: usize,
    to: usize,
}

impl Products<'_> {
    /// Some rows of the product, in all columns.
    #[inline(always)]
    fn across<S: Simd>(&mut self, simd: S, block: Block, first: usize, end: usize) {
        let columns = self.right.count();
        let mut column = 0;
        if S::REGISTER_COUNT >= 32 {
            while column + WIDE_TILE_COLUMNS <= columns {
                self.down::<S, WIDE_TILE_COLUMNS>(simd, block, first, end, column);
                column += WIDE_TILE_COLUMNS;
            }
        }
        while column + TILE_COLUMNS <= columns {
            self.down::<S, TILE_COLUMNS>(simd, block, first, end, column);
            column += TILE_COLUMNS;
        }
        while column < columns {
            self.down::<S, 1>(simd, block, first, end, column);
            column += 1;
        }
    }

    /// The rows from `row` to `end` in `COLUMNS` columns from `column` on, tile by tile.
    #[inline(always)]
    fn down<S: Simd, const COLUMNS: usize>(
        &mut self,
        simd: S,
        block: Block,
        mut row: usize,
        end: usize,
        column: usize,
    ) {
        while row + TILE_ROWS <= end {
            self.tile::<S, TILE_ROWS, COLUMNS>(simd, block, row, column);
            row += TILE_ROWS;
        }
        while row < end {
            self.tile::<S, 1, COLUMNS>(simd, block, row, column);
            row += 1;
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const ROWS: usize, const COLUMNS: usize>(
        &mut self,
        simd: S,
        Block { from, to }: Block,
        row: usize,
        column: usize,
    ) {
        let left: [_; ROWS] = std::array::from_fn(|at| S::as_simd_f32s(&self.left.row(row + at)[from..to]));
        let right: [_; COLUMNS] = std::array::from_fn(|at| S::as_simd_f32s(&self.right.row(column + at)[from..to]));
        // Equally long slices, so that the loop below checks no index.
        let steps = left[0].0.len();
        let left_steps: [&[S::f32s]; ROWS] = std::array::from_fn(|at| &left[at].0[..steps]);
        let right_steps: [&[S::f32s]; COLUMNS] = std::array::from_fn(|at| &right[at].0[..steps]);
        let mut sums = [[simd.splat_f32s(0.0); COLUMNS]; ROWS];
        for step in 0..steps {
            let right: [S::f32s; COLUMNS] = std::array::from_fn(|at| right_steps[at][step]);
            for at_row in 0..ROWS {
                let left = left_steps[at_row][step];
                for at_column in 0..COLUMNS {
                    // "e": fused where the processor has it; in software that would take a hundred times as long.
                    sums[at_row][at_column] = simd.mul_add_e_f32s(left, right[at_column], sums[at_row][at_column]);
                }
            }
        }
        for at_row in 0..ROWS {
            for at_column in 0..COLUMNS {
                let rest = left[at_row].1.iter().zip(right[at_column].1);
                let rest: f32 = rest.map(|(left, right)| left * right).sum();
                let sum = simd.reduce_sum_f32s(sums[at_row][at_column]) + rest;
                let out = &mut self.out[(row + at_row) * self.out_stride + self.out_first + column + at_column];
                // The first block replaces what was there.
                *out = if from == 0 { sum } else { *out + sum };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulp::{Arch, Scalar};

    use super::*;

    proptest! {
        #[test]
        fn products_of_any_shape_are_those_of_the_definition(
            rows in 1usize..22, columns in 1usize..11, short in 1usize..70, blocks in 0usize..3, seed: u32,
        ) {
            let depth = short + blocks * BLOCK_DEPTH;
            let number = |at: usize| ((at as u32).wrapping_mul(2_654_435_761) ^ seed) % 17;
            let left: Vec<f32> = (0..rows * (depth + 2)).map(|at| number(at) as f32 - 8.0).collect();
            let right: Vec<f32> = (0..columns * depth).map(|at| number(at + 7) as f32 - 8.0).collect();
            let out_stride = columns + 3;
            let product = |scalar: bool| {
                let mut out = vec![0.5; rows * out_stride];
                let left = Rows { numbers: &left, stride: depth + 2, first: 1, columns: depth };
                let right = Rows::whole(&right, depth);
                let products = Products { left, right, out: &mut out, out_stride, out_first: 2 };
                if scalar { products.with_simd(Scalar) } else { Arch::new().dispatch(products) }
                out
            };
            // Whole numbers this small are exact, whatever the order in which they are added.
            let (widest, plain) = (product(false), product(true));
            for row in 0..rows {
                for column in 0..out_stride {
                    let sum: f32 = match column.checked_sub(2).filter(|&column| column < columns) {
                        Some(column) => (0..depth)
                            .map(|at| left[row * (depth + 2) + 1 + at] * right[column * depth + at])
                            .sum(),
                        None => 0.5,
                    };
                    prop_assert_eq!(widest[row * out_stride + column], sum);
                    prop_assert_eq!(plain[row * out_stride + column], sum);
                }
            }
        }
    }
}
