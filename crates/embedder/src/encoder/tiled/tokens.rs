//! Vectors of tokens, rounded to integers.

use memory_search_tiles::{COLUMNS, DEPTH, Panels, Right, Split};

use super::blocks::{BLOCK, MOST, STEPS, blocks_of, steps_of};
use crate::ModelError;
use crate::encoder::buffer;
use crate::encoder::integers::instructions::Instructions;
use crate::encoder::integers::token_scales::token_scales;
use crate::encoder::panels::LANES;

// A panel of vectors is a panel of columns.
const _: () = assert!(LANES == COLUMNS);

/// Panels of tokens' vectors in tiles: blocks, in each of them the panels, and in these the steps.
pub(super) struct Tokens {
    depth: usize,
    panels: usize,
    tiles: Vec<Split<Right>>,
    units: Vec<[f32; LANES]>,
}

impl Tokens {
    /// Room for so many panels, of vectors of at most `depth` numbers.
    pub(super) fn new(panels: usize, depth: usize) -> Result<Self, ModelError> {
        Ok(Self {
            depth,
            panels,
            tiles: buffer::zeros(panels * depth.div_ceil(DEPTH))?,
            units: buffer::zeros(panels * blocks_of(depth))?,
        })
    }

    /// Takes panels of vectors of `depth` numbers.
    #[inline(always)]
    pub(super) fn round<I: Instructions>(&mut self, instructions: I, vectors: &[f32], depth: usize) {
        self.depth = depth;
        self.panels = vectors.len() / (depth * LANES);
        for (number, panel) in vectors.as_chunks().0.chunks_exact(depth).enumerate() {
            for (block, rows) in panel.chunks(BLOCK).enumerate() {
                let (first, steps) = (self.first(block, number), steps_of(depth, block));
                let tiles = &mut self.tiles[first..][..steps];
                let units = &mut self.units[block * self.panels + number];
                instructions.run(
                    #[inline(always)]
                    || round_block(instructions, rows, tiles, units),
                );
            }
        }
    }

    /// The first tile of a panel's block.
    fn first(&self, block: usize, panel: usize) -> usize {
        self.panels * block * STEPS + panel * steps_of(self.depth, block)
    }

    /// A block of the first panels.
    pub(super) fn block(&self, block: usize, panels: usize) -> Panels<'_> {
        let tiles = self.first(block, 0)..self.first(block, panels);
        Panels { tiles: &self.tiles[tiles], units: &self.units[block * self.panels..][..panels] }
    }
}

#[inline(always)]
fn round_block<I: Instructions>(
    instructions: I,
    rows: &[[f32; LANES]],
    tiles: &mut [Split<Right>],
    units: &mut [f32; LANES],
) {
    let inverse = token_scales(instructions, rows, MOST, units);
    for (rows, tile) in rows.chunks(DEPTH).zip(tiles) {
        let (fours, rest) = rows.as_chunks::<4>();
        let mut places = tile.high.0.iter_mut().zip(&mut tile.low.0);
        for (rows, (high, low)) in fours.iter().zip(&mut places) {
            let even = instructions.round(&rows[0], &rows[2], &inverse);
            let odd = instructions.round(&rows[1], &rows[3], &inverse);
            [*high, *low] = bytes(instructions.bytes(&even, &odd));
        }
        if rows.len() < DEPTH {
            // Zeros fill the last tile.
            let mut last = [[0.0; LANES]; 4];
            last[..rest.len()].copy_from_slice(rest);
            for (high, low) in places {
                let even = instructions.round(&last[0], &last[2], &inverse);
                let odd = instructions.round(&last[1], &last[3], &inverse);
                [*high, *low] = bytes(instructions.bytes(&even, &odd));
                last = [[0.0; LANES]; 4];
            }
        }
    }
}

/// The lowest byte of a lane is that of the first number.
#[inline(always)]
fn bytes(lanes: [[u32; LANES]; 2]) -> [[[i8; 4]; LANES]; 2] {
    if cfg!(target_endian = "little") {
        bytemuck::cast(lanes)
    } else {
        bytemuck::cast(lanes.map(|of| of.map(u32::to_le)))
    }
}
