//! The row of the table of positions for each token.

/// The positions of one text's tokens, in their order.
pub(super) struct Positions {
    /// For XLM-RoBERTa: the padding token's id, which is also its own position.
    padding: Option<u32>,
    next: usize,
}

impl Positions {
    /// BERT counts from 0. XLM-RoBERTa counts after the id of its padding token, and does not count that.
    pub(super) fn new(padding: Option<u32>) -> Self {
        Self { padding, next: padding.map_or(0, |padding| padding as usize + 1) }
    }

    /// The number of tokens for which a table of this many rows has room.
    pub(super) fn left(&self, rows: usize) -> usize {
        rows.saturating_sub(self.next)
    }

    /// The position of the next token.
    pub(super) fn next(&mut self, id: u32) -> usize {
        if self.padding == Some(id) {
            return id as usize;
        }
        self.next += 1;
        self.next - 1
    }
}
