//! What is multiplied, and where the numbers go.

use crate::tile::{COLUMNS, LEFT, Left, ROWS, Right, Split};

/// Rows that are multiplied together: [`LEFT`] tiles.
pub(crate) const ROWS_AT_ONCE: usize = LEFT * ROWS;

/// Rows of integers, and the number that 1 stands for in each.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The first 16 rows from their first number to their last, 64 numbers at a step, then the next 16 rows.
    pub tiles: &'a [Split<Left>],
    /// The unit of each row.
    pub units: &'a [f32; ROWS_AT_ONCE],
}

/// Panels of 16 columns of integers, and the number that 1 stands for in each column.
#[derive(Debug, Clone, Copy)]
pub struct Panels<'a> {
    /// Each panel's columns from their first number to their last, 64 numbers at a step, one panel after the other.
    pub tiles: &'a [Split<Right>],
    /// The units of each panel's columns.
    pub units: &'a [[f32; COLUMNS]],
}

/// What a product is added to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Start<'a> {
    /// Whether the numbers that are there count.
    pub out: bool,
    /// A number for each row.
    pub bias: Option<&'a [f32]>,
}

/// Where the numbers of some rows with all panels go.
#[derive(Debug)]
pub struct Out<'a> {
    /// From the first row of the first panel on, at least to the last row of the last panel.
    pub numbers: &'a mut [[f32; COLUMNS]],
    /// Rows from the first of a panel to the first of the next.
    pub apart: usize,
    /// The rows that are wanted, from the first.
    pub rows: usize,
}

/// The factor by which a sum of high products stands for more than one of mixed products, and the latter for more than
/// a product of units.
pub(crate) const BYTE: f32 = 256.0;
