//! The result of removing a batch of rows.

/// The rows of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Batch {
    /// The rows that it found.
    pub found: i64,
    /// The rows that it removed.
    pub removed: i64,
    /// Whether the next batch of the pass would find too many of the same rows again.
    pub is_stuck: bool,
}
