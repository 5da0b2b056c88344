//! Learns the scoring of a store from questions whose helpful entries are known.
//!
//! A few weights are fitted by coordinate ascent over a grid, so that nDCG@10 of the questions becomes greatest.
//! Cross-validation measures the gain: each question is ranked by weights that other questions gave. A gain
//! counts if its 95 % interval lies above 0.

mod ascent;
mod cross_validation;
mod groups;
mod judged;
mod ndcg;
mod parameters;
mod report;

pub use judged::JudgedQuestion;
pub use parameters::Change;
pub use report::{LEAST_QUESTIONS, Learned, Verdict};

use crate::interrupt::Tick;
use crate::rank::scoring::Scoring;

/// Learns from the questions, beginning with the store's present scoring. `given` is the number of judgements, also of
/// those that cannot be used, because none of their helpful entries is among the candidates.
pub fn learn(questions: &[JudgedQuestion], given: usize, present: Scoring, tick: Tick<'_>) -> Learned {
    let mut scores = ascent::Scores::new(questions, tick);
    let before = ndcg::mean(&scores.of(&present));
    let (group_of, different) = groups::of(questions);
    let mut learned = Learned { given, used: questions.len(), different, before, ..Learned::default() };
    if different < LEAST_QUESTIONS {
        return learned;
    }
    let all: Vec<usize> = (0..questions.len()).collect();
    let (gain, interval) = cross_validation::gain(&mut scores, &group_of, different, present);
    (learned.gain, learned.interval) = (gain, interval);
    learned.verdict = Verdict::NoGain;
    let best = ascent::ascend(&mut scores, present, &all);
    let changes = parameters::changes(&present, &best);
    if interval.0 > 0.0 && !changes.is_empty() {
        learned.verdict = Verdict::Learned;
        learned.changes = changes;
    }
    learned
}

#[cfg(test)]
mod tests;
