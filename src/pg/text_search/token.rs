//! A token of a text for the dictionaries.

/// A token: the number of its kind, as in PostgreSQL's default parser, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The kind, from 1.
    pub kind: usize,
    /// Its bytes, in the database's encoding.
    pub text: Vec<u8>,
}
