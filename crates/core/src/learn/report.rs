//! The result of learning, as JSON, and the scoring that it proposes.

use serde_json::{Map, Value, json};

use crate::rank::scoring::Scoring;

use super::parameters::{self, Change};

/// The groups of questions without which nothing is learned: of fewer, a single one moves the mean by more than 0.02.
pub const LEAST_QUESTIONS: usize = 50;

/// The result of learning in a word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verdict {
    /// Other weights are better on questions that did not choose them.
    Learned,
    /// No other weights are certainly better.
    NoGain,
    /// There are fewer groups of questions than [`LEAST_QUESTIONS`].
    #[default]
    TooFewQuestions,
}

impl Verdict {
    /// Its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Learned => "learned",
            Verdict::NoGain => "no gain",
            Verdict::TooFewQuestions => "too few questions",
        }
    }
}

/// The result of learning.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learned {
    /// The result in a word.
    pub verdict: Verdict,
    /// The judgements that were given.
    pub given: usize,
    /// The judgements from which something can be learned.
    pub used: usize,
    /// The groups that these form: questions of the same words, or with the same helpful entry, are in one.
    pub different: usize,
    /// Mean nDCG@10 by the present scoring.
    pub before: f64,
    /// The mean gain by other weights, on questions that did not choose them.
    pub gain: f64,
    /// The 95 % interval of the gain.
    pub interval: (f64, f64),
    /// The options that get other values; none unless the verdict is [`Verdict::Learned`].
    pub changes: Vec<Change>,
}

impl Learned {
    /// Whether a scoring has the values that were learned.
    pub fn is_said_by(&self, scoring: &Scoring) -> bool {
        self.changes.iter().all(|change| parameters::value(scoring, change.option) == Some(change.after))
    }

    /// The store's scoring with the changes, as JSON for [`crate::request::store_ranking::StoreRanking::parse`];
    /// `present` is its present text. Values that were not learned stay.
    pub fn ranking(&self, present: Option<&str>) -> Value {
        let present = present.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
        let mut ranking = present.unwrap_or_default();
        for change in &self.changes {
            let Some((object, key)) = change.option.split_once('.') else { continue };
            let inner = ranking.entry(object).or_insert_with(|| json!({}));
            // A given share of words would contradict the new share of meaning; null is no object.
            if object == "weights" || !inner.is_object() {
                *inner = json!({});
            }
            if let Some(inner) = inner.as_object_mut() {
                inner.insert(key.to_owned(), json!(change.after));
            }
        }
        Value::Object(ranking)
    }

    /// The report.
    pub fn json(&self, present: Option<&str>, is_applied: bool) -> Value {
        let rounded = |value: f64| json!((value * 1e4).round() / 1e4);
        let is_measured = self.verdict != Verdict::TooFewQuestions;
        let is_learned = self.verdict == Verdict::Learned;
        let change = |change: &Change| json!({"option": change.option, "before": change.before, "after": change.after});
        json!({
            "verdict": self.verdict.name(),
            "judgements": self.given,
            "used": self.used,
            "different": self.different,
            "needed": LEAST_QUESTIONS,
            "before": (self.used > 0).then(|| rounded(self.before)),
            "gain": is_measured.then(|| rounded(self.gain)),
            "interval": is_measured.then(|| [rounded(self.interval.0), rounded(self.interval.1)]),
            "changes": self.changes.iter().map(change).collect::<Vec<_>>(),
            "ranking": is_learned.then(|| self.ranking(present)),
            "applied": is_applied,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::store_ranking::StoreRanking;

    #[test]
    fn the_proposed_scoring_keeps_what_was_not_learned_and_can_be_read() {
        let change = |option, after| Change { option, before: 0.5, after };
        let learned = Learned {
            verdict: Verdict::Learned,
            changes: vec![change("weights.semantic", 0.7), change("boosts.recency", 0.2)],
            ..Learned::default()
        };
        let present = r#"{"weights": {"keyword": 0.4}, "boosts": {"popularity": 0.1}, "recency": {"curve": "linear"}}"#;
        let ranking = learned.ranking(Some(present));
        let expected = json!({"weights": {"semantic": 0.7}, "boosts": {"popularity": 0.1, "recency": 0.2},
                              "recency": {"curve": "linear"}});
        assert_eq!(ranking, expected);
        let read = StoreRanking::parse(&ranking.to_string()).unwrap().scoring;
        assert_eq!((read.semantic_weight, read.recency_boost, read.popularity_boost), (0.7, 0.2, 0.1));
        let nulls = learned.ranking(Some(r#"{"weights": null, "boosts": null}"#));
        assert_eq!(nulls, learned.ranking(None));
        assert_eq!(learned.ranking(None), json!({"weights": {"semantic": 0.7}, "boosts": {"recency": 0.2}}));
    }
}
