//! How a relevance becomes a score: a formula with its weights, and what is ranked by it.

use crate::error::{Error, Result};
use crate::rank::choices::{Fusion, PopularityCurve, RecencyCurve};

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
    /// Whether the signal that stands out in a search counts more than its weight says.
    pub adapts_weights: bool,
    /// Share of the score that recency decides.
    pub recency_boost: f64,
    /// Share of the score that importance decides.
    pub importance_boost: f64,
    /// Share of the score that popularity decides.
    pub popularity_boost: f64,
    /// Share of the score that recency of use decides.
    pub used_recency_boost: f64,
    /// How much more an entry counts at most that users found helpful; see [`crate::rank::feedback`].
    pub feedback_boost: f64,
    /// How much more an entry counts whose author the question names; see [`crate::rank::lift`].
    pub author_boost: f64,
    /// The same of one that was created when the question says.
    pub date_boost: f64,
    /// The same of one with a long text.
    pub length_boost: f64,
    /// How recency falls with age.
    pub recency_curve: RecencyCurve,
    /// The curve's length in days.
    pub recency_days: f64,
    /// How recency of use falls with the time since then.
    pub used_recency_curve: RecencyCurve,
    /// That curve's length in days.
    pub used_recency_days: f64,
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
            // Who says what each signal counts means it.
            adapts_weights: self.adapts_weights && semantic.is_none() && keyword.is_none(),
            ..self
        })
    }

    /// Whether it asks who wrote entries, and how long they are.
    pub fn looks_at_texts(&self) -> bool {
        self.author_boost > 0.0 || self.length_boost > 0.0
    }

    /// Refuses boosts that leave relevance no share of the score.
    pub fn check_boosts(&self) -> Result<()> {
        let boosts = self.recency_boost + self.importance_boost + self.popularity_boost + self.used_recency_boost;
        // 0.7 + 0.2 + 0.1 is a hair below 1 in doubles.
        if boosts > 1.0 - 1e-9 {
            return Err(Error::invalid(format!("options.boosts add up to {boosts}, but must stay below 1"))
                .hint("Relevance decides the rest of the score; lower a boost."));
        }
        Ok(())
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
    /// Whether only what is relevant is answered with; see [`crate::rank::ranking::RELEVANT`].
    pub relevant_only: bool,
}
