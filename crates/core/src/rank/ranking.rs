//! From candidates to a ranking: fuse, boost, drop candidates below a floor, order, cut. The order is total, so equal
//! inputs give equal bytes.

use std::cmp::Ordering;

use crate::rank::association::Pull;
use crate::rank::boosts::{self, Contributions, Factors};
use crate::rank::candidate::Candidate;
use crate::rank::choices::{Fusion, Strategy};
use crate::rank::fusion::{self, Fused, Weights};
use crate::rank::lift::{LiftOf, Lifts, Question};
use crate::rank::scoring::{RankingRules, Scoring};
use crate::rank::signals::{Signals, WordStatistics};
use crate::timestamp::Micros;

/// The least relevance of the best entry for a relevant answer: as much evidence for it as against it.
pub const RELEVANT: f64 = 0.5;
/// The least relevance of the other entries, as a share of the best one's.
const RELEVANT_BESIDE_BEST: f64 = 0.35;

/// A candidate with its rank in the result.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Ranked {
    pub candidate: Candidate,
    pub fused: Fused,
    pub factors: Factors,
    pub lifts: Lifts,
    /// The factor of the lifts on relevance.
    pub lift: f64,
    /// The addition to it then, because the entry belongs to the best.
    pub pulled: f64,
    /// The factor of feedback on relevance.
    pub feedback: f64,
    pub contributions: Contributions,
    /// The score that orders the result.
    pub score: f64,
    /// The judgement of a reranker, which is then part of the score.
    pub reranked: Option<Reranked>,
    /// The strategy that found it.
    pub strategy: Strategy,
}

/// The judgement of a reranker on an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reranked {
    /// Its score.
    pub score: f64,
    /// The weight of that score against the search's own.
    pub weight: f64,
    /// The search's own score.
    pub own: f64,
}

/// The reason why a candidate is not in the ranking.
#[derive(Debug, Clone, PartialEq)]
pub enum Floor {
    /// Its similarity is below `minSimilarity`.
    Similarity,
    /// Its score is below `minScore`.
    Score,
    /// It is not relevant, and only relevant entries were asked for.
    Relevance,
}

/// All candidates of a search with their result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranking {
    /// Best first.
    pub ranked: Vec<Ranked>,
    /// Below a floor, in no order.
    pub below_floor: Vec<(Candidate, Floor)>,
    /// The number of the first ones that a reranker got: they come before all others, whatever their scores.
    pub reranked: usize,
}

/// The values that scores depend on, beside the rules.
#[derive(Debug, Clone, Default)]
pub struct Basis {
    /// The instant for ages.
    pub now: Micros,
    /// The highest access count in the memory.
    pub highest_access_count: i64,
    /// The statistics of all rows that count; `None` if the search is not by words.
    pub words: Option<WordStatistics>,
    /// The author and the times that the query names.
    pub question: Question,
}

/// Ranks the candidates of a hybrid, semantic or keyword search.
pub fn rank(rules: &RankingRules, strategy: Strategy, basis: &Basis, candidates: Vec<Candidate>) -> Ranking {
    let (candidates, too_far): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|c| above_similarity_floor(rules, c));
    // They have no signal to be fused, and do not change the signals of others.
    let (by_association, candidates): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(Candidate::is_found_by_association_alone);
    let signals: Vec<Signals> = candidates.iter().map(|candidate| candidate.signals).collect();
    let fused = fusion::fuse(rules.scoring.fusion, weights(&rules.scoring, &signals), basis.words, &signals);
    let lifts = LiftOf::candidates(&basis.question, &rules.scoring, &candidates);
    let relevance = fused.iter().enumerate().map(|(at, fused)| fused.relevance * lifts.of(at).1);
    let pull = Pull::of(candidates.iter().zip(relevance), &by_association);
    let lifted = candidates.into_iter().zip(fused).enumerate().map(|(at, (candidate, fused))| {
        let (lifts, lift) = lifts.of(at);
        let pulled = pull.on(&candidate);
        (candidate, fused, Lifted { lifts, lift: lift * pull.scale, pulled })
    });
    let unlifted = by_association.into_iter().map(|candidate| {
        let pulled = pull.on(&candidate);
        (candidate, Fused::default(), Lifted { lifts: Lifts::default(), lift: pull.scale, pulled })
    });
    let ranked = lifted
        .chain(unlifted)
        .map(|(candidate, fused, lifted)| scored(&rules.scoring, strategy, basis, candidate, fused, lifted))
        .collect();
    let mut ranking = above_floors(rules, ranked);
    ranking.ranked = in_order(ranking.ranked);
    ranking.below_floor.extend(too_far.into_iter().map(|candidate| (candidate, Floor::Similarity)));
    ranking
}

