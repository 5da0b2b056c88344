//! Named sets of defaults: the scoring rules of the systems that memory_search grew from.

use crate::request::json_fields::Choice;
use crate::request::options::{Fusion, PopularityCurve, RecencyCurve, Strategy};

/// A named set of defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// What measures best on the evaluation sets.
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

/// Every number that a preset settles.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub struct Defaults {
    pub strategy: Strategy,
    pub fusion: Fusion,
    pub formula: Formula,
    pub semantic_weight: f64,
    pub keyword_weight: f64,
    pub recency_boost: f64,
    pub importance_boost: f64,
    pub popularity_boost: f64,
    pub recency_curve: RecencyCurve,
    pub recency_days: f64,
    pub popularity_curve: PopularityCurve,
    pub popularity_cap: f64,
    pub min_similarity: Option<f64>,
    pub dedup_threshold: Option<f64>,
    pub top_ke: i64,
}

impl Preset {
    /// What the preset settles.
    pub fn defaults(self) -> Defaults {
        let default = Defaults {
            strategy: Strategy::Auto,
            fusion: Fusion::Rescored,
            formula: Formula::Scaled,
            semantic_weight: 0.5,
            keyword_weight: 0.5,
            recency_boost: 0.1,
            importance_boost: 0.05,
            popularity_boost: 0.0,
            recency_curve: RecencyCurve::Exponential,
            recency_days: 30.0,
            popularity_curve: PopularityCurve::Max,
            popularity_cap: 100.0,
            min_similarity: None,
            dedup_threshold: None,
            top_ke: crate::request::limits::DEFAULT_TOP_KE,
        };
        let cortex = Defaults {
            fusion: Fusion::Plain,
            formula: Formula::InTurn,
            semantic_weight: 0.7,
            keyword_weight: 0.3,
            recency_boost: 0.15,
            importance_boost: 0.2,
            popularity_boost: 0.1,
            recency_curve: RecencyCurve::Linear,
            recency_days: 30.0,
            popularity_curve: PopularityCurve::Cap,
            popularity_cap: 100.0,
            ..default
        };
        match self {
            Preset::Default => default,
            Preset::Alfred => Defaults {
                strategy: Strategy::Semantic,
                fusion: Fusion::Plain,
                formula: Formula::Sum,
                semantic_weight: 0.5,
                keyword_weight: 0.0,
                recency_boost: 0.3,
                importance_boost: 0.2,
                popularity_boost: 0.0,
                min_similarity: Some(0.7),
                dedup_threshold: Some(0.95),
                top_ke: 20,
                ..default
            },
            Preset::Cortex => cortex,
            Preset::CortexBoost => Defaults {
                recency_boost: 0.2,
                importance_boost: 0.3,
                recency_days: 7.0,
                popularity_curve: PopularityCurve::Max,
                ..cortex
            },
        }
    }
}
