//! Coordinate ascent: one weight after the other takes the value that is best with the others as they are (Metzler &
//! Croft, Information Retrieval 2007). It needs no gradient, which nDCG lacks.

use std::collections::HashMap;
use std::rc::Rc;

use crate::interrupt::Tick;
use crate::rank::scoring::Scoring;

use super::judged::JudgedQuestion;
use super::parameters::{self, COUNT};

/// The most rounds over all weights.
const ROUNDS: usize = 4;

/// The mean gain for which a weight is changed: the present value is kept where the questions say little.
const LEAST_GAIN: f64 = 0.001;

/// nDCG@10 of each question by scorings, computed once for each scoring.
pub struct Scores<'a> {
    questions: &'a [JudgedQuestion],
    known: HashMap<[u64; COUNT], Rc<[f64]>>,
    tick: Tick<'a>,
}

impl<'a> Scores<'a> {
    /// The scores of these questions.
    pub fn new(questions: &'a [JudgedQuestion], tick: Tick<'a>) -> Self {
        Scores { questions, known: HashMap::new(), tick }
    }

    /// For each question, by one scoring. All scorings that are asked about differ in the parameters alone.
    pub fn of(&mut self, scoring: &Scoring) -> Rc<[f64]> {
        let key = std::array::from_fn(|at| (parameters::ALL[at].value)(scoring).to_bits());
        if let Some(known) = self.known.get(&key) {
            return Rc::clone(known);
        }
        let (questions, tick) = (self.questions, self.tick);
        let scores: Rc<[f64]> = questions
            .iter()
            .map(|question| {
                tick();
                question.ndcg(scoring)
            })
            .collect();
        self.known.insert(key, Rc::clone(&scores));
        scores
    }
}

/// The best scoring for some of the questions, beginning with `start`.
pub fn ascend(scores: &mut Scores<'_>, start: Scoring, of: &[usize]) -> Scoring {
    let mean = |scores: &[f64]| of.iter().map(|&at| scores[at]).sum::<f64>() / of.len().max(1) as f64;
    let (mut best, mut best_mean) = (start, mean(&scores.of(&start)));
    for _ in 0..ROUNDS {
        let before = best;
        for parameter in &parameters::ALL {
            let (mut better, mut better_mean) = (best, best_mean + LEAST_GAIN);
            for &value in parameter.values {
                let mut tried = best;
                (parameter.set)(&mut tried, value);
                if tried == best || tried.check_boosts().is_err() {
                    continue;
                }
                let tried_mean = mean(&scores.of(&tried));
                if tried_mean > better_mean {
                    (better, better_mean) = (tried, tried_mean);
                }
            }
            if better != best {
                (best, best_mean) = (better, better_mean);
            }
        }
        if best == before {
            break;
        }
    }
    best
}