/// A signal that no candidate has is not used, so that the best score keeps its scale; a preset with a fixed formula
/// keeps its formula.
fn weights(scoring: &Scoring, signals: &[Signals]) -> Weights {
    let has_meaning = signals.iter().any(|s| s.cosine.is_some());
    let has_words = signals.iter().any(|s| s.words.is_some());
    let (semantic, keyword) = match (scoring.fusion, has_meaning, has_words) {
        (Fusion::Rescored | Fusion::Weighted | Fusion::Rrf, true, false) => (1.0, 0.0),
        (Fusion::Rescored | Fusion::Weighted | Fusion::Rrf, false, true) => (0.0, 1.0),
        _ => (scoring.semantic_weight, scoring.keyword_weight),
    };
    Weights { semantic, keyword, adapt: scoring.adapts_weights }
}

/// Ranks by age alone: newest first, the score falling from 1 in equal steps.
pub fn rank_recent(rules: &RankingRules, basis: &Basis, mut candidates: Vec<Candidate>) -> Ranking {
    candidates.sort_by(newer_first);
    let steps = candidates.len().max(1) as f64;
    let ranked = candidates
        .into_iter()
        .enumerate()
        .map(|(rank, candidate)| {
            let relevance = 1.0 - rank as f64 / steps;
            let fused = Fused { relevance, ..Fused::default() };
            let contributions = Contributions { relevance, ..Contributions::default() };
            let unlifted = Lifted { lifts: Lifts::default(), lift: 1.0, pulled: 0.0 };
            let scored = scored(&rules.scoring, Strategy::Recent, basis, candidate, fused, unlifted);
            Ranked { score: relevance, contributions, ..scored }
        })
        .collect();
    let floors = RankingRules { relevant_only: false, ..*rules };
    above_floors(&floors, ranked)
}

/// Sorts large items with one move for each.
fn in_order(ranked: Vec<Ranked>) -> Vec<Ranked> {
    let mut places: Vec<usize> = (0..ranked.len()).collect();
    places.sort_by(|&a, &b| order(&ranked[a], &ranked[b]));
    let mut ranked: Vec<Option<Ranked>> = ranked.into_iter().map(Some).collect();
    places.into_iter().filter_map(|place| ranked[place].take()).collect()
}

fn above_floors(rules: &RankingRules, all: Vec<Ranked>) -> Ranking {
    let best = all.iter().map(|ranked| ranked.fused.relevance).fold(0.0, f64::max);
    let is_relevant = |ranked: &Ranked| {
        best >= RELEVANT
            && ranked.fused.relevance >= RELEVANT_BESIDE_BEST * best
            && ranked.fused.own_share.is_none_or(|share| share >= RELEVANT_BESIDE_BEST)
    };
    let mut ranking = Ranking::default();
    for ranked in all {
        if rules.min_score.is_some_and(|floor| ranked.score < floor) {
            ranking.below_floor.push((ranked.candidate, Floor::Score));
        } else if rules.relevant_only && !is_relevant(&ranked) {
            ranking.below_floor.push((ranked.candidate, Floor::Relevance));
        } else {
            ranking.ranked.push(ranked);
        }
    }
    ranking
}

/// The changes to a candidate's relevance before its boosts.
struct Lifted {
    lifts: Lifts,
    /// The factor of relevance.
    lift: f64,
    /// The addition after that.
    pulled: f64,
}

