//! Whether meaning and words agree. Embeddings without information (of texts in a language that the model does not
//! know, or without a model) have a nearest entry as well, and fusion would give it half of the weight. Their cosines
//! show it: the best entries by words are no nearer than any others, and the nearest hold no more of the words than any
//! others.
//!
//! Words are exact, so they are the measure. Both parts use only exact signals of candidates and the number of rows,
//! so every way to read a memory gives the same weights.

use std::cmp::Ordering;

use crate::rank::cosine_distribution::Distribution;
use crate::rank::signals::{Signals, WordStatistics};

/// The number of best entries by words whose standing by meaning counts.
const BEST_BY_WORDS: usize = 10;
/// Prior evidence for few words: so many entries more, of a usual standing.
const PRIOR_ENTRIES: f64 = 2.0;
const USUAL_STANDING: f64 = 2.0;
/// The number of nearest entries whose words count.
const NEAREST: usize = 5;
/// From this rank by words on, an entry matches no better than an arbitrary entry.
const ANY_PLACE: usize = 75;
/// Prior evidence for the share of words: so many full matches more, of a usual share.
const PRIOR_MATCHES: f64 = 0.5;
const USUAL_SHARE: f64 = 0.3;
/// A share of 1 counts as this many standard deviations.
const DEVIATIONS_PER_SHARE: f64 = 3.0;
/// Without any agreement both parts are at this value on average (a standing of 0 and a share of 0, with the priors),
/// so that meaning loses its weight; it has all of it one standard deviation above.
const BY_CHANCE: f64 = 0.6;
/// In a conversation a turn borrows words, so the two agree less often: it needs so much less.
const LESS_IN_CONVERSATIONS: f64 = 0.6;
/// The factor of meaning without agreement. Above 0, so that meaning still orders entries with the same words.
pub const LEAST_AGREEMENT: f64 = 0.03;
/// The factor on the weight of meaning: 1 if both signals agree as far as they usually do, [`LEAST_AGREEMENT`] if they
/// agree as far as by chance.
pub fn agreement(candidates: &[Signals], cosines: Distribution, memory: WordStatistics) -> f64 {
    let sum = standing_of_best_by_words(candidates, cosines) + DEVIATIONS_PER_SHARE * words_of_nearest(candidates);
    (sum + LESS_IN_CONVERSATIONS * memory.conversation - BY_CHANCE).clamp(LEAST_AGREEMENT, 1.0)
}

/// The mean standing by meaning of the best by their own words.
fn standing_of_best_by_words(candidates: &[Signals], cosines: Distribution) -> f64 {
    let by_words = |signals: &Signals| Some((signals.keyword_rank.and(signals.bm25)?, signals.cosine?));
    let mut best: Vec<(f64, f64)> = candidates.iter().filter_map(by_words).collect();
    best.sort_by(greatest_first);
    let standings = best.iter().take(BEST_BY_WORDS).map(|(_, cosine)| cosines.standing(*cosine));
    let (sum, count) = standings.fold((0.0, 0.0), |(sum, count), standing| (sum + standing, count + 1.0));
    (sum + PRIOR_ENTRIES * USUAL_STANDING) / (count + PRIOR_ENTRIES)
}

/// The words of the nearest, as a share of the words of the best by words; both as far as they exceed those of any
/// entry.
fn words_of_nearest(candidates: &[Signals]) -> f64 {
    let mut by_words: Vec<f64> =
        candidates.iter().filter_map(|signals| signals.keyword_rank.and(signals.words)).collect();
    by_words.sort_by(|a, b| b.total_cmp(a));
    let Some(&best) = by_words.first().filter(|best| **best > 0.0) else { return USUAL_SHARE };
    let of_any = by_words.get(ANY_PLACE - 1).copied().unwrap_or(0.0);
    let above = |words: f64| (words - of_any).max(0.0) / best;
    let most: f64 = by_words.iter().take(NEAREST).map(|words| above(*words)).sum();
    let by_meaning =
        |signals: &Signals| Some((signals.semantic_rank.and(signals.cosine)?, signals.words.unwrap_or(0.0)));
    let mut nearest: Vec<(f64, f64)> = candidates.iter().filter_map(by_meaning).collect();
    nearest.sort_by(greatest_first);
    let of_nearest: f64 = nearest.iter().take(NEAREST).map(|(_, words)| above(*words)).sum();
    (of_nearest + PRIOR_MATCHES * USUAL_SHARE) / (most + PRIOR_MATCHES)
}

