//! Properties that lift an entry beside its words and its meaning: the question names its author, or its time of
//! creation, or it has enough text to answer. Each is a factor in 0..1 with a weight. Together they lift an entry above
//! others that are as relevant, and never make an irrelevant one relevant.
//!
//! Measured on conversations that were not used to choose the constants (docs/ranking.md).

use std::collections::HashMap;

use crate::rank::candidate::Candidate;
use crate::rank::scoring::Scoring;
use crate::text::named_author::QuestionWords;
use crate::text::named_period::{NamedPeriod, named_times};
use crate::timestamp::Micros;

/// An author of fewer candidates than this is none: the text before a colon is then not the name of a speaker.
const LEAST_SHARE: f64 = 0.05;
const LEAST_ENTRIES: usize = 2;
/// Bytes of a text of ordinary length in a conversation.
const USUAL_BYTES: f64 = 60.0;
/// Length counts as a logarithm to this base ...
const LENGTH_BASE: f64 = 4.0;
/// ... up to this many steps below and above the usual one: from 10 bytes to 360.
const LENGTH_STEPS: f64 = 1.3;

/// The author and the time that a question names.
#[derive(Debug, Clone, Default)]
pub struct Question {
    words: QuestionWords,
    periods: Vec<NamedPeriod>,
}

impl Question {
    /// From the text of a query, at `now`.
    pub fn of(text: &str, now: Micros) -> Question {
        let times = named_times(text, now);
        Question { words: QuestionWords::of(text, &times.places), periods: times.periods }
    }
}

/// The factors of one entry, each 0..1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Lifts {
    /// 1 if the question names the author.
    pub author: f64,
    /// 1 if the question names the time of creation.
    pub date: f64,
    /// Grows with the length of the text.
    pub length: f64,
}

/// The factors of candidates, and their effect on relevance.
pub struct LiftOf {
    of_each: Vec<Lifts>,
    weights: Lifts,
    /// The sum of 1 and the weights of the lifts that apply in this search.
    most: f64,
}

impl LiftOf {
    /// For the candidates of a question.
    pub fn candidates(question: &Question, scoring: &Scoring, candidates: &[Candidate]) -> LiftOf {
        let mut entries_of: HashMap<&str, usize> = HashMap::new();
        for author in candidates.iter().filter_map(|candidate| candidate.author.as_deref()) {
            *entries_of.entry(author).or_default() += 1;
        }
        let least = (LEAST_SHARE * candidates.len() as f64).max(LEAST_ENTRIES as f64);
        let authors = entries_of.into_iter().filter(|&(_, entries)| entries as f64 >= least).map(|(author, _)| author);
        let named = question.words.named_among(authors);
        let of = |candidate: &Candidate| Lifts {
            author: f64::from(candidate.author.as_deref().is_some_and(|author| named.contains(author))),
            date: f64::from(question.periods.iter().any(|period| period.holds(candidate.created))),
            length: candidate.text_bytes.map_or(0.0, length),
        };
        let of_each: Vec<Lifts> = candidates.iter().map(of).collect();
        let speaks = |factor: fn(&Lifts) -> f64| f64::from(of_each.iter().any(|lifts| factor(lifts) > 0.0));
        let weights = Lifts {
            author: scoring.author_boost * speaks(|lifts| lifts.author),
            date: scoring.date_boost * speaks(|lifts| lifts.date),
            length: scoring.length_boost * speaks(|lifts| lifts.length),
        };
        LiftOf { of_each, weights, most: 1.0 + weights.author + weights.date + weights.length }
    }

    /// The factors of a candidate, and the factor on its relevance: 1 for a candidate to which all lifts apply.
    pub fn of(&self, candidate: usize) -> (Lifts, f64) {
        let (lifts, weights) = (self.of_each[candidate], self.weights);
        let sum = lifts.author * weights.author + lifts.date * weights.date + lifts.length * weights.length;
        (lifts, ((1.0 + sum) / self.most).min(1.0))
    }
}

