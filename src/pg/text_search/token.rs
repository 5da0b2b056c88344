//! A token of a text on its way to the dictionaries.

/// A token: the number of its kind, as PostgreSQL's default parser counts them, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// From 1.
    pub kind: usize,
    /// Its bytes, in the database's encoding.
    pub text: Vec<u8>,
}
