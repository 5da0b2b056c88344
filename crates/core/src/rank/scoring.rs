//! The formula that makes a score of a relevance, with its weights, and the rules of a ranking.

use crate::error::{Error, Result};
use crate::rank::choices::{Fusion, PopularityCurve, RecencyCurve};

/// The formula that makes a score of relevance and the boosts' factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formula {
    /// relevance * (1 - Σw + Σ w·factor): a boost never lifts an entry that is not relevant.
    Scaled,
    /// relevance * (1 - Σw) + Σ w·factor.
    Sum,
    /// For importance, recency and popularity in turn: score * (1 - w) + factor * w.
    InTurn,
}

/// The weights and rules that make a score of relevance and boosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scoring {
    /// The formula that makes a score of relevance and the boosts' factors.
    pub formula: Formula,
    /// The fusion of the two signals.
    pub fusion: Fusion,
    /// Weight of the semantic signal; with the keyword weight it sums to 1.
    pub semantic_weight: f64,
    /// Weight of the keyword signal.
    pub keyword_weight: f64,
    /// Whether the signal that stands out in a search counts more than its weight.
    pub adapts_weights: bool,
    /// Share of recency in the score.
    pub recency_boost: f64,
    /// Share of importance in the score.
    pub importance_boost: f64,
    /// Share of popularity in the score.
    pub popularity_boost: f64,
    /// Share of recency of use in the score.
    pub used_recency_boost: f64,
    /// The greatest lift for an entry that users found helpful; see [`crate::rank::feedback`].
    pub feedback_boost: f64,
    /// The lift of an entry if the question names its author; see [`crate::rank::lift`].
    pub author_boost: f64,
    /// The lift of an entry if it was created at the time that the question names.
    pub date_boost: f64,
    /// The lift of an entry by the length of its text.
    pub length_boost: f64,
    /// The fall of recency with age.
    pub recency_curve: RecencyCurve,
    /// The length of the curve in days.
    pub recency_days: f64,
    /// The fall of recency of use with the time since then.
    pub used_recency_curve: RecencyCurve,
    /// The length of that curve in days.
    pub used_recency_days: f64,
    /// The scale of an access count.
    pub popularity_curve: PopularityCurve,
    /// The count with full popularity for [`PopularityCurve::Cap`].
    pub popularity_cap: f64,
}

impl Scoring {
    /// The rule with weights from a caller.
    pub fn with_weights(self, semantic: Option<f64>, keyword: Option<f64>) -> Result<Self> {
        // One weight alone settles the other: they are shares of one whole.
        let rest = |given: Option<f64>, own: f64| given.map_or(own, |given| 1.0 - given);
        let semantic_weight = semantic.unwrap_or_else(|| rest(keyword, self.semantic_weight));
        let keyword_weight = keyword.unwrap_or_else(|| rest(semantic, self.keyword_weight));
        let total = semantic_weight + keyword_weight;
        if total == 0.0 {
            return Err(Error::invalid("options.weights are all 0: nothing would be relevant")
                .hint("Give at least one signal a weight above 0."));
        }
        Ok(Scoring {
            semantic_weight: semantic_weight / total,
            keyword_weight: keyword_weight / total,
            // Weights that a caller gives are not changed.
            adapts_weights: self.adapts_weights && semantic.is_none() && keyword.is_none(),
            ..self
        })
    }

    /// Whether it needs the authors and lengths of entries.
    pub fn looks_at_texts(&self) -> bool {
        self.author_boost > 0.0 || self.length_boost > 0.0
    }

    /// Refuses boosts whose sum leaves relevance no share of the score.
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

/// The rules of a ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankingRules {
    /// The scoring rule.
    pub scoring: Scoring,
    /// Least cosine similarity of a candidate that has an embedding.
    pub min_similarity: Option<f64>,
    /// Least final score.
    pub min_score: Option<f64>,
    /// Whether only relevant entries are returned; see [`crate::rank::ranking::RELEVANT`].
    pub relevant_only: bool,
}
