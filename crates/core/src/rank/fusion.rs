//! Fusion: how the semantic and the keyword signal of a set of candidates become one relevance in
//! 0..1. A signal that a candidate lacks contributes nothing.

use crate::request::choices::Fusion;

/// Rank constant of reciprocal rank fusion (Cormack, Clarke & Büttcher, SIGIR 2009).
const RRF_K: f64 = 60.0;

/// The signals of one candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signals {
    /// Cosine similarity; `None` without an embedding.
    pub cosine: Option<f64>,
    /// BM25 of the entry's own words; `None` where no word matches.
    pub bm25: Option<f64>,
    /// The same after neighbour smoothing: what ranks.
    pub words: Option<f64>,
    /// Place among the best by meaning, from 1; `None` if it was not among them.
    pub semantic_rank: Option<usize>,
    /// Place among the best by words, from 1.
    pub keyword_rank: Option<usize>,
}

/// What fusion makes of one candidate's signals.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Fused {
    /// The semantic signal on a scale of 0..1 (for [`Fusion::Plain`] the cosine itself).
    pub semantic: Option<f64>,
    /// The keyword signal on a scale of 0..1.
    pub keyword: Option<f64>,
    /// The weight that the semantic signal had.
    pub semantic_weight: f64,
    /// The weight that the keyword signal had.
    pub keyword_weight: f64,
    /// Their weighted sum, 0..1.
    pub relevance: f64,
}

/// Fuses all candidates of a search. The weights sum to 1; with only one signal in use its weight
/// is 1.
pub fn fuse(method: Fusion, semantic_weight: f64, keyword_weight: f64, all: &[Signals]) -> Vec<Fused> {
    let semantic: Vec<Option<f64>> = match method {
        Fusion::Plain => all.iter().map(|signals| signals.cosine).collect(),
        Fusion::Rescored => min_max(all.iter().map(|signals| signals.cosine)),
        Fusion::Weighted => min_max(all.iter().map(|signals| signals.semantic_rank.and(signals.cosine))),
        Fusion::Rrf => all.iter().map(|signals| signals.semantic_rank.map(reciprocal)).collect(),
    };
    let keyword: Vec<Option<f64>> = match method {
        Fusion::Plain | Fusion::Rescored => by_maximum(all.iter().map(|signals| signals.words)),
        Fusion::Weighted => by_maximum(all.iter().map(|signals| signals.keyword_rank.and(signals.words))),
        Fusion::Rrf => all.iter().map(|signals| signals.keyword_rank.map(reciprocal)).collect(),
    };
    semantic
        .into_iter()
        .zip(keyword)
        .map(|(semantic, keyword)| Fused {
            semantic,
            keyword,
            semantic_weight,
            keyword_weight,
            relevance: semantic_weight * semantic.unwrap_or(0.0) + keyword_weight * keyword.unwrap_or(0.0),
        })
        .collect()
}

/// 1/(k + rank), scaled so that rank 1 is 1.
fn reciprocal(rank: usize) -> f64 {
    (RRF_K + 1.0) / (RRF_K + rank as f64)
}

/// The least value becomes 0, the greatest 1; where all are equal, 1.
fn min_max(values: impl Iterator<Item = Option<f64>> + Clone) -> Vec<Option<f64>> {
    let (low, high) = values.clone().flatten().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
    values.map(|value| value.map(|v| if high > low { (v - low) / (high - low) } else { 1.0 })).collect()
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

    fn signals(cosine: Option<f64>, bm25: Option<f64>) -> Signals {
        Signals { cosine, bm25, words: bm25, semantic_rank: cosine.map(|_| 1), keyword_rank: bm25.map(|_| 1) }
    }

    #[test]
    fn rescored_is_the_formula_of_the_evaluation() {
        let all = [signals(Some(0.9), Some(2.0)), signals(Some(0.5), Some(8.0)), signals(Some(0.7), None)];
        let fused = fuse(Fusion::Rescored, 0.5, 0.5, &all);
        let relevance: Vec<f64> = fused.iter().map(|f| f.relevance).collect();
        for (got, expected) in relevance.iter().zip([0.5 + 0.125, 0.5, 0.25]) {
            assert!((got - expected).abs() < 1e-12, "{relevance:?}");
        }
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
        let fused = fuse(Fusion::Rrf, 0.5, 0.5, &[at(Some(1), Some(1)), at(Some(2), None)]);
        assert_eq!(fused[0].relevance, 1.0);
        assert!((fused[1].relevance - 0.5 * 61.0 / 62.0).abs() < 1e-12);
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
        let fused = fuse(Fusion::Weighted, 0.5, 0.5, &[outside, signals(Some(0.2), None)]);
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
                for fused in fuse(method, weight, 1.0 - weight, &all) {
                    prop_assert!((0.0..=1.0 + 1e-12).contains(&fused.relevance), "{:?}", fused);
                }
            }
        }

        #[test]
        fn a_greater_signal_never_lowers_relevance(all in proptest::collection::vec(case(), 2..30), weight in 0.0..=1.0f64) {
            let fused = fuse(Fusion::Rescored, weight, 1.0 - weight, &all);
            for (a, fa) in all.iter().zip(&fused) {
                for (b, fb) in all.iter().zip(&fused) {
                    if a.cosine >= b.cosine && a.bm25 >= b.bm25 {
                        prop_assert!(fa.relevance >= fb.relevance - 1e-12);
                    }
                }
            }
        }
    }
}
