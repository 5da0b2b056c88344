//! From candidates to a ranking: fuse, boost, drop what is below a floor, order, cut. The order is
//! total, so equal inputs give equal bytes.

use std::cmp::Ordering;

use crate::boost;
use crate::fusion::{self, Fused, Signals};
use crate::options::Strategy;
use crate::plan::{Plan, Scoring};
use crate::timestamp::Micros;

/// An entry (or a context) that a signal found, with what ranking needs of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidate {
    /// The entry's id as text; the last tie-breaker.
    pub id: String,
    /// When it was created.
    pub created: Micros,
    /// 0..100.
    pub importance: f64,
    /// How often it was touched.
    pub access_count: i64,
    /// What the signals say of it.
    pub signals: Signals,
}

/// A candidate with its place in the result.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Ranked {
    pub candidate: Candidate,
    pub fused: Fused,
    /// Each boost's factor, 0..1.
    pub recency: f64,
    pub importance: f64,
    pub popularity: f64,
    /// What orders the result, 0..1.
    pub score: f64,
    /// The strategy that found it.
    pub strategy: Strategy,
}

/// What ranking knows of the search beyond its plan.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// The instant ages refer to.
    pub now: Micros,
    /// The highest access count in the memory.
    pub highest_access_count: i64,
}

/// Ranks the candidates of a hybrid, semantic or keyword search; the best `limit` of them.
pub fn rank(plan: &Plan, strategy: Strategy, moment: Moment, candidates: Vec<Candidate>, limit: usize) -> Vec<Ranked> {
    let candidates: Vec<Candidate> = candidates.into_iter().filter(|c| above_similarity_floor(plan, c)).collect();
    let signals: Vec<Signals> = candidates.iter().map(|candidate| candidate.signals).collect();
    // A signal that no candidate has takes no part, so that the best score keeps its scale.
    let (semantic_weight, keyword_weight) =
        match (signals.iter().any(|s| s.cosine.is_some()), signals.iter().any(|s| s.bm25.is_some())) {
            (true, false) => (1.0, 0.0),
            (false, true) => (0.0, 1.0),
            _ => (plan.scoring.semantic_weight, plan.scoring.keyword_weight),
        };
    let fused = fusion::fuse(plan.scoring.fusion, semantic_weight, keyword_weight, &signals);
    let mut ranked: Vec<Ranked> = candidates
        .into_iter()
        .zip(fused)
        .map(|(candidate, fused)| scored(&plan.scoring, strategy, moment, candidate, fused))
        .filter(|ranked| plan.min_score.is_none_or(|floor| ranked.score >= floor))
        .collect();
    ranked.sort_by(order);
    ranked.truncate(limit);
    ranked
}

/// Ranks by age alone: newest first, the score falling from 1 in equal steps.
pub fn rank_recent(plan: &Plan, moment: Moment, mut candidates: Vec<Candidate>, limit: usize) -> Vec<Ranked> {
    candidates.sort_by(|a, b| newer_first(a, b));
    candidates.truncate(limit);
    let steps = candidates.len().max(1) as f64;
    candidates
        .into_iter()
        .enumerate()
        .map(|(place, candidate)| {
            let fused = Fused { relevance: 1.0 - place as f64 / steps, ..Fused::default() };
            let scored = scored(&plan.scoring, Strategy::Recent, moment, candidate, fused);
            Ranked { score: fused.relevance, ..scored }
        })
        .filter(|ranked| plan.min_score.is_none_or(|floor| ranked.score >= floor))
        .collect()
}

/// The boosts scale relevance, so nothing they say lifts what is not relevant:
/// `score = relevance * (1 - Σw + Σ w·factor)`.
fn scored(scoring: &Scoring, strategy: Strategy, moment: Moment, candidate: Candidate, fused: Fused) -> Ranked {
    let age_days = boost::age_days(candidate.created, moment.now);
    let recency = boost::recency(scoring.recency_curve, scoring.recency_days, age_days);
    let importance = boost::importance(candidate.importance);
    let popularity = boost::popularity(
        scoring.popularity_curve,
        scoring.popularity_cap,
        candidate.access_count,
        moment.highest_access_count,
    );
    let boosts = scoring.recency_boost + scoring.importance_boost + scoring.popularity_boost;
    let factor = 1.0 - boosts
        + scoring.recency_boost * recency
        + scoring.importance_boost * importance
        + scoring.popularity_boost * popularity;
    Ranked { score: fused.relevance * factor, candidate, fused, recency, importance, popularity, strategy }
}

