//! Rows of factors, rounded to integers when they are first multiplied.

use std::ops::Range;

use memory_search_tiles::{DEPTH, Left, ROWS, Split, Tiles};
use pulp::{Arch, Simd, WithSimd};

use super::blocks::{BLOCK, MOST, ROWS_AT_ONCE, STEPS, blocks_of, steps_of};
use crate::ModelError;
use crate::encoder::buffer;
use crate::encoder::integers::scale::{Scale, magnitude, rounded};
use crate::encoder::weights::Tensor;

/// A scale's unit for each of the rows that are multiplied together.
pub(super) type Units = [f32; ROWS_AT_ONCE];

/// A matrix of factors.
#[derive(Debug, Clone, Copy)]
pub(in crate::encoder) struct Matrix<'a> {
    /// Its name.
    pub(in crate::encoder) tensor: &'a Tensor,
    pub(in crate::encoder) numbers: &'a [f32],
    /// Numbers of a row.
    pub(in crate::encoder) depth: usize,
}

impl Matrix<'_> {
    pub(in crate::encoder) fn rows(&self) -> usize {
        self.numbers.len() / self.depth
    }

    fn groups(&self) -> usize {
        self.rows().div_ceil(ROWS_AT_ONCE)
    }
}

/// Rows of factors in tiles: groups of 32 rows, in them blocks, in these both tiles of rows, step by step.
pub(super) struct Factors {
    tiles: Vec<Split<Left>>,
    /// For each block of a group its units.
    units: Vec<Units>,
    /// For each block of a group whether it was rounded.
    is_rounded: Vec<bool>,
    /// Whether matrices stay until they are forgotten; otherwise a block until the next one.
    keeps: bool,
    kept: Vec<Kept>,
}

/// A matrix that stays.
struct Kept {
    tensor: Tensor,
    /// Its first tile, and its first units.
    tile: usize,
    unit: usize,
    /// Those behind it.
    end_tile: usize,
    end_unit: usize,
}

impl Factors {
    /// Room for these matrices of rows and depth; if there are none, for one block.
    pub(super) fn new(kept: &[(usize, usize)]) -> Result<Self, ModelError> {
        let once = [(ROWS_AT_ONCE, BLOCK)];
        let sizes = if kept.is_empty() { &once } else { kept };
        let room = |each: fn(usize) -> usize| -> usize {
            sizes.iter().map(|&(rows, depth)| rows.div_ceil(ROWS_AT_ONCE) * each(depth)).sum()
        };
        Ok(Self {
            tiles: buffer::zeros(room(tiles_of))?,
            units: buffer::filled(room(blocks_of), [0.0; ROWS_AT_ONCE])?,
            is_rounded: buffer::zeros(room(blocks_of))?,
            keeps: !kept.is_empty(),
            kept: buffer::empty(kept.len())?,
        })
    }

    pub(super) fn forget(&mut self) {
        self.kept.clear();
        self.is_rounded.fill(false);
    }

    /// A block of the group of a matrix's rows with this number. It is rounded, unless the matrix stays and the block
    /// was taken before.
    pub(super) fn take(
        &mut self,
        arch: Arch,
        matrix: Matrix<'_>,
        number: usize,
        block: usize,
    ) -> (&[Split<Left>], &Units) {
        let depth = matrix.depth;
        let (mut tile, mut unit) = (0, 0);
        if self.keeps {
            let known = self.kept.iter().position(|kept| kept.tensor == *matrix.tensor);
            let at = known.unwrap_or_else(|| {
                let (tile, unit) = self.kept.last().map_or((0, 0), |kept| (kept.end_tile, kept.end_unit));
                let groups = matrix.groups();
                let (end_tile, end_unit) = (tile + groups * tiles_of(depth), unit + groups * blocks_of(depth));
                self.kept.push(Kept { tensor: matrix.tensor.clone(), tile, unit, end_tile, end_unit });
                self.kept.len() - 1
            });
            tile = self.kept[at].tile + number * tiles_of(depth) + block * Tiles::LEFT * STEPS;
            unit = self.kept[at].unit + number * blocks_of(depth) + block;
        }
        let tiles = &mut self.tiles[tile..][..Tiles::LEFT * steps_of(depth, block)];
        let units = &mut self.units[unit];
        if !(self.keeps && self.is_rounded[unit]) {
            let rows = matrix.numbers.chunks(ROWS_AT_ONCE * depth).nth(number).unwrap_or_default();
            let columns = block * BLOCK..depth.min((block + 1) * BLOCK);
            arch.dispatch(Round { rows, depth, columns, tiles, units });
            self.is_rounded[unit] = true;
        }
        (tiles, units)
    }
}

/// Tiles of a group of rows of this depth.
fn tiles_of(depth: usize) -> usize {
    Tiles::LEFT * depth.div_ceil(DEPTH)
}

/// Columns of rows of factors that become a block of a group.
struct Round<'a> {
    rows: &'a [f32],
    depth: usize,
    columns: Range<usize>,
    tiles: &'a mut [Split<Left>],
    units: &'a mut Units,
}

impl WithSimd for Round<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let steps = self.tiles.len() / Tiles::LEFT;
        for (number, row) in self.rows.chunks_exact(self.depth).enumerate() {
            let tiles = &mut self.tiles[number / ROWS * steps..][..steps];
            self.units[number] = round_block(&row[self.columns.clone()], tiles, number % ROWS);
        }
        // The bytes of rows that the matrix has not are those of the rows before: nobody reads their sums.
    }
}

#[inline(always)]
fn round_block(factors: &[f32], tiles: &mut [Split<Left>], row: usize) -> f32 {
    let mut greatest = 0;
    for factor in factors {
        greatest = magnitude(*factor).max(greatest);
    }
    let scale = Scale::new(greatest, MOST);
    for (factors, tile) in factors.chunks(DEPTH).zip(tiles) {
        let bytes = (&mut tile.high.0[row], &mut tile.low.0[row]);
        match factors.as_chunks().0 {
            [factors] => round_step(factors, scale.inverse, bytes),
            _ => {
                let mut whole = [0.0; DEPTH];
                whole[..factors.len()].copy_from_slice(factors);
                round_step(&whole, scale.inverse, bytes);
            }
        }
    }
    scale.unit
}

#[inline(always)]
fn round_step(factors: &[f32; DEPTH], inverse: f32, (high, low): (&mut [i8; DEPTH], &mut [i8; DEPTH])) {
    for at in 0..DEPTH {
        let number = rounded(factors[at], inverse);
        (high[at], low[at]) = ((number.wrapping_add(128) >> 8) as i8, number as i8);
    }
}
