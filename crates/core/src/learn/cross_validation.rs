//! How much learning gains on questions that it did not see.

use std::collections::HashMap;

use crate::rank::scoring::Scoring;

use super::ascent::{Scores, ascend};
use super::judged::JudgedQuestion;
use super::ndcg;

/// The parts that the questions are divided into: each is ranked by weights from the other parts.
const FOLDS: usize = 5;

/// The quantile of the normal distribution for a 95 % interval.
const Z: f64 = 1.96;

/// The mean gain of nDCG@10, with its 95 % interval. Equal questions are in one part, and count as one observation for
/// the interval: else a question that is asked every day would foretell itself.
pub fn gain(scores: &mut Scores<'_>, questions: &[JudgedQuestion], present: Scoring) -> (f64, (f64, f64)) {
    let group_of = groups(questions);
    let before = scores.of(&present);
    let mut gains = vec![0.0; questions.len()];
    for fold in 0..FOLDS {
        let (held_out, seen): (Vec<usize>, Vec<usize>) =
            (0..questions.len()).partition(|&at| group_of[at] % FOLDS == fold);
        let learned = ascend(scores, present, &seen);
        let after = scores.of(&learned);
        for at in held_out {
            gains[at] = after[at] - before[at];
        }
    }
    let mean = ndcg::mean(&gains);
    let mut by_group = vec![0.0; group_of.iter().max().map_or(0, |last| last + 1)];
    for (at, gain) in gains.iter().enumerate() {
        by_group[group_of[at]] += gain - mean;
    }
    let groups = by_group.len() as f64;
    // The variance of a mean over clusters, with the usual correction for few of them.
    let variance = by_group.iter().map(|sum| sum * sum).sum::<f64>() / (gains.len().max(1) as f64).powi(2);
    let error = if groups > 1.0 { (variance * groups / (groups - 1.0)).sqrt() } else { f64::INFINITY };
    (mean, (mean - Z * error, mean + Z * error))
}

/// The number of each question among the different ones, without regard to case and blanks around it.
fn groups(questions: &[JudgedQuestion]) -> Vec<usize> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    questions
        .iter()
        .map(|question| {
            let next = numbers.len();
            *numbers.entry(question.query.trim().to_lowercase()).or_insert(next)
        })
        .collect()
}
