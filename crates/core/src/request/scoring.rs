//! How a relevance becomes a score: a formula with its weights, and what is ranked by it.

use crate::error::{Error, Result};
use crate::request::choices::{Fusion, PopularityCurve, RecencyCurve};
use crate::request::presets::Preset;

/// How relevance and the boosts' factors become a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formula {
    /// relevance * (1 - Σw + Σ w·factor): a boost never lifts what is not relevant.
    Scaled,
    /// relevance + Σ w·factor.
    Sum,
    /// For importance, recency and popularity in turn: score * (1 - w) + factor * w.
    InTurn,
}

/// How relevance and boosts become a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scoring {
    /// How relevance and the boosts' factors become a score.
    pub formula: Formula,
    /// What relevance is multiplied with in [`Formula::Sum`]; 1 elsewhere.
    pub relevance_weight: f64,
    /// How the two signals are fused.
    pub fusion: Fusion,
    /// Weight of the semantic signal; with the keyword weight it sums to 1.
    pub semantic_weight: f64,
    /// Weight of the keyword signal.
    pub keyword_weight: f64,
    /// Share of the score that recency decides.
    pub recency_boost: f64,
    /// Share of the score that importance decides.
    pub importance_boost: f64,
    /// Share of the score that popularity decides.
    pub popularity_boost: f64,
    /// How recency falls with age.
    pub recency_curve: RecencyCurve,
    /// The curve's length in days.
    pub recency_days: f64,
    /// What an access count is measured against.
    pub popularity_curve: PopularityCurve,
    /// The count that is full popularity for [`PopularityCurve::Cap`].
    pub popularity_cap: f64,
}

impl Scoring {
    /// The same with weights that a caller gave.
    pub fn with_weights(self, semantic: Option<f64>, keyword: Option<f64>) -> Result<Self> {
        let is_sum = self.formula == Formula::Sum;
        // One weight alone settles the other where they are shares of one whole.
        let rest = |given: Option<f64>, own: f64| {
            given.filter(|_| !is_sum).map_or(own * self.relevance_weight, |given| 1.0 - given)
        };
        let semantic_weight = semantic.unwrap_or_else(|| rest(keyword, self.semantic_weight));
        let keyword_weight = keyword.unwrap_or_else(|| rest(semantic, self.keyword_weight));
        let total = semantic_weight + keyword_weight;
        if total == 0.0 {
            return Err(Error::invalid("options.weights are all 0: nothing would be relevant")
                .hint("Give at least one signal a weight above 0."));
        }
        Ok(Scoring {
            relevance_weight: if is_sum { total } else { 1.0 },
            semantic_weight: semantic_weight / total,
            keyword_weight: keyword_weight / total,
            ..self
        })
    }

    /// Refuses boosts that leave relevance no share of the score.
    pub fn check_boosts(&self) -> Result<()> {
        let boosts = self.recency_boost + self.importance_boost + self.popularity_boost;
        // 0.7 + 0.2 + 0.1 is a hair below 1 in doubles.
        if boosts > 1.0 - 1e-9 {
            return Err(Error::invalid(format!("options.boosts add up to {boosts}, but must stay below 1"))
                .hint("Relevance decides the rest of the score; lower a boost."));
        }
        Ok(())
    }

    /// By relevance alone: the age of a context is its point, and it has no importance.
    pub fn of_contexts() -> Self {
        Scoring { recency_boost: 0.0, importance_boost: 0.0, popularity_boost: 0.0, ..Preset::Default.scoring() }
    }
}

/// What candidates are ranked by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankingRules {
    /// How they are scored.
    pub scoring: Scoring,
    /// Least cosine similarity of a candidate that has an embedding.
    pub min_similarity: Option<f64>,
    /// Least final score.
    pub min_score: Option<f64>,
}

impl RankingRules {
    /// Those of contexts: the options speak of entries.
    pub fn of_contexts() -> Self {
        RankingRules { scoring: Scoring::of_contexts(), min_similarity: None, min_score: None }
    }
}
