//! Named sets of defaults: the scoring rules of the systems that memory_search grew from.

use crate::limits;
use crate::rank::choices::{Fusion, PopularityCurve, Preset, RecencyCurve, Strategy};
use crate::rank::scoring::{Formula, Scoring};
use crate::request::options::Options;

impl Preset {
    /// What holds for each option that is not given.
    pub fn options(self) -> Options {
        let default = Options {
            strategy: Strategy::Auto,
            preset: self,
            fallback: true,
            word_match: None,
            semantic_weight: None,
            keyword_weight: None,
            scoring: self.scoring(),
            min_similarity: None,
            min_score: None,
            dedup_threshold: None,
            candidates: None,
            include_superseded: false,
            as_of: None,
            diagnostics: false,
            top_ke: limits::DEFAULT_TOP_KE,
        };
        match self {
            Preset::Alfred => Options {
                strategy: Strategy::Semantic,
                min_similarity: Some(0.7),
                dedup_threshold: Some(0.95),
                top_ke: 20,
                ..default
            },
            Preset::Default | Preset::Cortex | Preset::CortexBoost => default,
        }
    }

    /// How it scores entries.
    pub fn scoring(self) -> Scoring {
        let default = Scoring {
            fusion: Fusion::Rescored,
            formula: Formula::Scaled,
            relevance_weight: 1.0,
            semantic_weight: 0.5,
            keyword_weight: 0.5,
            recency_boost: 0.1,
            importance_boost: 0.05,
            popularity_boost: 0.0,
            recency_curve: RecencyCurve::Exponential,
            recency_days: 30.0,
            popularity_curve: PopularityCurve::Max,
            popularity_cap: 100.0,
        };
        let cortex = Scoring {
            fusion: Fusion::Plain,
            formula: Formula::InTurn,
            semantic_weight: 0.7,
            keyword_weight: 0.3,
            recency_boost: 0.15,
            importance_boost: 0.2,
            popularity_boost: 0.1,
            recency_curve: RecencyCurve::Linear,
            popularity_curve: PopularityCurve::Cap,
            ..default
        };
        match self {
            Preset::Default => default,
            Preset::Alfred => Scoring {
                fusion: Fusion::Plain,
                formula: Formula::Sum,
                relevance_weight: 0.5,
                semantic_weight: 1.0,
                keyword_weight: 0.0,
                recency_boost: 0.3,
                importance_boost: 0.2,
                ..default
            },
            Preset::Cortex => cortex,
            Preset::CortexBoost => Scoring {
                recency_boost: 0.2,
                importance_boost: 0.3,
                recency_days: 7.0,
                popularity_curve: PopularityCurve::Max,
                ..cortex
            },
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Preset::default().options()
    }
}
