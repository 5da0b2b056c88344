//! The strength of the evidence that an entry answers a query, on the same scale in every memory: at 0.5 there is as
//! much evidence for it as against it.
//!
//! A relevance that is only relative to the other candidates gives the best of them the greatest value, even if it does
//! not fit the question. Here the words count relative to the score of a full match of the question in this memory, and
//! meaning by its cosine. The constants were chosen once for two embedders and seven sets together: questions about
//! their own memory have a best entry above 0.5, questions about another memory one below (docs/ranking.md).

use crate::rank::cosine_distribution::USUAL_SPREAD;
use crate::rank::leading_signal::best_by_chance;
use crate::rank::signals::{Signals, WordStatistics};

/// The value of a full match of the words, relative to a cosine of 1.
const FULL_MATCH: f64 = 0.5;
/// Cosine and weighted words at which evidence is even.
const EVEN: f64 = 0.59;
/// The number of entries in a memory for which these hold. Among fewer entries, the best is less likely to be as near
/// by chance, so the same cosine is stronger evidence.
const USUAL_ENTRIES: u64 = 1000;
/// The steepness of the evidence there.
const STEEPNESS: f64 = 6.0;
/// The neutral value of a signal that was not used: a cosine, and a share of a full match.
const UNASKED_COSINE: f64 = 0.385;
const UNASKED_WORDS: f64 = 0.33;

/// Evidence by the signals of a candidate, 0..1.
pub struct Evidence {
    words: Option<WordStatistics>,
    /// The difference of the expected best cosine by chance from that among [`USUAL_ENTRIES`].
    less_by_chance: f64,
    asks_meaning: bool,
}

impl Evidence {
    /// For a search. `words`: `None` if the search is not by words.
    pub fn by(words: Option<WordStatistics>) -> Evidence {
        let entries = words.map_or(USUAL_ENTRIES, |words| words.entries.min(USUAL_ENTRIES));
        let less_by_chance = USUAL_SPREAD * (best_by_chance(USUAL_ENTRIES) - best_by_chance(entries));
        Evidence { words, less_by_chance, asks_meaning: true }
    }

    /// The evidence by the signals that have a weight.
    pub fn of_weighted(mut self, has_meaning: bool, has_words: bool) -> Evidence {
        self.asks_meaning = has_meaning;
        self.words = self.words.filter(|_| has_words);
        self
    }

    /// For a candidate.
    pub fn of(&self, signals: &Signals) -> f64 {
        let cosine =
            signals.cosine.filter(|_| self.asks_meaning).map_or(UNASKED_COSINE, |cosine| cosine + self.less_by_chance);
        let words = match self.words {
            Some(WordStatistics { full_match, .. }) if full_match > 0.0 => {
                (signals.words.unwrap_or(0.0) / full_match).min(1.0)
            }
            _ => UNASKED_WORDS,
        };
        1.0 / (1.0 + (-STEEPNESS * (cosine + FULL_MATCH * words - EVEN)).exp())
    }

    /// The strongest among candidates; 0 if there are none.
    pub fn strongest(&self, candidates: &[Signals]) -> f64 {
        candidates.iter().map(|signals| self.of(signals)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WORDS: Option<WordStatistics> = Some(WordStatistics { entries: 5_000, full_match: 10.0, conversation: 0.0 });

    fn signals(cosine: f64, words: f64) -> Signals {
        Signals { cosine: Some(cosine), bm25: Some(words), words: Some(words), ..Signals::default() }
    }

    fn evidence(cosine: f64, words: f64) -> f64 {
        let one = signals(cosine, words);
        Evidence::by(WORDS).of(&one)
    }

    #[test]
    fn a_signal_without_weight_is_neither_for_nor_against() {
        let all = signals(0.1, 10.0);
        let by_meaning = Evidence::by(WORDS).of_weighted(true, false).of(&all);
        let by_words = Evidence::by(WORDS).of_weighted(false, true).of(&all);
        assert!(by_meaning < 0.2 && by_words > 0.8, "{by_meaning} {by_words}");
    }

    #[test]
    fn nothing_in_common_is_no_evidence_and_a_full_match_is() {
        assert!(evidence(0.02, 0.0) < 0.1);
        assert!(evidence(0.6, 10.0) > 0.9);
        assert!(evidence(0.35, 1.0) < 0.5 && evidence(0.45, 5.0) > 0.5);
    }

    #[test]
    fn of_few_entries_the_same_cosine_says_more() {
        let of = |entries: u64| {
            let one = signals(0.4, 1.0);
            Evidence::by(Some(WordStatistics { entries, full_match: 10.0, conversation: 0.0 })).of(&one)
        };
        assert!(of(3) > of(100) && of(100) > of(1_000));
        assert_eq!(
            of(1_000),
            of(1_000_000),
            "a large memory is no reason for doubt: what answers is near there as well"
        );
    }

    #[test]
    fn more_than_a_full_match_is_a_full_match() {
        assert_eq!(evidence(0.4, 10.0), evidence(0.4, 25.0));
    }

    #[test]
    fn a_signal_that_was_not_asked_speaks_neither_for_nor_against() {
        let by_words = Signals { cosine: None, ..signals(0.0, 4.0) };
        let by_meaning = Signals { cosine: Some(0.42), ..Signals::default() };
        let words = Evidence::by(WORDS).of(&by_words);
        let meaning = Evidence::by(None).of(&by_meaning);
        assert!((words - 0.5).abs() < 0.01 && (meaning - 0.5).abs() < 0.01, "{words} {meaning}");
    }

    proptest! {
        #[test]
        fn evidence_stays_in_its_range_and_more_of_a_signal_never_lowers_it(
            cosine in -1.0..1.0f64, words in 0.0..30.0f64, more in 0.0..0.5f64, entries in 1..10_000u64,
        ) {
            let all = [signals(cosine, words), signals((cosine + more).min(1.0), words), signals(cosine, words + more)];
            let evidence = Evidence::by(Some(WordStatistics { entries, full_match: 10.0, conversation: 0.0 }));
            let of = |at: usize| evidence.of(&all[at]);
            prop_assert!((0.0..=1.0).contains(&of(0)));
            prop_assert!(of(1) >= of(0) && of(2) >= of(0));
        }
    }
}
