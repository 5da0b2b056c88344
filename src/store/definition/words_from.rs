//! The source of a store's words.

/// The source of the words of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordsFrom {
    /// Their texts: summary (A), raw_entry (B), tags (C) and metadata (D).
    Texts,
    /// The column of an adopted table that its application fills, `search_vector` of the view.
    Column,
}

impl WordsFrom {
    /// The source of the words of an adopted table, as its view says: it has a column of words, or null in its place.
    pub fn shown_by(view: &str) -> Self {
        match view.contains("NULL::tsvector AS search_vector") {
            true => WordsFrom::Texts,
            false => WordsFrom::Column,
        }
    }
}
