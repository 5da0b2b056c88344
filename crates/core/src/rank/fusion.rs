//! Fusion: how the semantic and the keyword signal of candidates become one relevance in 0..1. Words that a candidate
//! lacks contribute nothing; if it lacks an embedding, its words replace it.
//!
//! The candidates are ordered by the weighted sum of both signals, each on a scale from the candidates. The height of
//! that scale comes from the evidence ([`crate::rank::evidence`]): the best candidate has the value of the strongest
//! evidence.

use crate::rank::choices::Fusion;
use crate::rank::evidence::Evidence;
use crate::rank::leading_signal::{NearestCosines, keyword_lead};
use crate::rank::signals::{Signals, WordStatistics};

/// Rank constant of reciprocal rank fusion (Cormack, Clarke & Büttcher, SIGIR 2009).
const RRF_K: f64 = 60.0;
/// The value of a candidate's words in place of a missing embedding: an entry with the same words is usually near, too.
/// If it counted as far, it would come after all entries that have an embedding, although plain SQL or a queue left it
/// without one. Over seven sets and two embedders 0.7 to 0.9 are about equally good: without a tenth of the embeddings
/// nDCG@10 changes by -0.02 to +0.03, without half of them by +0.02 to +0.21 (ADR 0026).
const WORDS_FOR_MEANING: f64 = 0.8;
/// The least width of the scale of meaning, in standard deviations of unrelated cosines: among entries that are almost
/// equally near, none is far.
const LEAST_REACH: f64 = 2.5;

/// The result of fusion for one candidate's signals.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Fused {
    /// The semantic signal on a scale of 0..1 (for [`Fusion::Plain`] the cosine itself), or its replacement.
    pub semantic: Option<f64>,
    /// The keyword signal on a scale of 0..1.
    pub keyword: Option<f64>,
    /// The weight that the semantic signal had.
    pub semantic_weight: f64,
    /// The factor on that weight if both signals agree less than they usually do (see [`crate::rank::agreement`]).
    pub agreement: Option<f64>,
    /// The weight that the keyword signal had.
    pub keyword_weight: f64,
    /// The factor on the weighted sum of both.
    pub scale: f64,
    /// Their weighted sum on the scale of the evidence, 0..1.
    pub relevance: f64,
    /// The candidate's own evidence as a share of the strongest, if some candidates have an embedding and others have
    /// none: then the nearest may be far from the question, although it looks near on the scale of the candidates.
    pub own_share: Option<f64>,
}

/// The weights of the signals, which sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// The weight of meaning.
    pub semantic: f64,
    /// The weight of words.
    pub keyword: f64,
    /// Whether the signal that stands out counts more.
    pub adapt: bool,
}

impl Weights {
    fn led_by(self, semantic_lead: f64, keyword_lead: f64) -> (f64, f64) {
        let (semantic, keyword) = (self.semantic * semantic_lead, self.keyword * keyword_lead);
        let total = semantic + keyword;
        if self.adapt && total > 0.0 { (semantic / total, keyword / total) } else { (self.semantic, self.keyword) }
    }
}

