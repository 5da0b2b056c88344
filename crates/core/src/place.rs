//! Where a row lies in its table.

/// A place that ranking hands through to whoever reads the row there again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The block of the table.
    pub block: u32,
    /// The line pointer in the block, from 1.
    pub offset: u16,
}
