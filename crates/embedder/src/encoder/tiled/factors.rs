//! Rows of factors, rounded to integers when they are first multiplied.

use memory_search_tiles::{DEPTH, Left, ROWS, Split, Tiles};
use pulp::{Arch, Simd, WithSimd};

use super::blocks::{BLOCK, MOST, ROWS_AT_ONCE, STEPS, blocks_of, steps_of};
use crate::ModelError;
use crate::encoder::buffer;
use crate::encoder::integers::scale::{Scale, magnitude, rounded};
use crate::encoder::weights::Tensor;

/// A scale's unit for each of the rows that are multiplied together.
pub(super) type Units = [f32; ROWS_AT_ONCE];

/// Rows of factors in tiles: groups of 32 rows, in them blocks, in these both tiles of rows, step by step.
pub(super) struct Factors {
    tiles: Vec<Split<Left>>,
    units: Vec<Units>,
    /// Whether matrices stay until they are forgotten; otherwise a group of rows until the next one.
    keeps: bool,
    kept: Vec<Kept>,
}

/// A matrix that stays.
struct Kept {
    tensor: Tensor,
    /// Its first tile, and its first units.
    tile: usize,
    unit: usize,
    depth: usize,
    /// The number of groups that were rounded.
    rounded: usize,
}

/// A group of rows of a matrix: its first tile, its first units, and the numbers of each row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    tile: usize,
    unit: usize,
    depth: usize,
}

impl Factors {
    /// Room for these matrices of rows and depth; if there are none, for one group of the deepest rows.
    pub(super) fn new(deepest: usize, kept: &[(usize, usize)]) -> Result<Self, ModelError> {
        let once = [(ROWS_AT_ONCE, deepest)];
        let sizes = if kept.is_empty() { &once } else { kept };
        let room = |each: fn(usize) -> usize| -> usize {
            sizes.iter().map(|&(rows, depth)| rows.div_ceil(ROWS_AT_ONCE) * each(depth)).sum()
        };
        Ok(Self {
            tiles: buffer::zeros(room(tiles_of))?,
            units: buffer::filled(room(blocks_of), [0.0; ROWS_AT_ONCE])?,
            keeps: !kept.is_empty(),
            kept: buffer::empty(kept.len())?,
        })
    }

    pub(super) fn forget(&mut self) {
        self.kept.clear();
    }

    /// Takes the group of a matrix's rows with this number, unless the matrix stays and its group was taken before.
    pub(super) fn take(&mut self, arch: Arch, tensor: &Tensor, number: usize, rows: &[f32], depth: usize) -> Group {
        let (mut group, mut is_new) = (Group { tile: 0, unit: 0, depth }, true);
        if self.keeps {
            let known = self.kept.iter().position(|kept| kept.tensor == *tensor);
            let at = known.unwrap_or_else(|| {
                let (tile, unit) = self.kept.last().map_or((0, 0), Kept::end);
                self.kept.push(Kept { tensor: tensor.clone(), tile, unit, depth, rounded: 0 });
                self.kept.len() - 1
            });
            let kept = &mut self.kept[at];
            group.tile = kept.tile + number * tiles_of(depth);
            group.unit = kept.unit + number * blocks_of(depth);
            is_new = kept.rounded <= number;
            kept.rounded = kept.rounded.max(number + 1);
        }
        if is_new {
            let tiles = &mut self.tiles[group.tile..][..tiles_of(depth)];
            let units = &mut self.units[group.unit..][..blocks_of(depth)];
            arch.dispatch(Round { rows, depth, tiles, units });
        }
        group
    }

    /// A block of a group.
    pub(super) fn block(&self, group: Group, block: usize) -> (&[Split<Left>], &Units) {
        let steps = steps_of(group.depth, block);
        let first = group.tile + block * Tiles::LEFT * STEPS;
        (&self.tiles[first..][..Tiles::LEFT * steps], &self.units[group.unit + block])
    }
}

impl Kept {
    /// The first tile and the first units behind it, after all its groups were taken.
    fn end(&self) -> (usize, usize) {
        (self.tile + self.rounded * tiles_of(self.depth), self.unit + self.rounded * blocks_of(self.depth))
    }
}

/// Tiles of a group of rows of this depth.
fn tiles_of(depth: usize) -> usize {
    Tiles::LEFT * depth.div_ceil(DEPTH)
}

/// Rows of factors that become a group.
struct Round<'a> {
    rows: &'a [f32],
    depth: usize,
    tiles: &'a mut [Split<Left>],
    units: &'a mut [Units],
}

impl WithSimd for Round<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (number, row) in self.rows.chunks_exact(self.depth).enumerate() {
            for (block, (factors, units)) in row.chunks(BLOCK).zip(&mut *self.units).enumerate() {
                let steps = steps_of(self.depth, block);
                let first = block * Tiles::LEFT * STEPS + number / ROWS * steps;
                units[number] = round_block(factors, &mut self.tiles[first..][..steps], number % ROWS);
            }
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