fn scored(
    scoring: &Scoring,
    strategy: Strategy,
    basis: &Basis,
    candidate: Candidate,
    fused: Fused,
    Lifted { lifts, lift, pulled }: Lifted,
) -> Ranked {
    let age_days = boosts::age_days(candidate.created, basis.now);
    let (accesses, highest) = (candidate.access_count, basis.highest_access_count);
    let factors = Factors {
        recency: boosts::recency(scoring.recency_curve, scoring.recency_days, age_days),
        importance: boosts::importance(candidate.importance),
        popularity: boosts::popularity(scoring.popularity_curve, scoring.popularity_cap, accesses, highest),
        used_recency: candidate.last_used.map_or(0.0, |last_used| {
            let days = boosts::age_days(last_used, basis.now);
            boosts::recency(scoring.used_recency_curve, scoring.used_recency_days, days)
        }),
    };
    // Without feedback it stays what it is, to the last digit; with it a relevance is still one.
    let feedback = candidate.feedback.factor(scoring.feedback_boost);
    let lifted = fused.relevance * lift + pulled;
    let feedback = if feedback > 1.0 && feedback * lifted > 1.0 { 1.0 / lifted } else { feedback };
    let contributions = Contributions::new(scoring, lifted * feedback, factors);
    Ranked {
        score: contributions.sum(),
        reranked: None,
        candidate,
        fused,
        factors,
        lifts,
        lift,
        pulled,
        feedback,
        contributions,
        strategy,
    }
}

/// An entry with a known similarity must reach the floor; an entry without embedding stays if its words match.
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

