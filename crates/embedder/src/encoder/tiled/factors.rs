//! Rows of factors, rounded to integers when they are first multiplied.

use memory_search_tiles::{DEPTH, Left, ROWS, Rows, Split, Tiles};
use pulp::{Arch, Simd, WithSimd};

use super::blocks::{BLOCK, MOST, ROWS_AT_ONCE, STEPS, blocks_of, steps_of};
use crate::ModelError;
use crate::encoder::buffer;
use crate::encoder::integers::scale::{Scale, magnitude, rounded};
use crate::encoder::weights::Tensor;

/// A scale's unit for each of the rows that are multiplied together.
pub(super) type Units = [f32; ROWS_AT_ONCE];

/// A matrix of factors: its name, and its rows of `depth` numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matrix<'a> {
    pub(crate) tensor: &'a Tensor,
    pub(crate) numbers: &'a [f32],
    pub(crate) depth: usize,
}

impl Matrix<'_> {
    pub(super) fn rows(&self) -> usize {
        self.numbers.len() / self.depth
    }

    /// Groups of rows.
    fn groups(&self) -> usize {
        self.rows().div_ceil(ROWS_AT_ONCE)
    }
}

/// Rows of factors in tiles: groups of 32 rows, in them blocks, in these both tiles of rows, step by step.
pub(super) struct Factors {
    tiles: Vec<Split<Left>>,
    units: Vec<Units>,
    /// For each block's units whether it was rounded.
    is_rounded: Vec<bool>,
    /// Whether matrices stay until they are forgotten; otherwise a block of a group until the next one.
    keeps: bool,
    kept: Vec<Kept>,
}

/// A matrix that stays: its first tile and its first units, and the first behind it.
struct Kept {
    tensor: Tensor,
    tile: usize,
    unit: usize,
    end: (usize, usize),
}

impl Factors {
    /// Room for these matrices of rows and depth; if there are none, for one block of a group.
    pub(super) fn new(kept: &[(usize, usize)]) -> Result<Self, ModelError> {
        let once = [(ROWS_AT_ONCE, BLOCK)];
        let sizes = if kept.is_empty() { &once } else { kept };
        let room = |each: fn(usize) -> usize| -> usize {
            sizes.iter().map(|&(rows, depth)| rows.div_ceil(ROWS_AT_ONCE) * each(depth)).sum()
        };
        let units = room(blocks_of);
        Ok(Self {
            tiles: buffer::zeros(room(tiles_of))?,
            units: buffer::filled(units, [0.0; ROWS_AT_ONCE])?,
            is_rounded: buffer::zeros(units)?,
            keeps: !kept.is_empty(),
            kept: buffer::empty(kept.len())?,
        })
    }

    pub(super) fn forget(&mut self) {
        self.kept.clear();
        self.is_rounded.fill(false);
    }

    /// A block of a group of a matrix's rows. It is rounded, unless the matrix stays and it was taken before.
    pub(super) fn take(&mut self, arch: Arch, matrix: Matrix<'_>, group: usize, block: usize) -> Rows<'_> {
        let depth = matrix.depth;
        let (tile, unit) = if self.keeps {
            let kept = self.place(matrix);
            (kept.0 + group * tiles_of(depth) + block * Tiles::LEFT * STEPS, kept.1 + group * blocks_of(depth) + block)
        } else {
            (0, 0)
        };
        let tiles = &mut self.tiles[tile..][..Tiles::LEFT * steps_of(depth, block)];
        let units = &mut self.units[unit];
        if !self.is_rounded[unit] {
            let rows = &matrix.numbers[group * ROWS_AT_ONCE * depth..];
            arch.dispatch(Round { rows, depth, block, tiles, units });
            self.is_rounded[unit] = self.keeps;
        }
        Rows { tiles, units }
    }

    /// The first tile and the first units of a matrix that stays.
    fn place(&mut self, matrix: Matrix<'_>) -> (usize, usize) {
        if let Some(kept) = self.kept.iter().find(|kept| kept.tensor == *matrix.tensor) {
            return (kept.tile, kept.unit);
        }
        let (tile, unit) = self.kept.last().map_or((0, 0), |kept| kept.end);
        let end = (tile + matrix.groups() * tiles_of(matrix.depth), unit + matrix.groups() * blocks_of(matrix.depth));
        self.kept.push(Kept { tensor: matrix.tensor.clone(), tile, unit, end });
        (tile, unit)
    }
}

/// Tiles of a group of rows of this depth.
fn tiles_of(depth: usize) -> usize {
    Tiles::LEFT * depth.div_ceil(DEPTH)
}

/// Rows of factors, of which those of a group become a block's tiles.
struct Round<'a> {
    rows: &'a [f32],
    depth: usize,
    block: usize,
    tiles: &'a mut [Split<Left>],
    units: &'a mut Units,
}

impl WithSimd for Round<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let steps = steps_of(self.depth, self.block);
        let columns = self.block * BLOCK..self.depth.min((self.block + 1) * BLOCK);
        for (number, (row, unit)) in self.rows.chunks_exact(self.depth).zip(self.units).enumerate() {
            let tiles = &mut self.tiles[number / ROWS * steps..][..steps];
            *unit = round_block(&row[columns.clone()], tiles, number % ROWS);
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
