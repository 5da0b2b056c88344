//! The words that options may hold, each with what it means.

use crate::request::json_fields::Choice;

/// How candidates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// What the inputs allow: hybrid, semantic, keyword or recent.
    Auto,
    /// By meaning and by words.
    Hybrid,
    /// By meaning alone.
    Semantic,
    /// By words alone.
    Keyword,
    /// The newest entries.
    Recent,
}

impl Choice for Strategy {
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("auto", Strategy::Auto),
        ("hybrid", Strategy::Hybrid),
        ("semantic", Strategy::Semantic),
        ("keyword", Strategy::Keyword),
        ("recent", Strategy::Recent),
    ];
}

impl Strategy {
    /// Its word in requests and responses.
    pub fn word(self) -> &'static str {
        word_of(self)
    }
}

/// The word of a choice.
pub fn word_of<T: Choice + PartialEq>(choice: T) -> &'static str {
    T::CHOICES.iter().find(|(_, value)| *value == choice).map_or("", |(word, _)| word)
}

/// How the two signals become one relevance; see [`crate::rank::fusion`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fusion {
    /// Both signals computed for the union of candidates.
    Rescored,
    /// Each signal normalised over its own hits.
    Weighted,
    /// Reciprocal rank fusion.
    Rrf,
    /// The cosine itself, and BM25 by its maximum: the scale of presets that fix a formula. No
    /// option names it.
    Plain,
}

impl Choice for Fusion {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("rescored", Fusion::Rescored), ("weighted", Fusion::Weighted), ("rrf", Fusion::Rrf)];
}

/// Which of the query's words an entry must hold to be found by words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WordMatch {
    /// At least one.
    #[default]
    Any,
    /// Every one.
    All,
}

impl Choice for WordMatch {
    const CHOICES: &'static [(&'static str, Self)] = &[("any", WordMatch::Any), ("all", WordMatch::All)];
}

/// The curve by which recency falls with age; see [`crate::rank::boosts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecencyCurve {
    /// e^(-age/days).
    Exponential,
    /// 2^(-age/days).
    HalfLife,
    /// 1 at age 0, 0 from `days` on.
    Linear,
}

impl Choice for RecencyCurve {
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("exponential", RecencyCurve::Exponential),
        ("halfLife", RecencyCurve::HalfLife),
        ("linear", RecencyCurve::Linear),
    ];
}

/// What an access count is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PopularityCurve {
    /// The most used entry of the memory.
    Max,
    /// A fixed count.
    Cap,
}

impl Choice for PopularityCurve {
    const CHOICES: &'static [(&'static str, Self)] = &[("max", PopularityCurve::Max), ("cap", PopularityCurve::Cap)];
}