/// An entry whose similarity is known must reach the floor; one without embedding stays if its
/// words match.
fn above_similarity_floor(plan: &Plan, candidate: &Candidate) -> bool {
    match (plan.min_similarity, candidate.signals.cosine) {
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
    use crate::plan::Bounds;
    use crate::request::SearchRequest;

    const DAY: i64 = 86_400_000_000;
    const MOMENT: Moment = Moment { now: 1000 * DAY, highest_access_count: 0 };

    fn plan(options: &str) -> Plan {
        let request = SearchRequest {
            memory_id: Some("m".into()),
            query: Some("q".into()),
            options: Some(options.into()),
            ..SearchRequest::default()
        };
        Plan::resolve(request, Bounds::default()).unwrap()
    }

    fn candidate(id: &str, age_days: i64, cosine: f64, bm25: Option<f64>, importance: f64) -> Candidate {
        Candidate {
            id: id.into(),
            created: (1000 - age_days) * DAY,
            importance,
            access_count: 0,
            signals: Signals { cosine: Some(cosine), bm25, semantic_rank: Some(1), keyword_rank: bm25.map(|_| 1) },
        }
    }

    fn ids(ranked: &[Ranked]) -> Vec<&str> {
        ranked.iter().map(|r| r.candidate.id.as_str()).collect()
    }

    #[test]
    fn an_important_new_entry_cannot_beat_a_relevant_old_one() {
        let all = vec![candidate("irrelevant", 0, 0.1, None, 100.0), candidate("relevant", 900, 0.9, Some(5.0), 0.0)];
        assert_eq!(ids(&rank(&plan("{}"), Strategy::Hybrid, MOMENT, all, 5)), ["relevant", "irrelevant"]);
    }

    #[test]
    fn of_equally_relevant_entries_the_newer_and_then_the_more_important_wins() {
        let all = vec![
            candidate("old", 400, 0.9, Some(5.0), 50.0),
            candidate("new", 1, 0.9, Some(5.0), 50.0),
            candidate("old-important", 400, 0.9, Some(5.0), 95.0),
        ];
        assert_eq!(ids(&rank(&plan("{}"), Strategy::Hybrid, MOMENT, all, 5)), ["new", "old-important", "old"]);
    }

    #[test]
    fn ties_fall_to_the_newer_and_then_to_the_id() {
        let without_boosts = plan(r#"{"boosts": {"recency": 0, "importance": 0}}"#);
        let all = vec![
            candidate("b", 5, 0.5, None, 1.0),
            candidate("a", 5, 0.5, None, 1.0),
            candidate("c", 4, 0.5, None, 1.0),
        ];
        assert_eq!(ids(&rank(&without_boosts, Strategy::Hybrid, MOMENT, all, 5)), ["c", "a", "b"]);
    }

    #[test]
    fn without_any_word_match_meaning_has_the_whole_scale() {
        let unboosted = plan(r#"{"boosts": {"recency": 0, "importance": 0}}"#);
        let all = vec![candidate("near", 5, 0.5, None, 50.0), candidate("far", 5, 0.1, None, 50.0)];
        assert_eq!(rank(&unboosted, Strategy::Hybrid, MOMENT, all, 5)[0].score, 1.0);
    }

    #[test]
    fn a_similarity_floor_keeps_unembedded_entries_whose_words_match() {
        let floor = plan(r#"{"minSimilarity": 0.4}"#);
        let mut unembedded = candidate("words", 5, 0.0, Some(1.0), 50.0);
        unembedded.signals.cosine = None;
        let all = vec![candidate("near", 5, 0.5, None, 50.0), candidate("far", 5, 0.3, Some(9.0), 50.0), unembedded];
        assert_eq!(ids(&rank(&floor, Strategy::Hybrid, MOMENT, all, 5)), ["near", "words"]);
    }

    #[test]
    fn recent_scores_fall_from_one() {
        let all = vec![candidate("old", 9, 0.9, None, 0.0), candidate("new", 1, 0.1, None, 0.0)];
        let ranked = rank_recent(&plan("{}"), MOMENT, all, 5);
        assert_eq!(ids(&ranked), ["new", "old"]);
        assert_eq!((ranked[0].score, ranked[1].score), (1.0, 0.5));
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
            let plan = plan("{}");
            prop_assert_eq!(
                rank(&plan, Strategy::Hybrid, MOMENT, unique, 10),
                rank(&plan, Strategy::Hybrid, MOMENT, turned, 10)
            );
        }

        #[test]
        fn scores_stay_in_their_range_and_fall(all in proptest::collection::vec(any_candidate(), 0..40)) {
            let ranked = rank(&plan("{}"), Strategy::Hybrid, MOMENT, all, 10);
            for pair in ranked.windows(2) {
                prop_assert!(pair[0].score >= pair[1].score);
            }
            for one in &ranked {
                prop_assert!((0.0..=1.0).contains(&one.score));
            }
        }
    }
}
