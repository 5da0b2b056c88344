//! The `options` argument: how to search. Parsed here as the caller wrote it; what it leaves out
//! is resolved in [`crate::request::plan`].

use crate::error::Result;
use crate::request::json_fields::{Choice, Fields};
use crate::request::limits;
use crate::request::presets::Preset;
use crate::timestamp::{self, Micros};

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

/// The options as written; `None` is not written.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Options {
    pub strategy: Option<Strategy>,
    pub preset: Option<Preset>,
    pub fallback: Option<bool>,
    pub word_match: Option<WordMatch>,
    pub fusion: Option<Fusion>,
    pub semantic_weight: Option<f64>,
    pub keyword_weight: Option<f64>,
    pub recency_boost: Option<f64>,
    pub importance_boost: Option<f64>,
    pub popularity_boost: Option<f64>,
    pub recency_curve: Option<RecencyCurve>,
    pub recency_days: Option<f64>,
    pub popularity_curve: Option<PopularityCurve>,
    pub popularity_cap: Option<f64>,
    pub min_similarity: Option<f64>,
    pub min_score: Option<f64>,
    pub dedup_threshold: Option<f64>,
    pub candidates: Option<i64>,
    pub include_superseded: Option<bool>,
    pub as_of: Option<Micros>,
    pub diagnostics: Option<bool>,
}

impl Options {
    /// Parses the JSON text of `options`.
    pub fn parse(text: &str) -> Result<Self> {
        let mut fields = Fields::parse("options", text)?;
        let mut options = Options {
            strategy: fields.take_choice("strategy")?,
            preset: fields.take_choice("preset")?,
            fallback: fields.take_boolean("fallback")?,
            word_match: fields.take_choice("match")?,
            fusion: fields.take_choice("fusion")?,
            min_similarity: fields.take_number("minSimilarity", limits::SIMILARITY)?,
            min_score: fields.take_number("minScore", limits::UNIT)?,
            dedup_threshold: fields.take_number("dedupThreshold", limits::UNIT)?,
            candidates: fields.take_integer("candidates", limits::CANDIDATES)?,
            include_superseded: fields.take_boolean("includeSuperseded")?,
            diagnostics: fields.take_boolean("diagnostics")?,
            ..Options::default()
        };
        if let Some(instant) = fields.take_text("asOf")? {
            options.as_of = Some(timestamp::parse("options.asOf", &instant)?);
        }
        if let Some(mut weights) = fields.take_object("weights")? {
            options.semantic_weight = weights.take_number("semantic", limits::UNIT)?;
            options.keyword_weight = weights.take_number("keyword", limits::UNIT)?;
            weights.finish()?;
        }
        if let Some(mut boosts) = fields.take_object("boosts")? {
            options.recency_boost = boosts.take_number("recency", limits::UNIT)?;
            options.importance_boost = boosts.take_number("importance", limits::UNIT)?;
            options.popularity_boost = boosts.take_number("popularity", limits::UNIT)?;
            boosts.finish()?;
        }
        if let Some(mut recency) = fields.take_object("recency")? {
            options.recency_curve = recency.take_choice("curve")?;
            options.recency_days = recency.take_number("days", limits::RECENCY_DAYS)?;
            recency.finish()?;
        }
        if let Some(mut popularity) = fields.take_object("popularity")? {
            options.popularity_curve = popularity.take_choice("curve")?;
            options.popularity_cap = popularity.take_number("cap", limits::POPULARITY_CAP)?;
            popularity.finish()?;
        }
        fields.finish()?;
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_option_is_understood() {
        let options = Options::parse(
            r#"{"strategy": "hybrid", "preset": "default", "fallback": true, "match": "any", "fusion": "rescored",
                "weights": {"semantic": 0.5, "keyword": 0.5},
                "boosts": {"recency": 0.1, "importance": 0.05, "popularity": 0},
                "recency": {"curve": "exponential", "days": 30}, "popularity": {"curve": "max", "cap": 100},
                "minSimilarity": 0.0, "minScore": 0.0, "dedupThreshold": 0.95, "candidates": 100,
                "includeSuperseded": true, "diagnostics": true, "asOf": "2030-01-01T00:00:00Z"}"#,
        )
        .unwrap();
        assert_eq!(options.strategy, Some(Strategy::Hybrid));
        assert_eq!(options.recency_days, Some(30.0));
        assert_eq!(options.diagnostics, Some(true));
        assert_eq!(options.as_of, Some(1_893_456_000_000_000));
    }

    #[test]
    fn a_misspelt_value_is_answered_with_the_nearest_one() {
        let refusal = Options::parse(r#"{"strategy": "hybird"}"#).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"hybrid\"?"));
        assert!(Options::parse(r#"{"boosts": {"recancy": 0.1}}"#).unwrap_err().hint.unwrap().contains("recency"));
    }
}
