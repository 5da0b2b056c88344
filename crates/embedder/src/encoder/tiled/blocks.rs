//! Blocks of numbers that are rounded with one scale, and their tiles.

use memory_search_tiles::{DEPTH, ROWS, Tiles};

/// Numbers of a row, and of a token, that have one scale; and their tiles.
pub(super) const BLOCK: usize = 384;
pub(super) const STEPS: usize = BLOCK / DEPTH;

/// The greatest integer: both its bytes are 127.
pub(super) const MOST: i16 = 127 * 256 + 127;

/// Rows that are multiplied together.
pub(super) const ROWS_AT_ONCE: usize = Tiles::LEFT * ROWS;

/// Blocks of rows of this depth.
pub(super) fn blocks_of(depth: usize) -> usize {
    depth.div_ceil(BLOCK)
}

/// Steps of a block.
pub(super) fn steps_of(depth: usize, block: usize) -> usize {
    (depth - block * BLOCK).min(BLOCK).div_ceil(DEPTH)
}