/// Fuses all candidates of a search; if only one signal is used, its weight is 1. `words`: `None` if the search is not
/// by words.
pub fn fuse(method: Fusion, weights: Weights, words: Option<WordStatistics>, all: &[Signals]) -> Vec<Fused> {
    let nearest = NearestCosines::of(all, words);
    let mut semantic: Vec<Option<f64>> = match method {
        Fusion::Plain => all.iter().map(|signals| signals.cosine).collect(),
        Fusion::Rescored => below_best(all.iter().map(|signals| signals.cosine), LEAST_REACH * nearest.spread),
        Fusion::Weighted => min_max(all.iter().map(|signals| signals.semantic_rank.and(signals.cosine))),
        Fusion::Rrf => all.iter().map(|signals| signals.semantic_rank.map(reciprocal)).collect(),
    };
    let keyword: Vec<Option<f64>> = match method {
        Fusion::Plain | Fusion::Rescored => by_maximum(all.iter().map(|signals| signals.words)),
        Fusion::Weighted => by_maximum(all.iter().map(|signals| signals.keyword_rank.and(signals.words))),
        Fusion::Rrf => all.iter().map(|signals| signals.keyword_rank.map(reciprocal)).collect(),
    };
    let (semantic_weight, keyword_weight) = match method {
        Fusion::Rescored => {
            let semantic_lead = nearest.lead * nearest.agreement;
            weights.led_by(semantic_lead, keyword_lead(words, all, semantic_lead))
        }
        _ => (weights.semantic, weights.keyword),
    };
    let is_led = method == Fusion::Rescored && weights.adapt && weights.semantic > 0.0 && weights.keyword > 0.0;
    let agreement = (is_led && nearest.agreement < 1.0).then_some(nearest.agreement);
    if method == Fusion::Rescored && keyword_weight > 0.0 && semantic.iter().any(Option::is_some) {
        for (semantic, keyword) in semantic.iter_mut().zip(&keyword) {
            *semantic = semantic.or(keyword.map(|keyword| WORDS_FOR_MEANING * keyword));
        }
    }
    let sum = |semantic: &Option<f64>, keyword: &Option<f64>| {
        semantic_weight * semantic.unwrap_or(0.0) + keyword_weight * keyword.unwrap_or(0.0)
    };
    // A signal that is there and has no weight is none of the evidence either; words that no entry holds are.
    let has_words = all.iter().any(|signals| signals.words.is_some());
    let evidence = Evidence::by(words).of_weighted(semantic_weight > 0.0, keyword_weight > 0.0 || !has_words);
    let strongest = evidence.strongest(all);
    let has_meaning = |signals: &Signals| signals.cosine.is_some();
    let some_lack_meaning = all.iter().any(has_meaning) && !all.iter().all(has_meaning);
    let own_share = |signals: &Signals| {
        let is_asked = some_lack_meaning && method != Fusion::Plain && strongest > 0.0;
        is_asked.then(|| evidence.of(signals) / strongest)
    };
    let scale = match method {
        Fusion::Plain => 1.0,
        _ => {
            let best =
                semantic.iter().zip(&keyword).map(|(semantic, keyword)| sum(semantic, keyword)).fold(0.0, f64::max);
            if best > 0.0 { strongest / best } else { 0.0 }
        }
    };
    semantic
        .into_iter()
        .zip(keyword)
        .zip(all)
        .map(|((semantic, keyword), signals)| Fused {
            semantic,
            keyword,
            semantic_weight,
            agreement,
            keyword_weight,
            scale,
            relevance: scale * sum(&semantic, &keyword),
            own_share: own_share(signals),
        })
        .collect()
}

/// 1/(k + rank), scaled so that rank 1 is 1.
fn reciprocal(rank: usize) -> f64 {
    (RRF_K + 1.0) / (RRF_K + rank as f64)
}

/// Scales the least value to 0 and the greatest to 1; if all are equal, to 1.
fn min_max(values: impl Iterator<Item = Option<f64>> + Clone) -> Vec<Option<f64>> {
    let (low, high) = values.clone().flatten().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
    values.map(|value| value.map(|v| if high > low { (v - low) / (high - low) } else { 1.0 })).collect()
}

/// The distance of each value from the greatest, which becomes 1; the least, or the value `reach` below, becomes 0.
fn below_best(values: impl Iterator<Item = Option<f64>> + Clone, reach: f64) -> Vec<Option<f64>> {
    let (low, high) = values.clone().flatten().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
    let reach = reach.max(high - low);
    values.map(|value| value.map(|v| 1.0 - (high - v) / reach)).collect()
}

