//! The layouts of numbers that the instructions read and write: 16 rows of 64 bytes.

/// Rows of a tile.
pub const ROWS: usize = 16;
/// Columns of a panel.
pub const COLUMNS: usize = 16;
/// Tiles of rows that are multiplied together.
pub(crate) const LEFT: usize = 2;
/// Numbers of a row, or of a column, in one tile.
pub const DEPTH: usize = 64;

/// 16 rows of 64 numbers.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left(pub [[i8; DEPTH]; ROWS]);

/// 16 columns of 64 numbers: 16 times four numbers of each column.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Right(pub [[[i8; 4]; COLUMNS]; DEPTH / 4]);

/// Two tiles for numbers that one byte does not hold.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Split<T> {
    /// The higher bytes.
    pub high: T,
    /// The lower bytes, from -128 to 127.
    pub low: T,
}

impl Default for Left {
    fn default() -> Self {
        Self([[0; DEPTH]; ROWS])
    }
}

impl Default for Right {
    fn default() -> Self {
        Self([[[0; 4]; COLUMNS]; DEPTH / 4])
    }
}
