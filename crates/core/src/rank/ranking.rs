//! From candidates to a ranking: fuse, boost, drop what is below a floor, order, cut. The order is
//! total, so equal inputs give equal bytes.

use std::cmp::Ordering;

use crate::place::Place;
use crate::rank::boosts::{self, Contributions, Factors};
use crate::rank::choices::{Fusion, Strategy};
use crate::rank::fusion::{self, Fused, Signals};
use crate::rank::scoring::{RankingRules, Scoring};
use crate::timestamp::Micros;

/// An entry (or a context) that a signal found, with what ranking needs of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidate {
    /// The entry's id as text; the last tie-breaker.
    pub id: String,
    /// When it was created.
    pub created: Micros,
    /// Within [`crate::limits::IMPORTANCE`].
    pub importance: f64,
    /// How often it was touched.
    pub access_count: i64,
    /// Where its row lies, if that is known.
    pub place: Option<Place>,
    /// What the signals say of it.
    pub signals: Signals,
}

/// A candidate with its rank in the result.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Ranked {
    pub candidate: Candidate,
    pub fused: Fused,
    pub factors: Factors,
    pub contributions: Contributions,
    /// What orders the result.
    pub score: f64,
    /// The strategy that found it.
    pub strategy: Strategy,
}

/// Why a candidate is not in the ranking.
#[derive(Debug, Clone, PartialEq)]
pub enum Floor {
    /// Its similarity is below `minSimilarity`.
    Similarity,
    /// Its score is below `minScore`.
    Score,
}

/// All candidates of a search, settled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranking {
    /// Best first.
    pub ranked: Vec<Ranked>,
    /// Below a floor, in no order.
    pub below_floor: Vec<(Candidate, Floor)>,
}

/// What boosts are measured from.
#[derive(Debug, Clone, Copy)]
pub struct BoostBasis {
    /// The instant ages refer to.
    pub now: Micros,
    /// The highest access count in the memory.
    pub highest_access_count: i64,
}

/// Ranks the candidates of a hybrid, semantic or keyword search.
pub fn rank(rules: &RankingRules, strategy: Strategy, basis: BoostBasis, candidates: Vec<Candidate>) -> Ranking {
    let (candidates, too_far): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|c| above_similarity_floor(rules, c));
    let signals: Vec<Signals> = candidates.iter().map(|candidate| candidate.signals).collect();
    let (semantic_weight, keyword_weight) = weights(&rules.scoring, &signals);
    let fused = fusion::fuse(rules.scoring.fusion, semantic_weight, keyword_weight, &signals);
    let ranked = candidates
        .into_iter()
        .zip(fused)
        .map(|(candidate, fused)| scored(&rules.scoring, strategy, basis, candidate, fused))
        .collect();
    let mut ranking = above_score_floor(rules, ranked);
    ranking.ranked.sort_by(order);
    ranking.below_floor.extend(too_far.into_iter().map(|candidate| (candidate, Floor::Similarity)));
    ranking
}

/// A signal that no candidate has takes no part, so that the best score keeps its scale; a preset
/// that fixes a formula keeps to it.
fn weights(scoring: &Scoring, signals: &[Signals]) -> (f64, f64) {
    let has_meaning = signals.iter().any(|s| s.cosine.is_some());
    let has_words = signals.iter().any(|s| s.words.is_some());
    match (scoring.fusion, has_meaning, has_words) {
        (Fusion::Rescored | Fusion::Weighted | Fusion::Rrf, true, false) => (1.0, 0.0),
        (Fusion::Rescored | Fusion::Weighted | Fusion::Rrf, false, true) => (0.0, 1.0),
        _ => (scoring.semantic_weight, scoring.keyword_weight),
    }
}

/// Ranks by age alone: newest first, the score falling from 1 in equal steps.
pub fn rank_recent(rules: &RankingRules, basis: BoostBasis, mut candidates: Vec<Candidate>) -> Ranking {
    candidates.sort_by(newer_first);
    let steps = candidates.len().max(1) as f64;
    let ranked = candidates
        .into_iter()
        .enumerate()
        .map(|(rank, candidate)| {
            let relevance = 1.0 - rank as f64 / steps;
            let fused = Fused { relevance, ..Fused::default() };
            let contributions = Contributions { relevance, ..Contributions::default() };
            let scored = scored(&rules.scoring, Strategy::Recent, basis, candidate, fused);
            Ranked { score: relevance, contributions, ..scored }
        })
        .collect();
    above_score_floor(rules, ranked)
}

fn above_score_floor(rules: &RankingRules, all: Vec<Ranked>) -> Ranking {
    let (ranked, below): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|ranked| rules.min_score.is_none_or(|floor| ranked.score >= floor));
    Ranking { ranked, below_floor: below.into_iter().map(|ranked| (ranked.candidate, Floor::Score)).collect() }
}

