//! Named sets of defaults: the scoring rules of the systems that memory_search grew from.

use crate::fields::Choice;
use crate::options::{Fusion, PopularityCurve, RecencyCurve};

/// A named set of defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// What measures best on the evaluation sets.
    Default,
}

impl Choice for Preset {
    const CHOICES: &'static [(&'static str, Self)] = &[("default", Preset::Default)];
}

/// Every number that a preset settles.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub struct Defaults {
    pub fusion: Fusion,
    pub semantic_weight: f64,
    pub keyword_weight: f64,
    pub recency_boost: f64,
    pub importance_boost: f64,
    pub popularity_boost: f64,
    pub recency_curve: RecencyCurve,
    pub recency_days: f64,
    pub popularity_curve: PopularityCurve,
    pub popularity_cap: f64,
}

impl Preset {
    /// What the preset settles.
    pub fn defaults(self) -> Defaults {
        match self {
            Preset::Default => Defaults {
                fusion: Fusion::Rescored,
                semantic_weight: 0.5,
                keyword_weight: 0.5,
                recency_boost: 0.1,
                importance_boost: 0.05,
                popularity_boost: 0.0,
                recency_curve: RecencyCurve::Exponential,
                recency_days: 30.0,
                popularity_curve: PopularityCurve::Max,
                popularity_cap: 100.0,
            },
        }
    }
}
