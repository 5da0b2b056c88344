//! The signal that leads: how far the best entries by meaning stand out, compared with chance in the rest of the
//! memory.
//!
//! The nearest of N rows is near even if nothing fits: the best of N independent draws lies about sqrt(2 ln N) standard
//! deviations above their mean. If the distance from the best to the k-th is as large as by chance, meaning has little
//! information, and words count more; if it is several times as much, meaning leads. This uses only exact cosines of
//! candidates and N, so every way to read a memory gives the same weights.

use crate::rank::agreement::agreement;
use crate::rank::cosine_distribution::{Distribution, USUAL_SPREAD, upper_quantile};
use crate::rank::signals::{Signals, WordStatistics};

/// The rank of the row whose distance from the best measures the lead: the candidates of a signal if a request does not
/// say.
const REACH: usize = 75;
/// The least number of rows for which the distance is used.
const LEAST_REACH: usize = 10;
/// The least standard deviation of cosines that the lead is measured in.
const LEAST_SPREAD: f64 = 0.01;
/// The multiple of chance at which both signals keep their weights, and its increase in a conversation, where the
/// embedding of a turn lacks the turns around it, while its words are borrowed from there.
const EVEN: f64 = 1.5;
const EVEN_IN_CONVERSATIONS: f64 = 3.0;
/// The greatest reduction of a weight, and that in a conversation.
const LEAST_LEAD: f64 = 0.5;
const LEAST_LEAD_IN_CONVERSATIONS: f64 = 0.3;
/// The greatest increase of a weight.
const GREATEST_LEAD: f64 = 2.0;
/// The expected greatest of N normal draws lies at the upper quantile of this over N (Blom, 1958: exp(-gamma)).
const OF_GREATEST: f64 = 0.5615;
/// The least distance between the best and the k-th by chance, in standard deviations.
const LEAST_GAP: f64 = 0.5;

/// The share of a full match from which on words keep their weight: if the best entry has less of the question, its
/// words may be there by chance.
const TELLING_SHARE: f64 = 0.6;
/// The same if meaning stands out: a question that describes something in other words than its entry has words that
/// belong to other entries, and an entry that is near all the same. The sets do not settle this constant: 0.7 to 1
/// give dbpedia the same, and above 0.8 scifact loses 0.002 (ADR 0026).
const MOST_TELLING_SHARE: f64 = 0.8;
const LEAST_KEYWORD_LEAD: f64 = 0.2;

/// The factor on the weight of words, if that on meaning is `semantic_lead`: the share of the question that the best
/// entry holds, of [`TELLING_SHARE`] times the lead of meaning, which counts from 1 to [`MOST_TELLING_SHARE`].
pub fn keyword_lead(words: Option<WordStatistics>, candidates: &[Signals], semantic_lead: f64) -> f64 {
    let best = candidates.iter().filter_map(|signals| signals.words).fold(0.0, f64::max);
    let telling_share = (TELLING_SHARE * semantic_lead).clamp(TELLING_SHARE, MOST_TELLING_SHARE);
    match words {
        Some(words) if words.full_match > 0.0 => {
            (best / words.full_match / telling_share).clamp(LEAST_KEYWORD_LEAD, 1.0)
        }
        _ => 1.0,
    }
}

/// The distribution of the nearest rows' cosines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestCosines {
    /// Standard deviation of the cosines of unrelated texts, as far as the candidates show it.
    pub spread: f64,
    /// The factor on the weight of meaning, by how far the nearest stands out.
    pub lead: f64,
    /// The factor on the weight of meaning, by how far both signals agree.
    pub agreement: f64,
}

impl NearestCosines {
    /// From the candidates that were among the nearest rows of a memory; `None` if the rows were not counted.
    pub fn of(candidates: &[Signals], memory: Option<WordStatistics>) -> NearestCosines {
        let unknown = NearestCosines { spread: USUAL_SPREAD, lead: 1.0, agreement: 1.0 };
        let Some(memory) = memory else { return unknown };
        let WordStatistics { entries, conversation, .. } = memory;
        let mut cosines: Vec<f64> =
            candidates.iter().filter_map(|signals| signals.semantic_rank.and(signals.cosine)).collect();
        cosines.sort_by(|a, b| b.total_cmp(a));
        let reach = cosines.len().min(REACH).min(usize::try_from(entries / 2).unwrap_or(REACH));
        if reach < LEAST_REACH {
            return unknown;
        }
        let distribution = Distribution::of(&cosines, reach, entries as f64);
        let spread = distribution.spread.max(LEAST_SPREAD);
        let by_chance = (best_by_chance(entries) - distribution.last_standing).max(LEAST_GAP);
        let times_chance = (cosines[0] - distribution.last) / (spread * by_chance);
        let between = |usual: f64, in_conversations: f64| usual + conversation * (in_conversations - usual);
        let least = between(LEAST_LEAD, LEAST_LEAD_IN_CONVERSATIONS);
        let lead = times_chance / between(EVEN, EVEN_IN_CONVERSATIONS);
        let agreement = agreement(candidates, distribution, memory);
        NearestCosines { spread, lead: lead.clamp(least, GREATEST_LEAD), agreement }
    }
}

