//! The gain of learning on questions that it did not see.

use crate::rank::scoring::Scoring;

use super::ascent::{Scores, ascend};
use super::ndcg;

/// The parts that the questions are divided into: each is ranked by weights from the other parts.
const FOLDS: usize = 5;

/// The 0.975 quantile of Student's t for as many degrees of freedom as the fewest groups leave.
const T: f64 = 2.01;

/// The mean gain of nDCG@10, with its 95 % interval. A group of questions is in one part, and counts as one
/// observation.
///
/// The parts share most of the questions that they learn from, so their gains are not independent. The variance is
/// multiplied by 1 + FOLDS / (FOLDS - 1) for that (Nadeau & Bengio, Machine Learning 52, 2003).
pub fn gain(scores: &mut Scores<'_>, group_of: &[usize], groups: usize, present: Scoring) -> (f64, (f64, f64)) {
    let before = scores.of(&present);
    let mut gains = vec![0.0; group_of.len()];
    for fold in 0..FOLDS {
        let (held_out, seen): (Vec<usize>, Vec<usize>) =
            (0..group_of.len()).partition(|&at| group_of[at] % FOLDS == fold);
        let learned = ascend(scores, present, &seen);
        let after = scores.of(&learned);
        for at in held_out {
            gains[at] = after[at] - before[at];
        }
    }
    let mean = ndcg::mean(&gains);
    let mut by_group = vec![0.0; groups];
    for (gain, &group) in gains.iter().zip(group_of) {
        by_group[group] += gain - mean;
    }
    // The variance of a mean over clusters, with the usual correction for few of them.
    let (count, groups) = (gains.len().max(1) as f64, groups.max(2) as f64);
    let variance = by_group.iter().map(|sum| sum * sum).sum::<f64>() / count.powi(2) * groups / (groups - 1.0);
    let folds = FOLDS as f64;
    let error = T * (variance * (1.0 + folds / (folds - 1.0))).sqrt();
    (mean, (mean - error, mean + error))
}
