//! The amount of detail that a language model gets: in the description of a tool, and in an answer.

use crate::json_fields::Choice;

/// Short for models, full for programs and people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Detail {
    /// The parts that models use well: a model reads each character again in each turn of a conversation.
    Short,
    /// Everything.
    #[default]
    Full,
}

impl Choice for Detail {
    const CHOICES: &'static [(&'static str, Self)] = &[("short", Detail::Short), ("full", Detail::Full)];
}
