//! Ranks the best entries again by scores from outside, alone or blended with their own.

use std::cmp::Ordering;

use crate::error::{Error, Result};
use crate::rank::by_entry::ByEntry;
use crate::rank::ranking::{Ranked, Ranking, Reranked};

/// Checks the scores of a reranker for a number of entries: one score from 0 to 1 for each, null for an entry that it
/// does not judge, in a list that is not nested.
pub fn check(entries: usize, scores: &[Option<f32>], is_list: bool) -> Result<()> {
    let refused = |message: String| {
        Err(Error::invalid(message).hint(
            "It takes (query text, entries text[]) and returns real[]: a score from 0 to 1 for each entry, in their \
             order. For a logit x, return 1 / (1 + exp(-x)).",
        ))
    };
    if !is_list {
        return refused("the reranker gave an array of several dimensions".to_owned());
    }
    if scores.len() != entries {
        let plural = if scores.len() == 1 { "" } else { "s" };
        return refused(format!("the reranker gave {} score{plural} for {entries} entries", scores.len()));
    }
    match scores.iter().flatten().find(|score| !(0.0..=1.0).contains(*score)) {
        Some(score) => refused(format!("the reranker gave the score {score}, which is not from 0 to 1")),
        None => Ok(()),
    }
}

/// Puts the entries with a score from outside first, in the order of `weight * outside + (1 - weight) * own`.
pub fn apply(mut ranking: Ranking, outside: &ByEntry<Option<f32>>, weight: f64) -> Ranking {
    let (mut shown, others): (Vec<Ranked>, Vec<Ranked>) =
        ranking.ranked.into_iter().partition(|ranked| outside.contains(ranked.candidate.key()));
    for ranked in &mut shown {
        if let Some(Some(score)) = outside.get(ranked.candidate.key()) {
            let (score, own) = (f64::from(*score), ranked.score);
            ranked.reranked = Some(Reranked { score, weight, own });
            ranked.score = weight * score + (1.0 - weight) * own;
        }
    }
    // Entries with equal scores keep the search's own order.
    shown.sort_by(|a, b| b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal));
    ranking.reranked = shown.len();
    shown.extend(others);
    ranking.ranked = shown;
    ranking
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::candidate::Candidate;
    use crate::rank::ranking::{self, Basis};
    use crate::request::presets;

    fn ranking() -> Ranking {
        let scores = [("a", 0.9), ("b", 0.8), ("c", 0.7), ("d", 0.6)];
        let candidates = scores.map(|(id, _)| Candidate { id: id.to_owned(), ..Candidate::default() });
        let rules = presets::context_ranking();
        let mut ranking = ranking::rank_recent(&rules, &Basis::default(), candidates.to_vec());
        ranking.ranked.iter_mut().zip(scores).for_each(|(ranked, (_, score))| ranked.score = score);
        ranking
    }

    fn order(scores: &[(&str, Option<f32>)], weight: f64) -> String {
        let mut outside = ByEntry::default();
        scores.iter().for_each(|(id, score)| outside.insert(0, (*id).to_owned(), *score));
        apply(ranking(), &outside, weight).ranked.into_iter().map(|ranked| ranked.candidate.id).collect()
    }

    #[test]
    fn those_shown_come_in_the_order_of_the_blend_and_before_the_others() {
        assert_eq!(order(&[("a", Some(0.1)), ("b", Some(0.2)), ("c", Some(0.3))], 1.0), "cbad");
        assert_eq!(order(&[("a", Some(0.1)), ("b", Some(0.2)), ("c", Some(0.3))], 0.0), "abcd");
        assert_eq!(order(&[("a", Some(0.5)), ("b", Some(0.5)), ("c", Some(0.5))], 1.0), "abcd", "equal scores");
        assert_eq!(
            order(&[("a", Some(0.1)), ("b", None), ("c", Some(0.85))], 1.0),
            "cbad",
            "no verdict: its own score"
        );
    }

    #[test]
    fn those_shown_are_counted_also_without_a_verdict() {
        let mut outside = ByEntry::default();
        [("b", Some(0.3)), ("d", None)].into_iter().for_each(|(id, score)| outside.insert(0, id.to_owned(), score));
        assert_eq!(apply(ranking(), &outside, 1.0).reranked, 2);
    }

    #[test]
    fn a_score_for_each_entry_from_0_to_1() {
        let check = |entries, scores: &[Option<f32>]| check(entries, scores, true);
        assert!(check(2, &[Some(0.0), Some(1.0)]).is_ok() && check(1, &[None]).is_ok() && check(0, &[]).is_ok());
        assert!(super::check(1, &[None], false).is_err());
        for bad in [&[][..], &[Some(0.5)][..], &[Some(0.5), Some(1.5)][..], &[Some(f32::NAN), None][..]] {
            assert!(check(2, bad).is_err(), "{bad:?}");
        }
    }
}
