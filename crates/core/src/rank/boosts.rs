//! Boosts: recency of creation and of use, importance and popularity, each a factor in 0..1. `now` is an argument.

use crate::bounds_and_defaults;
use crate::rank::choices::{PopularityCurve, RecencyCurve};
use crate::rank::scoring::{Formula, Scoring};
use crate::timestamp::Micros;

/// Age in days; a future timestamp is age 0.
pub fn age_days(created: Micros, now: Micros) -> f64 {
    (now.saturating_sub(created).max(0)) as f64 / bounds_and_defaults::MICROS_PER_DAY
}

/// 1 for a new entry, falling to 0 with age.
pub fn recency(curve: RecencyCurve, days: f64, age_days: f64) -> f64 {
    match curve {
        RecencyCurve::Exponential => (-age_days / days).exp(),
        RecencyCurve::HalfLife => (-age_days / days).exp2(),
        RecencyCurve::Linear => (1.0 - age_days / days).max(0.0),
    }
}

/// Importance as a factor.
pub fn importance(importance: f64) -> f64 {
    (importance / bounds_and_defaults::FULL_IMPORTANCE).clamp(0.0, 1.0)
}

/// An access count, relative to the most used entry of the memory or to a cap.
pub fn popularity(curve: PopularityCurve, cap: f64, access_count: i64, highest_count: i64) -> f64 {
    let full = match curve {
        PopularityCurve::Max => highest_count as f64,
        PopularityCurve::Cap => cap,
    };
    if full <= 0.0 { 0.0 } else { (access_count.max(0) as f64 / full).min(1.0) }
}

/// The factors of one entry, each 0..1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Factors {
    pub recency: f64,
    pub importance: f64,
    pub popularity: f64,
    pub used_recency: f64,
}

/// The part of each factor in a score; the score is their sum.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Contributions {
    pub relevance: f64,
    pub recency: f64,
    pub importance: f64,
    pub popularity: f64,
    pub used_recency: f64,
}

impl Contributions {
    /// The factor that gives relevance its part.
    pub fn of_relevance(scoring: &Scoring) -> f64 {
        let (r, i, p) = (scoring.recency_boost, scoring.importance_boost, scoring.popularity_boost);
        let u = scoring.used_recency_boost;
        match scoring.formula {
            Formula::Scaled | Formula::Sum => 1.0 - r - i - p - u,
            // Each later step shrinks what is there by 1 - w.
            Formula::InTurn => (1.0 - i) * (1.0 - r) * (1.0 - p) * (1.0 - u),
        }
    }

    /// Splits the score of a scoring rule into parts.
    pub fn new(scoring: &Scoring, relevance: f64, factors: Factors) -> Self {
        let (r, i, p) = (scoring.recency_boost, scoring.importance_boost, scoring.popularity_boost);
        let u = scoring.used_recency_boost;
        match scoring.formula {
            Formula::Scaled => Contributions {
                relevance: relevance * Self::of_relevance(scoring),
                recency: relevance * r * factors.recency,
                importance: relevance * i * factors.importance,
                popularity: relevance * p * factors.popularity,
                used_recency: relevance * u * factors.used_recency,
            },
            Formula::Sum => Contributions {
                relevance: relevance * Self::of_relevance(scoring),
                recency: r * factors.recency,
                importance: i * factors.importance,
                popularity: p * factors.popularity,
                used_recency: u * factors.used_recency,
            },
            Formula::InTurn => Contributions {
                relevance: relevance * Self::of_relevance(scoring),
                importance: i * factors.importance * (1.0 - r) * (1.0 - p) * (1.0 - u),
                recency: r * factors.recency * (1.0 - p) * (1.0 - u),
                popularity: p * factors.popularity * (1.0 - u),
                used_recency: u * factors.used_recency,
            },
        }
    }

    /// The score.
    pub fn sum(&self) -> f64 {
        self.relevance + self.recency + self.importance + self.popularity + self.used_recency
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::presets::Preset;

    const DAY: i64 = 86_400_000_000;

    #[test]
    fn a_future_entry_is_new() {
        assert_eq!(age_days(5 * DAY, DAY), 0.0);
        assert_eq!(age_days(i64::MAX, DAY), 0.0);
        assert_eq!(age_days(DAY, 3 * DAY), 2.0);
        assert!(age_days(i64::MIN, DAY) > 1e7, "an infinite age does not overflow");
    }

    #[test]
    fn each_curve_has_its_value_at_its_length() {
        assert!((recency(RecencyCurve::Exponential, 30.0, 30.0) - (-1.0f64).exp()).abs() < 1e-12);
        assert!((recency(RecencyCurve::HalfLife, 30.0, 30.0) - 0.5).abs() < 1e-12);
        assert_eq!(recency(RecencyCurve::Linear, 30.0, 45.0), 0.0);
        for curve in [RecencyCurve::Exponential, RecencyCurve::HalfLife, RecencyCurve::Linear] {
            assert_eq!(recency(curve, 30.0, 0.0), 1.0);
        }
    }

    #[test]
    fn a_score_is_what_its_formula_makes_of_relevance_and_factors() {
        let (relevance, factors) =
            (0.6, Factors { recency: 0.9, importance: 0.3, popularity: 0.8, used_recency: 0.25 });
        let weighted = [
            (0.15, factors.importance),
            (0.2, factors.recency),
            (0.1, factors.popularity),
            (0.05, factors.used_recency),
        ];
        let boosts: f64 = weighted.iter().map(|(weight, factor)| weight * factor).sum();
        for (formula, expected) in [
            (Formula::Scaled, relevance * (1.0 - 0.5 + boosts)),
            (Formula::Sum, relevance * (1.0 - 0.5) + boosts),
            (
                Formula::InTurn,
                weighted.iter().fold(relevance, |score, (weight, factor)| score * (1.0 - weight) + factor * weight),
            ),
        ] {
            let scoring = Scoring {
                formula,
                recency_boost: 0.2,
                importance_boost: 0.15,
                popularity_boost: 0.1,
                used_recency_boost: 0.05,
                ..Preset::Default.scoring()
            };
            let score = Contributions::new(&scoring, relevance, factors).sum();
            assert!((score - expected).abs() < 1e-12, "{formula:?}: {score} is not {expected}");
        }
    }

    #[test]
    fn popularity_of_an_unused_memory_is_nothing() {
        assert_eq!(popularity(PopularityCurve::Max, 100.0, 0, 0), 0.0);
        assert_eq!(popularity(PopularityCurve::Max, 100.0, 5, 10), 0.5);
        assert_eq!(popularity(PopularityCurve::Cap, 100.0, 500, 900), 1.0);
    }
}