/// Divided by the greatest. BM25 has a true zero, so nothing is subtracted.
fn by_maximum(values: impl Iterator<Item = Option<f64>> + Clone) -> Vec<Option<f64>> {
    let high = values.clone().flatten().fold(0.0, f64::max);
    values.map(|value| value.map(|v| if high > 0.0 { v / high } else { 0.0 })).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rank::cosine_distribution::USUAL_SPREAD;
    use crate::rank::leading_signal::best_by_chance;

    fn signals(cosine: Option<f64>, bm25: Option<f64>) -> Signals {
        Signals { cosine, bm25, words: bm25, semantic_rank: cosine.map(|_| 1), keyword_rank: bm25.map(|_| 1) }
    }

    const EVEN: Weights = Weights { semantic: 0.5, keyword: 0.5, adapt: true };
    const WORDS: Option<WordStatistics> = Some(WordStatistics { entries: 3, full_match: 8.0, conversation: 0.0 });

    #[test]
    fn rescored_is_the_formula_of_the_evaluation_on_the_scale_of_the_evidence() {
        let all = [signals(Some(0.9), Some(2.0)), signals(Some(0.5), Some(8.0)), signals(Some(0.7), None)];
        let fused = fuse(Fusion::Rescored, EVEN, WORDS, &all);
        let relevance: Vec<f64> = fused.iter().map(|f| f.relevance).collect();
        let by_chance = USUAL_SPREAD * (best_by_chance(1_000) - best_by_chance(3));
        let strongest = 1.0 / (1.0 + (-6.0 * (0.9 + by_chance + 0.5 * 0.25 - 0.59f64)).exp());
        for (got, expected) in relevance.iter().zip([0.5 + 0.125, 0.5, 0.25]) {
            assert!((got - expected / 0.625 * strongest).abs() < 1e-12, "{relevance:?}");
        }
    }

    #[test]
    fn where_meaning_leads_and_no_entry_holds_the_question_words_count_less() {
        // The nearest, by words as good as the rest, stands out of 75 that hold from 6 to 7 of 10 of the question.
        let all = |nearest: f64| -> Vec<Signals> {
            let cosine = |row: u8| if row == 0 { nearest } else { 0.45 - 0.001 * f64::from(row) };
            (0..75).map(|row| signals(Some(cosine(row)), Some(7.0 - f64::from(row) / 75.0))).collect()
        };
        let words = WordStatistics { entries: 5_000, full_match: 10.0, conversation: 0.0 };
        let share_of_words = |nearest: f64| {
            let all = all(nearest);
            let fused = fuse(Fusion::Rescored, EVEN, Some(words), &all)[0];
            assert_eq!(fused.agreement, None);
            (fused.keyword_weight / fused.semantic_weight, NearestCosines::of(&all, Some(words)).lead)
        };
        let (odds, lead) = share_of_words(0.95);
        assert!(lead > 4.0 / 3.0 && (odds - 0.7 / 0.8 / lead).abs() < 1e-9, "{odds} {lead}");
        let (odds, lead) = share_of_words(0.46);
        assert!(lead < 1.0 && (odds - 1.0 / lead).abs() < 1e-9, "{odds} {lead}");
    }

    #[test]
    fn an_entry_that_waits_for_its_embedding_comes_before_those_that_are_only_the_nearest() {
        let all = [signals(Some(0.1), None), signals(None, Some(8.0)), signals(Some(0.6), Some(8.0))];
        let fused = fuse(Fusion::Rescored, EVEN, WORDS, &all);
        assert!(fused[2].relevance > fused[1].relevance && fused[1].relevance > 1.5 * fused[0].relevance, "{fused:?}");
        assert_eq!(fused[1].semantic, Some(0.8));
        // If no candidate has an embedding, or words do not count, missing embeddings are not replaced.
        assert_eq!(fuse(Fusion::Rescored, EVEN, WORDS, &all[1..2])[0].semantic, None);
        let by_meaning = Weights { semantic: 1.0, keyword: 0.0, adapt: false };
        assert_eq!(fuse(Fusion::Rescored, by_meaning, WORDS, &all)[1].relevance, 0.0);
    }

    #[test]
    fn of_two_good_entries_none_is_worth_nothing() {
        let fused = fuse(Fusion::Rescored, EVEN, None, &[signals(Some(0.295), None), signals(Some(0.293), None)]);
        assert!(fused[1].relevance > 0.99 * fused[0].relevance, "{fused:?}");
    }

    #[test]
    fn what_has_nothing_to_do_with_the_question_is_not_relevant_for_being_the_best() {
        let words = Some(WordStatistics { entries: 1, full_match: 12.0, conversation: 0.0 });
        assert!(fuse(Fusion::Rescored, EVEN, words, &[signals(Some(0.03), None)])[0].relevance < 0.3);
    }

    #[test]
    fn words_that_no_entry_holds_speak_against_all_even_where_words_have_no_weight() {
        let by_meaning = Weights { semantic: 1.0, keyword: 0.0, adapt: false };
        let relevance = |all: &[Signals]| fuse(Fusion::Rescored, by_meaning, WORDS, all)[0].relevance;
        let without_words = signals(Some(0.5), None);
        let evidence = |has_words| Evidence::by(WORDS).of_weighted(true, has_words).of(&without_words);
        assert!(evidence(true) < evidence(false));
        assert_eq!(relevance(&[without_words]), evidence(true));
        assert_eq!(relevance(&[without_words, signals(Some(0.1), Some(2.0))]), evidence(false));
    }

    #[test]
    fn reciprocal_ranks_forget_the_scores() {
        let at = |semantic_rank, keyword_rank| Signals {
            cosine: Some(0.1),
            bm25: Some(0.1),
            words: Some(0.1),
            semantic_rank,
            keyword_rank,
        };
        let fused = fuse(Fusion::Rrf, EVEN, None, &[at(Some(1), Some(1)), at(Some(2), None)]);
        assert!((fused[1].relevance / fused[0].relevance - 0.5 * 61.0 / 62.0).abs() < 1e-12);
        assert_eq!(fused[1].keyword, None);
    }

    #[test]
    fn weighted_ignores_a_signal_outside_its_own_hits() {
        let outside = Signals {
            cosine: Some(0.9),
            bm25: Some(1.0),
            words: Some(1.0),
            semantic_rank: None,
            keyword_rank: Some(1),
        };
        let fused = fuse(Fusion::Weighted, EVEN, None, &[outside, signals(Some(0.2), None)]);
        assert_eq!(fused[0].semantic, None);
        assert_eq!(fused[1].semantic, Some(1.0));
    }

    fn case() -> impl Strategy<Value = Signals> {
        (proptest::option::of(-1.0..1.0f64), proptest::option::of(0.01..30.0f64)).prop_map(|(c, b)| signals(c, b))
    }

    proptest! {
        #[test]
        fn relevance_stays_in_its_range(all in proptest::collection::vec(case(), 1..30), weight in 0.0..=1.0f64) {
            for method in [Fusion::Rescored, Fusion::Weighted, Fusion::Rrf] {
                let weights = Weights { semantic: weight, keyword: 1.0 - weight, adapt: true };
                for fused in fuse(method, weights, WORDS, &all) {
                    prop_assert!((0.0..=1.0 + 1e-12).contains(&fused.relevance), "{:?}", fused);
                }
            }
        }

        #[test]
        fn a_greater_signal_never_lowers_relevance(all in proptest::collection::vec(case(), 2..30), weight in 0.0..=1.0f64) {
            let weights = Weights { semantic: weight, keyword: 1.0 - weight, adapt: true };
            let fused = fuse(Fusion::Rescored, weights, WORDS, &all);
            for (a, fa) in all.iter().zip(&fused) {
                for (b, fb) in all.iter().zip(&fused) {
                    if a.cosine.is_some() == b.cosine.is_some() && a.cosine >= b.cosine && a.bm25 >= b.bm25 {
                        prop_assert!(fa.relevance >= fb.relevance - 1e-12);
                    }
                }
            }
        }
    }
}
