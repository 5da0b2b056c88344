//! How much a language model is told: of a tool, and in an answer.

use crate::json_fields::Choice;

/// How much is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Detail {
    /// What models use well: each character is read again with each turn of a conversation.
    Short,
    /// All there is.
    #[default]
    Full,
}

impl Choice for Detail {
    const CHOICES: &'static [(&'static str, Self)] = &[("short", Detail::Short), ("full", Detail::Full)];
}