/// The expected distance of the best of this many unrelated rows from their mean, in standard deviations.
pub fn best_by_chance(rows: u64) -> f64 {
    upper_quantile(OF_GREATEST / rows.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn nearest(cosines: &[f64]) -> Vec<Signals> {
        let rank = |rank: usize| Some(rank + 1);
        let signals = |(at, &cosine): (usize, &f64)| Signals {
            cosine: Some(cosine),
            semantic_rank: rank(at),
            ..Signals::default()
        };
        cosines.iter().enumerate().map(signals).collect()
    }

    fn memory(entries: u64, conversation: f64) -> Option<WordStatistics> {
        Some(WordStatistics { entries, full_match: 10.0, conversation })
    }

    /// The cosines at the quantiles of a normal distribution: the expectation by chance.
    fn by_chance(entries: u64, spread: f64) -> Vec<f64> {
        (0..75).map(|row| 0.2 + spread * upper_quantile((f64::from(row) + 0.5) / entries as f64)).collect()
    }

    #[test]
    fn where_the_best_is_as_near_as_chance_has_it_words_lead() {
        let lead = NearestCosines::of(&nearest(&by_chance(5_000, 0.1)), memory(5_000, 0.0)).lead;
        assert!((0.6..0.8).contains(&lead), "{lead}");
    }

    #[test]
    fn where_the_best_stands_out_meaning_leads() {
        let mut cosines = by_chance(5_000, 0.1);
        cosines[0] += 0.3;
        assert!(NearestCosines::of(&nearest(&cosines), memory(5_000, 0.0)).lead > 1.5);
    }

    #[test]
    fn in_a_conversation_meaning_has_to_stand_out_twice_as_far() {
        let mut cosines = by_chance(5_000, 0.1);
        cosines[0] += 0.1;
        let lead = |conversation: f64| NearestCosines::of(&nearest(&cosines), memory(5_000, conversation)).lead;
        assert!((lead(0.0) - 2.0 * lead(1.0)).abs() < 1e-9 && lead(0.5) < lead(0.0), "{} {}", lead(0.0), lead(1.0));
    }

    #[test]
    fn the_scale_of_an_embedder_does_not_matter() {
        let lead = |spread: f64| NearestCosines::of(&nearest(&by_chance(5_000, spread)), memory(5_000, 0.0)).lead;
        assert!((lead(0.1) - lead(0.02)).abs() < 1e-9);
    }

    #[test]
    fn a_small_memory_tells_nothing() {
        for (rows, entries) in [(3, Some(3)), (18, Some(18)), (75, None)] {
            let cosines: Vec<f64> = (0..rows).map(|row| 0.9 - 0.01 * f64::from(row)).collect();
            let found = NearestCosines::of(&nearest(&cosines), entries.and_then(|entries| memory(entries, 0.0)));
            assert_eq!((found.lead, found.spread), (1.0, USUAL_SPREAD), "{rows} of {entries:?}");
        }
    }

    #[test]
    fn where_meaning_stands_out_words_must_hold_more_of_the_question() {
        let holds = |share: f64| [Signals { words: Some(10.0 * share), ..Signals::default() }];
        let lead = |share: f64, semantic_lead: f64| keyword_lead(memory(5_000, 0.0), &holds(share), semantic_lead);
        // By hand: the share over 0.6, over 0.6 times the lead of meaning, and over 0.8.
        for (share, semantic_lead, expected) in [
            (0.3, 0.5, 0.5),
            (0.3, 1.0, 0.5),
            (0.3, 1.25, 0.4),
            (0.3, 2.0, 0.375),
            (0.6, 1.0, 1.0),
            (0.6, 1.25, 0.8),
            (0.6, 2.0, 0.75),
            (0.8, 2.0, 1.0),
            (0.1, 2.0, LEAST_KEYWORD_LEAD),
            (1.7, 2.0, 1.0),
        ] {
            let found = lead(share, semantic_lead);
            assert!((found - expected).abs() < 1e-9, "{share} {semantic_lead}: {found}, not {expected}");
        }
        assert_eq!(keyword_lead(None, &holds(0.3), 2.0), 1.0);
    }

    proptest! {
        #[test]
        fn the_weight_of_words_never_grows_with_the_lead_of_meaning(
            share in 0.0..2.0f64, semantic_lead in 0.0..=GREATEST_LEAD, more in 0.0..1.0f64,
        ) {
            let best = [Signals { words: Some(10.0 * share), ..Signals::default() }];
            let lead = |semantic_lead: f64| keyword_lead(memory(5_000, 0.0), &best, semantic_lead);
            let least = TELLING_SHARE / MOST_TELLING_SHARE * lead(0.0);
            prop_assert!(lead(semantic_lead + more) <= lead(semantic_lead));
            prop_assert!(lead(semantic_lead) >= least.max(LEAST_KEYWORD_LEAD) - 1e-12);
        }

        #[test]
        fn a_lead_stays_in_its_range(cosines in proptest::collection::vec(-1.0..=1.0f64, 0..120), entries: u64, conversation in 0.0..=1.0f64) {
            let found = NearestCosines::of(&nearest(&cosines), memory(entries, conversation));
            prop_assert!((LEAST_LEAD_IN_CONVERSATIONS..=GREATEST_LEAD).contains(&found.lead), "{found:?}");
            prop_assert!((LEAST_SPREAD..=USUAL_SPREAD).contains(&found.spread), "{found:?}");
        }
    }
}
