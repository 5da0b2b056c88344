//! Named sets of defaults: the scoring rules of the systems that memory_search grew from.

use crate::bounds_and_defaults;
use crate::json_fields::Choice;
use crate::rank::choices::{Fusion, PopularityCurve, RecencyCurve, Strategy};
use crate::rank::scoring::{Formula, RankingRules, Scoring};
use crate::request::option_kinds::{Neighbours, Options};

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

impl Preset {
    /// The value of each option that is not given.
    pub fn options(self) -> Options {
        let default = Options {
            strategy: Strategy::Auto,
            fallback: true,
            word_match: None,
            typos: None,
            semantic_weight: None,
            keyword_weight: None,
            scoring: self.scoring(),
            min_similarity: None,
            min_score: None,
            relevant_only: false,
            dedup_threshold: None,
            mmr: None,
            rerank: None,
            pinned: None,
            at_most: Vec::new(),
            neighbours: Neighbours::default(),
            fields: None,
            max_characters: None,
            snippets: None,
            candidates: None,
            include_superseded: false,
            expand: false,
            validity: None,
            as_of: None,
            diagnostics: false,
            page: None,
            newest: None,
            contexts: None,
            top_ke: bounds_and_defaults::DEFAULT_TOP_KE,
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

    /// The scoring of entries.
    pub fn scoring(self) -> Scoring {
        let default = Scoring {
            fusion: Fusion::Rescored,
            formula: Formula::Scaled,
            semantic_weight: 0.5,
            keyword_weight: 0.5,
            adapts_weights: true,
            recency_boost: 0.1,
            importance_boost: 0.05,
            popularity_boost: 0.0,
            used_recency_boost: 0.0,
            feedback_boost: 0.0,
            author_boost: 0.5,
            date_boost: 0.8,
            length_boost: 0.3,
            recency_curve: RecencyCurve::Exponential,
            recency_days: 30.0,
            used_recency_curve: RecencyCurve::HalfLife,
            used_recency_days: 7.0,
            popularity_curve: PopularityCurve::Max,
            popularity_cap: 100.0,
        };
        // Their formulas are fixed.
        let as_written =
            Scoring { adapts_weights: false, author_boost: 0.0, date_boost: 0.0, length_boost: 0.0, ..default };
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
            ..as_written
        };
        match self {
            Preset::Default => default,
            Preset::Alfred => Scoring {
                fusion: Fusion::Plain,
                formula: Formula::Sum,
                semantic_weight: 1.0,
                keyword_weight: 0.0,
                recency_boost: 0.3,
                importance_boost: 0.2,
                ..as_written
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

/// The ranking of contexts, independent of the options for entries: by relevance only, because contexts are useful at
/// any age and have no importance.
pub fn context_ranking() -> RankingRules {
    let scoring = Scoring {
        recency_boost: 0.0,
        importance_boost: 0.0,
        popularity_boost: 0.0,
        author_boost: 0.0,
        date_boost: 0.0,
        length_boost: 0.0,
        ..Preset::Default.scoring()
    };
    RankingRules { scoring, min_similarity: None, min_score: None, relevant_only: false }
}