/// By the values alone, so that the order of candidates does not matter.
fn greatest_first(a: &(f64, f64), b: &(f64, f64)) -> Ordering {
    b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rank::cosine_distribution::upper_quantile;
    use crate::rank::leading_signal::NearestCosines;

    const ROWS: u64 = 5_000;
    const MEMORY: WordStatistics = WordStatistics { entries: ROWS, full_match: 10.0, conversation: 0.0 };

    /// The cosine at a rank of a normal distribution.
    fn cosine(rank: f64) -> f64 {
        0.1 + 0.1 * upper_quantile(rank / ROWS as f64)
    }

    fn words(place: usize) -> f64 {
        10.0 / (1.0 + 0.1 * place as f64)
    }

    /// The 75 nearest, which hold no words, and the 75 best by words; the first `shared` entries are both.
    fn found(shared: usize, cosine_by_words: impl Fn(usize) -> f64) -> Vec<Signals> {
        let nearest = (1..=75).map(|rank| Signals {
            cosine: Some(cosine(rank as f64 - 0.5)),
            semantic_rank: Some(rank),
            bm25: (rank <= shared).then(|| words(rank)),
            words: (rank <= shared).then(|| words(rank)),
            keyword_rank: (rank <= shared).then_some(rank),
        });
        let by_words = (shared + 1..=75).map(|place| Signals {
            cosine: Some(cosine_by_words(place)),
            bm25: Some(words(place)),
            words: Some(words(place)),
            semantic_rank: None,
            keyword_rank: Some(place),
        });
        nearest.chain(by_words).collect()
    }

    fn agreement_of(candidates: &[Signals], memory: WordStatistics) -> f64 {
        NearestCosines::of(candidates, Some(memory)).agreement
    }

    /// Any place among the rest of the rows, evenly.
    fn anywhere(place: usize) -> f64 {
        let share = (place as f64 * 0.618_034).fract();
        let from_mean = if share < 0.5 { upper_quantile(share) } else { -upper_quantile(1.0 - share) };
        0.1 + 0.1 * from_mean
    }

    #[test]
    fn embeddings_that_say_nothing_have_next_to_no_weight() {
        let found = found(0, anywhere);
        assert!(agreement_of(&found, MEMORY) < 0.2, "{}", agreement_of(&found, MEMORY));
        let conversation = WordStatistics { conversation: 1.0, ..MEMORY };
        assert!(agreement_of(&found, conversation) < 0.8);
    }

    #[test]
    fn where_both_find_the_same_meaning_keeps_its_weight() {
        assert_eq!(agreement_of(&found(8, anywhere), MEMORY), 1.0);
        assert_eq!(agreement_of(&found(0, |_| cosine(200.0)), MEMORY), 1.0, "as near as one of 25");
    }

    #[test]
    fn the_scale_of_an_embedder_does_not_matter() {
        let scaled = |scale: f64| {
            let all = found(0, anywhere).into_iter();
            all.map(|signals| Signals { cosine: signals.cosine.map(|cosine| 0.8 + scale * cosine), ..signals })
                .collect::<Vec<_>>()
        };
        let of = |scale: f64| agreement_of(&scaled(scale), MEMORY);
        assert!((of(0.01) - of(0.5)).abs() < 1e-6, "{} {}", of(0.01), of(0.5));
    }

    #[test]
    fn a_small_memory_tells_nothing() {
        let few = WordStatistics { entries: 15, ..MEMORY };
        assert_eq!(agreement_of(&found(0, anywhere)[..15], few), 1.0);
    }

    proptest! {
        #[test]
        fn an_agreement_stays_in_its_range_and_does_not_depend_on_the_order_of_candidates(
            all in proptest::collection::vec((-1.0..=1.0f64, proptest::option::of(0.01..30.0f64)), 0..120),
            entries: u64, conversation in 0.0..=1.0f64,
        ) {
            let signals = |(at, &(cosine, bm25)): (usize, &(f64, Option<f64>))| Signals {
                cosine: Some(cosine), bm25, words: bm25, semantic_rank: Some(at + 1), keyword_rank: bm25.map(|_| at + 1),
            };
            let mut found: Vec<Signals> = all.iter().enumerate().map(signals).collect();
            let memory = WordStatistics { entries, full_match: 10.0, conversation };
            let agreement = agreement_of(&found, memory);
            prop_assert!((LEAST_AGREEMENT..=1.0).contains(&agreement), "{}", agreement);
            found.reverse();
            prop_assert_eq!(agreement, agreement_of(&found, memory));
        }
    }
}
