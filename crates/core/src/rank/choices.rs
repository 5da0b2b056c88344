//! The words that options may hold, each with its meaning.

use crate::json_fields::Choice;

/// The way in which candidates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// By the inputs: hybrid, semantic, keyword or recent.
    Auto,
    /// By meaning and by words.
    Hybrid,
    /// By meaning only.
    Semantic,
    /// By words only.
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

/// The choice for a word.
pub fn word_of<T: Choice + PartialEq>(choice: T) -> &'static str {
    T::CHOICES.iter().find(|(_, value)| *value == choice).map_or("", |(word, _)| word)
}

/// The formula that makes one relevance of the two signals; see [`crate::rank::fusion`].
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

/// The words of the query that an entry must hold to be found by words.
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

/// The scale of an access count.
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

/// A named set of defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// The one with the best results on the evaluation sets.
    #[default]
    Default,
    /// 0.5 similarity + 0.3 e^(-age_days/30) + 0.2 importance, over similar entries only.
    Alfred,
    /// Relevance 0.7 semantic + 0.3 keyword, then importance 0.2, recency 0.15, popularity 0.1.
    Cortex,
    /// The same relevance with the stronger boosts: importance 0.3, recency 0.2, popularity 0.1.
    CortexBoost,
}

impl Choice for Preset {
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("default", Preset::Default),
        ("alfred", Preset::Alfred),
        ("cortex", Preset::Cortex),
        ("cortex_boost", Preset::CortexBoost),
    ];
}
