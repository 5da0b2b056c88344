//! The source of a store's words.

/// The source of the words of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordsFrom {
    /// Their texts: summary (A), raw_entry (B), tags (C) and metadata (D).
    Texts,
    /// The column of an adopted table that its application fills, `search_vector` of the view.
    Column,
}
