//! A token of a text for the dictionaries.

/// A token: the number of its kind, as in PostgreSQL's default parser, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The kind, from 1.
    pub kind: usize,
    /// Its text.
    pub text: String,
}