/// Newer first, then by id, then by memory.
pub fn newer_first(a: &Candidate, b: &Candidate) -> Ordering {
    b.created.cmp(&a.created).then_with(|| a.id.cmp(&b.id)).then_with(|| a.memory.cmp(&b.memory))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy as _, prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::request::plan::{Bounds, Plan};
    use crate::request::search_request::SearchRequest;

    const DAY: i64 = 86_400_000_000;

    fn basis() -> Basis {
        let words = Some(WordStatistics { entries: 40, full_match: 12.0, conversation: 0.0 });
        Basis { now: 1000 * DAY, words, ..Basis::default() }
    }

    fn rules(options: &str) -> RankingRules {
        let request = SearchRequest {
            memories: "m".into(),
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
            signals: Signals {
                cosine: Some(cosine),
                bm25,
                words: bm25,
                semantic_rank: Some(1),
                keyword_rank: bm25.map(|_| 1),
            },
            ..Candidate::default()
        }
    }

    fn hybrid(rules: &RankingRules, all: Vec<Candidate>) -> Vec<Ranked> {
        rank(rules, Strategy::Hybrid, &basis(), all).ranked
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
    fn what_does_not_answer_is_left_out_where_only_what_is_relevant_is_wanted() {
        let relevant = rules(r#"{"relevantOnly": true}"#);
        let all = vec![candidate("answer", 5, 0.6, Some(9.0), 50.0), candidate("other", 5, 0.1, None, 50.0)];
        let ranking = rank(&relevant, Strategy::Hybrid, &basis(), all);
        assert_eq!(ids(&ranking.ranked), ["answer"]);
        assert_eq!(ranking.below_floor[0].1, Floor::Relevance);
        let foreign = vec![candidate("lunch", 5, 0.03, None, 50.0), candidate("dinner", 5, 0.02, None, 50.0)];
        assert_eq!(ids(&hybrid(&relevant, foreign)), [] as [&str; 0]);
    }

    #[test]
    fn where_few_have_embeddings_the_nearest_of_them_is_not_relevant_for_being_the_nearest() {
        let (relevant, all_of_them) = (rules(r#"{"relevantOnly": true}"#), rules("{}"));
        let waiting = |id: &str| {
            let mut candidate = candidate(id, 5, 0.0, Some(9.0), 50.0);
            candidate.signals = Signals { cosine: None, semantic_rank: None, ..candidate.signals };
            candidate
        };
        let all = || vec![waiting("answer"), candidate("unrelated", 5, 0.06, None, 50.0)];
        let mut basis = basis();
        basis.words = Some(WordStatistics { entries: 300, full_match: 10.0, conversation: 0.0 });
        let ids_of = |rules: &RankingRules, all| ids(&rank(rules, Strategy::Hybrid, &basis, all).ranked).join(" ");
        assert_eq!(ids_of(&relevant, all()), "answer");
        assert_eq!(ids_of(&all_of_them, all()), "answer unrelated", "else it only comes behind");
        let near = vec![waiting("answer"), candidate("near", 5, 0.5, None, 50.0)];
        assert_eq!(ids_of(&relevant, near), "answer near");
    }

    #[test]
    fn weights_that_are_given_are_kept() {
        let all =
            || (0..80).map(|n| candidate(&n.to_string(), 5, 0.5 - 0.001 * f64::from(n), Some(1.0), 50.0)).collect();
        let weight = |options: &str| {
            let mut basis = basis();
            basis.words = Some(WordStatistics { entries: 5_000, full_match: 12.0, conversation: 0.0 });
            rank(&rules(options), Strategy::Hybrid, &basis, all()).ranked[0].fused.semantic_weight
        };
        assert_eq!(weight(r#"{"weights": {"semantic": 0.5}}"#), 0.5);
        assert!(weight("{}") != 0.5, "of its own each search has others");
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
        let ranked = rank_recent(&rules("{}"), &basis(), all).ranked;
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
        let ranking = rank(&rules(r#"{"minSimilarity": 0.5}"#), Strategy::Hybrid, &basis(), all);
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

        /// An entry answers by itself if its relevance is the share of the best that makes it relevant.
        #[test]
        fn an_entry_found_by_association_alone_stays_behind_those_that_answer(
            all in proptest::collection::vec((any_candidate(), 0.0..=1.0f64), 1..30), alone in 0.001..=1.0f64,
        ) {
            let only_relevance = rules(r#"{"boosts": {"recency": 0, "importance": 0}}"#);
            let all = all.into_iter().map(|(candidate, association)| Candidate { association, ..candidate });
            let neighbour = Candidate { id: "neighbour".into(), association: alone, ..Candidate::default() };
            let ranked = hybrid(&only_relevance, all.chain([neighbour]).collect());
            let best = ranked.iter().map(|one| one.fused.relevance * one.lift).fold(0.0, f64::max);
            let place = ranked.iter().position(|one| one.candidate.id == "neighbour").unwrap();
            for behind in &ranked[place..] {
                prop_assert!(behind.fused.relevance * behind.lift < RELEVANT_BESIDE_BEST * best || best == 0.0);
            }
            prop_assert!(ranked.iter().all(|one| (0.0..=1.0).contains(&one.score)));
        }

        #[test]
        fn entries_that_association_alone_finds_change_no_order_of_others(
            all in proptest::collection::vec(any_candidate(), 0..30), alone in 0.001..=1.0f64,
        ) {
            let neighbour = Candidate { id: "neighbour".into(), association: alone, ..Candidate::default() };
            let without = hybrid(&rules("{}"), all.clone());
            let with = hybrid(&rules("{}"), all.into_iter().chain([neighbour]).collect());
            let others: Vec<&Ranked> = with.iter().filter(|one| one.candidate.id != "neighbour").collect();
            prop_assert_eq!(others.len(), without.len());
            for (one, other) in without.iter().zip(others) {
                prop_assert_eq!(&one.candidate, &other.candidate);
                prop_assert_eq!(&one.fused, &other.fused);
            }
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

        #[test]
        fn no_preset_gives_a_score_above_1_whatever_its_numbers(
            all in proptest::collection::vec(any_candidate(), 1..20), semantic in 0.01..=1.0f64,
            keyword in proptest::option::of(0.0..=1.0f64), recency in 0.0..0.33f64, importance in 0.0..0.33f64,
            popularity in 0.0..0.33f64,
        ) {
            for preset in ["default", "alfred", "cortex", "cortex_boost"] {
                let options = serde_json::json!({
                    "preset": preset, "minSimilarity": -1, "weights": {"semantic": semantic, "keyword": keyword},
                    "boosts": {"recency": recency, "importance": importance, "popularity": popularity},
                });
                for one in hybrid(&rules(&options.to_string()), all.clone()) {
                    prop_assert!(one.score <= 1.0 + 1e-9, "{}: {}", preset, one.score);
                }
            }
        }
    }
}