fn length(bytes: u32) -> f64 {
    let steps = (f64::from(bytes.max(1)) / USUAL_BYTES).ln() / LENGTH_BASE.ln();
    (steps.clamp(-LENGTH_STEPS, LENGTH_STEPS) + LENGTH_STEPS) / (2.0 * LENGTH_STEPS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::request::presets::Preset;

    const NOW: Micros = 1_715_767_200_000_000; // 2024-05-15T10:00:00Z
    const DAY: Micros = 86_400_000_000;

    fn candidate(author: Option<&str>, days_ago: i64, bytes: u32) -> Candidate {
        Candidate {
            author: author.map(str::to_owned),
            created: NOW - days_ago * DAY,
            text_bytes: Some(bytes),
            ..Candidate::default()
        }
    }

    fn lifts(question: &str, candidates: &[Candidate]) -> Vec<(Lifts, f64)> {
        let scoring = Preset::Default.scoring();
        let of = LiftOf::candidates(&Question::of(question, NOW), &scoring, candidates);
        (0..candidates.len()).map(|at| of.of(at)).collect()
    }

    #[test]
    fn who_is_named_is_lifted_and_nobody_else() {
        let all = ["Ana", "Ana", "Ben", "Ben"].map(|name| candidate(Some(name), 5, 60));
        let found = lifts("What did Ana paint?", &all);
        assert_eq!(found.iter().map(|(lifts, _)| lifts.author).collect::<Vec<_>>(), [1.0, 1.0, 0.0, 0.0]);
        assert!(found[0].1 > 1.3 * found[2].1);
        let nobody = lifts("What was painted?", &all);
        assert!(nobody.iter().all(|(lifts, by)| lifts.author == 0.0 && *by == nobody[0].1));
    }

    #[test]
    fn who_shares_a_name_with_whom_the_question_names_in_full_is_not_lifted() {
        let all = ["Ana Smith", "Ana Smith", "Ana Jones", "Ana Jones"].map(|name| candidate(Some(name), 5, 60));
        let authors = |question| lifts(question, &all).iter().map(|(lifts, _)| lifts.author).collect::<Vec<_>>();
        assert_eq!(authors("What did Ana Smith paint?"), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(authors("What did Ana paint?"), [1.0; 4]);
    }

    #[test]
    fn what_stands_before_a_colon_once_is_no_author() {
        let mut all = vec![candidate(Some("Ana"), 5, 60); 39];
        all.push(candidate(Some("Note"), 5, 60));
        assert_eq!(lifts("who wrote that note to Ana", &all)[39].0.author, 0.0);
    }

    #[test]
    fn what_was_created_when_the_question_says_is_lifted() {
        let found = lifts("what happened last week?", &[candidate(None, 8, 60), candidate(None, 40, 60)]);
        assert_eq!((found[0].0.date, found[1].0.date), (1.0, 0.0));
        assert!(found[0].1 > 1.5 * found[1].1);
    }

    #[test]
    fn length_helps_a_little_and_up_to_a_bound() {
        let found = lifts("why", &[5, 10, 60, 364, 9_000].map(|bytes| candidate(None, 1, bytes)));
        let by: Vec<f64> = found.iter().map(|(_, by)| *by).collect();
        assert_eq!((by[0], by[4]), (by[1].min(by[0]), 1.0));
        assert!(by[1] < by[2] && by[2] < by[3] && by[4] / by[0] < 1.31, "{by:?}");
    }

    proptest! {
        #[test]
        fn a_lift_is_at_most_one_and_never_takes_all(
            names in proptest::collection::vec((proptest::option::of("[a-c]{2}"), 0..400i64, 0..10_000u32), 1..40),
            question in "(aa|bb|cc|last week|yesterday|in May| )*",
        ) {
            let all: Vec<Candidate> = names.iter().map(|(name, days, bytes)| candidate(name.as_deref(), *days, *bytes)).collect();
            for (_, by) in lifts(&question, &all) {
                prop_assert!(by > 0.3 && by <= 1.0, "{by}");
            }
        }
    }
}
