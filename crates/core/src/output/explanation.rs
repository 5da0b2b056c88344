//! Why each candidate of a search ranks as it does, as rows.

use serde_json::json;

use crate::Tick;
use crate::output::response::rounded;
use crate::rank::association;
use crate::rank::boosts::Contributions;
use crate::rank::candidate::Candidate;
use crate::rank::outcome::Settled;
use crate::rank::ranking::{Floor, Ranked, Reranked};
use crate::rank::selection::Outcome;
use crate::request::plan::Plan;
use crate::text::typo::Taken;
use crate::timestamp;

/// Contributions have ten digits, so that the shown values add up to the shown score.
const CONTRIBUTION_SCALE: f64 = 1e10;

/// One row of an explanation. The contributions add up to the score.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Explained {
    pub rank: Option<usize>,
    /// The number of the entry's memory among those searched.
    pub memory: Option<u32>,
    pub entry_id: Option<String>,
    pub outcome: String,
    pub score: Option<f64>,
    pub semantic: Option<f64>,
    pub keyword: Option<f64>,
    pub recency: Option<f64>,
    pub importance: Option<f64>,
    pub popularity: Option<f64>,
    /// The part of the score for belonging to the best, by `options.expand`.
    pub related: Option<f64>,
    /// JSON text: raw values, ranks, normalised values, weights and factors.
    pub details: Option<String>,
    pub entry: Option<String>,
}

/// A row for every candidate: the ranked ones best first, then those below a floor. `taken`: the words of the query
/// that were taken for others.
pub fn rows(plan: &Plan, settled: Settled, taken: &[Taken], tick: Tick<'_>) -> Vec<Explained> {
    let ranked = settled.ranked.into_iter().enumerate().map(|(rank, (ranked, outcome))| {
        tick();
        let outcome = match outcome {
            Outcome::Returned => "returned".to_owned(),
            Outcome::BelowCut => format!("below the cut: top_ke is {}", plan.top_ke),
            Outcome::Duplicate { of, similarity } => format!("duplicate of {of}: similarity {similarity:.3}"),
            Outcome::OfFullGroup { name, most } => {
                format!("better ones have the places of its {}: atMost is {most}", crate::error::shown(&name))
            }
            Outcome::LessDifferent { of, similarity } => {
                format!("less different: its similarity to {of} is {similarity:.3}, and mmr wants others")
            }
        };
        explained(plan, rank + 1, ranked, outcome, taken)
    });
    let below = settled.below_floor.into_iter().map(|(candidate, floor)| {
        let outcome = match floor {
            Floor::Similarity => match (candidate.signals.cosine, plan.ranking.min_similarity) {
                (Some(cosine), Some(floor)) => format!("similarity {cosine:.3} is below minSimilarity {floor}"),
                _ if candidate.is_found_by_association_alone() => {
                    "options.expand alone found it, and minSimilarity asks for meaning".to_owned()
                }
                _ => "has no embedding to reach minSimilarity with".to_owned(),
            },
            Floor::Relevance => "not relevant, and options.relevantOnly is set".to_owned(),
            Floor::Score => format!("score is below minScore {}", plan.ranking.min_score.unwrap_or_default()),
        };
        Explained {
            memory: Some(candidate.memory),
            entry_id: Some(candidate.id.clone()),
            outcome,
            details: Some(raw(&candidate)),
            ..Explained::default()
        }
    });
    ranked.chain(below).collect()
}

fn explained(plan: &Plan, rank: usize, ranked: Ranked, outcome: String, taken: &[Taken]) -> Explained {
    let scoring = &plan.ranking.scoring;
    let (fused, parts) = (&ranked.fused, &ranked.contributions);
    let of_relevance = Contributions::of_relevance(scoring) * ranked.lift * ranked.feedback * fused.scale;
    let keyword = of_relevance * fused.keyword_weight * fused.keyword.unwrap_or(0.0);
    let cut = |value: f64| (value * CONTRIBUTION_SCALE).round() / CONTRIBUTION_SCALE;
    let related = cut(Contributions::of_relevance(scoring) * ranked.feedback * ranked.pulled);
    let (keyword, recency) = (cut(keyword), cut(parts.recency + parts.used_recency));
    let (importance, popularity) = (cut(parts.importance), cut(parts.popularity));
    // The parts add up to the search's own score; a reranker's score is among the details.
    let own = cut(ranked.reranked.map_or(ranked.score, |reranked| reranked.own));
    // Candidates without a signal get no lift by their author, and only some ways of reading know it.
    let author = ranked.candidate.author.as_ref().filter(|_| ranked.candidate.has_signal());
    let mut details = json!({
        "strategy": ranked.strategy.word(),
        "semantic": {"rank": ranked.candidate.signals.semantic_rank, "cosine": ranked.candidate.signals.cosine,
                     "normalised": fused.semantic, "weight": fused.semantic_weight},
        "keyword": {"rank": ranked.candidate.signals.keyword_rank, "bm25": ranked.candidate.signals.bm25,
                    "withNearby": ranked.candidate.signals.words,
                    "normalised": fused.keyword, "weight": fused.keyword_weight},
        "relevance": fused.relevance, "scale": fused.scale, "lift": ranked.lift,
        "author": {"factor": ranked.lifts.author, "weight": scoring.author_boost, "name": author},
        "date": {"factor": ranked.lifts.date, "weight": scoring.date_boost},
        "length": {"factor": ranked.lifts.length, "weight": scoring.length_boost},
        "recency": {"factor": ranked.factors.recency, "weight": scoring.recency_boost},
        "importance": {"factor": ranked.factors.importance, "weight": scoring.importance_boost},
        "popularity": {"factor": ranked.factors.popularity, "weight": scoring.popularity_boost,
                       "accessCount": ranked.candidate.access_count}
    });
    if plan.expand {
        details["expand"] = json!({"association": ranked.candidate.association, "weight": association::WEIGHT,
                                   "added": ranked.pulled});
    }
    if scoring.used_recency_boost > 0.0 {
        let last_used = ranked.candidate.last_used.map(timestamp::format);
        details["usedRecency"] = json!({"factor": ranked.factors.used_recency, "weight": scoring.used_recency_boost,
                                        "lastUsed": last_used});
    }
    if scoring.feedback_boost > 0.0 {
        let said = ranked.candidate.feedback;
        details["feedback"] = json!({"factor": ranked.feedback, "weight": scoring.feedback_boost,
                                     "helpful": said.helpful, "unhelpful": said.unhelpful});
    }
    if let Some(agreement) = fused.agreement {
        details["semantic"]["agreement"] = json!(agreement);
    }
    if let Some(Reranked { score, weight, own }) = ranked.reranked {
        details["rerank"] = json!({"score": score, "weight": weight, "ownScore": own});
    }
    if !taken.is_empty() {
        details["typos"] = json!(taken);
    }
    Explained {
        rank: Some(rank),
        memory: Some(ranked.candidate.memory),
        entry_id: Some(ranked.candidate.id),
        outcome,
        score: Some(cut(ranked.score)),
        semantic: Some(cut(own - keyword - recency - importance - popularity - related)),
        keyword: Some(keyword),
        recency: Some(recency),
        importance: Some(importance),
        popularity: Some(popularity),
        related: Some(related),
        details: Some(details.to_string()),
        entry: None,
    }
}

fn raw(candidate: &Candidate) -> String {
    json!({"semantic": {"cosine": candidate.signals.cosine.map(rounded)}, "keyword": {"bm25": candidate.signals.bm25.map(rounded)}})
        .to_string()
}
