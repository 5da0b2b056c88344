//! The `options` argument: how to search. [`crate::request::option_list`] reads it.

use crate::rank::choices::{Preset, Strategy, WordMatch};
use crate::rank::scoring::Scoring;
use crate::timestamp::Micros;

/// The options of a search: as given, or else as the preset has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How candidates are found.
    pub strategy: Strategy,
    /// Where the defaults come from.
    pub preset: Preset,
    /// Whether a strategy that finds nothing steps down.
    pub fallback: bool,
    /// Which of the query's words an entry must hold to be found by words; `None` when not given.
    pub word_match: Option<WordMatch>,
    /// The weight of meaning, when given.
    pub semantic_weight: Option<f64>,
    /// The weight of words, when given.
    pub keyword_weight: Option<f64>,
    /// How entries are scored, but for weights that are given.
    pub scoring: Scoring,
    /// Least cosine similarity of an entry that has an embedding.
    pub min_similarity: Option<f64>,
    /// Least final score.
    pub min_score: Option<f64>,
    /// Entries more similar than this to a better one are dropped.
    pub dedup_threshold: Option<f64>,
    /// Candidates taken from each signal, when given.
    pub candidates: Option<i64>,
    /// Whether entries that a correction replaced are found too.
    pub include_superseded: bool,
    /// The instant that ages and visibility refer to; `None` is now.
    pub as_of: Option<Micros>,
    /// Whether the response says what the search did.
    pub diagnostics: bool,
    /// Entries wanted when the request does not say. No option, but presets differ in it.
    pub top_ke: i64,
}