fn scored(scoring: &Scoring, strategy: Strategy, basis: BoostBasis, candidate: Candidate, fused: Fused) -> Ranked {
    let age_days = boosts::age_days(candidate.created, basis.now);
    let (accesses, highest) = (candidate.access_count, basis.highest_access_count);
    let factors = Factors {
        recency: boosts::recency(scoring.recency_curve, scoring.recency_days, age_days),
        importance: boosts::importance(candidate.importance),
        popularity: boosts::popularity(scoring.popularity_curve, scoring.popularity_cap, accesses, highest),
    };
    let contributions = Contributions::new(scoring, fused.relevance, factors);
    Ranked { score: contributions.sum(), candidate, fused, factors, contributions, strategy }
}

/// An entry whose similarity is known must reach the floor; one without embedding stays if its
/// words match.
fn above_similarity_floor(rules: &RankingRules, candidate: &Candidate) -> bool {
    match (rules.min_similarity, candidate.signals.cosine) {
        (Some(floor), Some(cosine)) => cosine >= floor,
        (Some(_), None) => candidate.signals.bm25.is_some(),
        (None, _) => true,
    }
}

fn order(a: &Ranked, b: &Ranked) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| newer_first(&a.candidate, &b.candidate))
}

/// Newer first, then by id.
pub fn newer_first(a: &Candidate, b: &Candidate) -> Ordering {
    b.created.cmp(&a.created).then_with(|| a.id.cmp(&b.id))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy as _, prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::request::plan::{Bounds, Plan};
    use crate::request::search_request::SearchRequest;

    const DAY: i64 = 86_400_000_000;
    const BASIS: BoostBasis = BoostBasis { now: 1000 * DAY, highest_access_count: 0 };

    fn rules(options: &str) -> RankingRules {
        let request = SearchRequest {
            memory_id: Some("m".into()),
            query: Some("q".into()),
            options: Some(options.into()),
            ..SearchRequest::default()
        };
        Plan::resolve(request, Bounds::default()).unwrap().ranking
    }

    fn candidate(id: &str, age_days: i64, cosine: f64, bm25: Option<f64>, importance: f64) -> Candidate {
        Candidate {
            id: id.into(),
            created: (1000 - age_days) * DAY,
            importance,
            access_count: 0,
            place: None,
            signals: Signals {
                cosine: Some(cosine),
                bm25,
                words: bm25,
                semantic_rank: Some(1),
                keyword_rank: bm25.map(|_| 1),
            },
        }
    }

    fn hybrid(rules: &RankingRules, all: Vec<Candidate>) -> Vec<Ranked> {
        rank(rules, Strategy::Hybrid, BASIS, all).ranked
    }

    fn ids(ranked: &[Ranked]) -> Vec<&str> {
        ranked.iter().map(|r| r.candidate.id.as_str()).collect()
    }

    #[test]
    fn an_important_new_entry_cannot_beat_a_relevant_old_one() {
        let all = vec![candidate("irrelevant", 0, 0.1, None, 100.0), candidate("relevant", 900, 0.9, Some(5.0), 0.0)];
        assert_eq!(ids(&hybrid(&rules("{}"), all)), ["relevant", "irrelevant"]);
    }

    #[test]
    fn of_equally_relevant_entries_the_newer_and_then_the_more_important_wins() {
        let all = vec![
            candidate("old", 400, 0.9, Some(5.0), 50.0),
            candidate("new", 1, 0.9, Some(5.0), 50.0),
            candidate("old-important", 400, 0.9, Some(5.0), 95.0),
        ];
        assert_eq!(ids(&hybrid(&rules("{}"), all)), ["new", "old-important", "old"]);
    }

    #[test]
    fn ties_fall_to_the_newer_and_then_to_the_id() {
        let without_boosts = rules(r#"{"boosts": {"recency": 0, "importance": 0}}"#);
        let all = vec![
            candidate("b", 5, 0.5, None, 1.0),
            candidate("a", 5, 0.5, None, 1.0),
            candidate("c", 4, 0.5, None, 1.0),
        ];
        assert_eq!(ids(&hybrid(&without_boosts, all)), ["c", "a", "b"]);
    }

    #[test]
    fn without_any_word_match_meaning_has_the_whole_scale() {
        let unboosted = rules(r#"{"boosts": {"recency": 0, "importance": 0}}"#);
        let all = vec![candidate("near", 5, 0.5, None, 50.0), candidate("far", 5, 0.1, None, 50.0)];
        assert_eq!(hybrid(&unboosted, all)[0].score, 1.0);
    }

    #[test]
    fn a_similarity_floor_keeps_unembedded_entries_whose_words_match() {
        let floor = rules(r#"{"minSimilarity": 0.4}"#);
        let mut unembedded = candidate("words", 5, 0.0, Some(1.0), 50.0);
        unembedded.signals.cosine = None;
        let all = vec![candidate("near", 5, 0.5, None, 50.0), candidate("far", 5, 0.3, Some(9.0), 50.0), unembedded];
        assert_eq!(ids(&hybrid(&floor, all)), ["near", "words"]);
    }

    #[test]
    fn recent_scores_fall_from_one() {
        let all = vec![candidate("old", 9, 0.9, None, 0.0), candidate("new", 1, 0.1, None, 0.0)];
        let ranked = rank_recent(&rules("{}"), BASIS, all).ranked;
        assert_eq!(ids(&ranked), ["new", "old"]);
        assert_eq!((ranked[0].score, ranked[1].score), (1.0, 0.5));
    }

    #[test]
    fn presets_are_their_formulas() {
        let one = || vec![candidate("a", 10, 0.8, Some(4.0), 60.0), candidate("b", 3, 0.75, Some(2.0), 20.0)];
        let score = |options: &str| {
            let mut all = hybrid(&rules(options), one());
            all.sort_by(|a, b| a.candidate.id.cmp(&b.candidate.id));
            (all[0].score, all[1].score)
        };
        let close =
            |got: (f64, f64), a: f64, b: f64| assert!((got.0 - a).abs() < 1e-9 && (got.1 - b).abs() < 1e-9, "{got:?}");
        let alfred =
            |cosine: f64, age: f64, importance: f64| 0.5 * cosine + 0.3 * (-age / 30.0).exp() + 0.2 * importance;
        close(score(r#"{"preset": "alfred"}"#), alfred(0.8, 10.0, 0.6), alfred(0.75, 3.0, 0.2));
        let cortex = |cosine: f64, words: f64, importance: f64, (wi, wr): (f64, f64), recency: f64| {
            let mut score = 0.7 * cosine + 0.3 * words;
            score = score * (1.0 - wi) + importance * wi;
            score = score * (1.0 - wr) + recency * wr;
            score * (1.0 - 0.1)
        };
        close(
            score(r#"{"preset": "cortex"}"#),
            cortex(0.8, 1.0, 0.6, (0.2, 0.15), 1.0 - 10.0 / 30.0),
            cortex(0.75, 0.5, 0.2, (0.2, 0.15), 1.0 - 3.0 / 30.0),
        );
        close(
            score(r#"{"preset": "cortex_boost"}"#),
            cortex(0.8, 1.0, 0.6, (0.3, 0.2), 0.0),
            cortex(0.75, 0.5, 0.2, (0.3, 0.2), 1.0 - 3.0 / 7.0),
        );
    }

    #[test]
    fn what_is_below_a_floor_is_named_with_it() {
        let all = vec![candidate("near", 5, 0.9, None, 50.0), candidate("far", 5, 0.1, None, 50.0)];
        let ranking = rank(&rules(r#"{"minSimilarity": 0.5}"#), Strategy::Hybrid, BASIS, all);
        assert_eq!(ranking.below_floor[0].0.id, "far");
        assert_eq!(ranking.below_floor[0].1, Floor::Similarity);
    }

    fn any_candidate() -> impl proptest::strategy::Strategy<Value = Candidate> {
        ("[a-z]{1,3}", 0..900i64, -1.0..1.0f64, proptest::option::of(0.1..20.0f64), 0.0..100.0f64)
            .prop_map(|(id, age, cosine, bm25, importance)| candidate(&id, age, cosine, bm25, importance))
    }

    proptest! {
        #[test]
        fn the_order_of_candidates_does_not_matter(all in proptest::collection::vec(any_candidate(), 0..40), turn in 0..40usize) {
            let mut unique = all.clone();
            unique.sort_by(|a, b| a.id.cmp(&b.id));
            unique.dedup_by(|a, b| a.id == b.id);
            let mut turned = unique.clone();
            turned.rotate_left(turn % unique.len().max(1));
            let rules = rules("{}");
            prop_assert_eq!(
                hybrid(&rules, unique),
                hybrid(&rules, turned)
            );
        }

        #[test]
        fn scores_stay_in_their_range_and_fall(all in proptest::collection::vec(any_candidate(), 0..40)) {
            let ranked = hybrid(&rules("{}"), all);
            for pair in ranked.windows(2) {
                prop_assert!(pair[0].score >= pair[1].score);
            }
            for one in &ranked {
                prop_assert!((0.0..=1.0).contains(&one.score));
            }
        }
    }
}
