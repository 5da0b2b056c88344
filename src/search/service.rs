//! The one pipeline: every search function is a view of it.

use memory_search_core::lexemes::QueryLexemes;
use memory_search_core::options::Strategy;
use memory_search_core::plan::{Plan, Scoring};
use memory_search_core::rank::{self, Candidate, Moment, Ranked};
use memory_search_core::request::SearchRequest;
use memory_search_core::response::SearchResponse;
use memory_search_core::{Error, Result, embedding, timestamp};

use crate::pg::spi::{self, Reader};
use crate::pg::{catalog, clock, embedder, guc};
use crate::search::hydrate::{self, Found};
use crate::search::scope::{FALLBACK_IMPORTANCE, Scope};
use crate::search::semantic::{self, Searched};
use crate::search::{contexts, keyword, recent};

/// The whole response of `memory_search`.
pub fn search(request: SearchRequest) -> Result<SearchResponse> {
    run(request, |reader, scope, inputs| {
        let entries: Vec<_> = find(reader, scope, inputs)?.into_iter().map(|found| found.entry).collect();
        let latest = contexts::latest(reader, scope)?;
        let contexts = match &latest {
            Some(latest) => contexts::relevant(reader, scope, &inputs.lexemes, inputs.vector(), latest)?,
            None => Vec::new(),
        };
        Ok(SearchResponse {
            count: entries.len(),
            entries,
            latest_context_timestamp: latest.as_ref().map(|latest| timestamp::format(latest.created)),
            latest_context: latest.map(|latest| latest.text).unwrap_or_default(),
            contexts,
        })
    })
}

/// The entries alone.
pub fn search_entries(request: SearchRequest) -> Result<Vec<Found>> {
    run(request, find)
}

/// What a search has to go by.
struct Inputs {
    vector: Option<Vec<f32>>,
    lexemes: QueryLexemes,
}

impl Inputs {
    fn vector(&self) -> Option<&[f32]> {
        self.vector.as_deref()
    }
}

fn run<T>(request: SearchRequest, answer: impl FnOnce(&Reader<'_, '_>, &Scope<'_>, &Inputs) -> Result<T>) -> Result<T> {
    let store_name = match &request.store {
        Some(name) if name.is_empty() => return Err(Error::invalid("store must not be empty")),
        Some(name) => name.clone(),
        None => guc::store(),
    };
    let plan = Plan::resolve(request, guc::bounds())?;
    let store = spi::read(|reader| catalog::store(reader, &store_name))?;
    let vector = query_vector(&plan, &store)?;
    let now = plan.as_of.unwrap_or_else(clock::transaction_start);
    let scope = Scope { store: &store, plan: &plan, now };
    spi::read(|reader| {
        let by_words = !plan.query.is_empty()
            && matches!(plan.strategy, Strategy::Auto | Strategy::Hybrid | Strategy::Keyword)
            || plan.fallback;
        let lexemes = if by_words && !plan.query.is_empty() {
            keyword::lexemes(reader, &scope)?
        } else {
            QueryLexemes::default()
        };
        answer(reader, &scope, &Inputs { vector, lexemes })
    })
}

/// The vector to search with: the caller's, or the embedder's where it fits the store.
fn query_vector(plan: &Plan, store: &catalog::Store) -> Result<Option<Vec<f32>>> {
    let by_meaning = matches!(plan.strategy, Strategy::Auto | Strategy::Hybrid | Strategy::Semantic);
    match &plan.embedding {
        Some(given) => {
            if let Some(dimensions) = store.embedding.dimensions {
                embedding::check_dimensions(given, dimensions)?;
            }
            Ok(by_meaning.then(|| embedding::normalised(given)))
        }
        None if plan.query.is_empty() || !by_meaning => Ok(None),
        None => Ok(embedder::embed(&plan.query)?.filter(|vector| store.takes(vector.len()))),
    }
}

/// The strategy with its fallbacks: the first that has candidates answers. Floors and filters that
/// leave nothing are the caller's will and cause no step down.
fn find(reader: &Reader<'_, '_>, scope: &Scope<'_>, inputs: &Inputs) -> Result<Vec<Found>> {
    let plan = scope.plan;
    if plan.top_ke == 0 {
        return Ok(Vec::new());
    }
    let mut winners = Vec::new();
    for (step, strategy) in steps(plan, inputs).into_iter().enumerate() {
        let is_fallback = step > 0;
        let (candidates_found, ranked) = attempt(reader, scope, inputs, strategy, is_fallback)?;
        winners = ranked;
        if candidates_found {
            break;
        }
    }
    hydrate::entries(reader, scope, winners)
}

/// The strategies to try, in order.
fn steps(plan: &Plan, inputs: &Inputs) -> Vec<Strategy> {
    let has_words = !plan.query.is_empty();
    let first = match plan.strategy {
        Strategy::Auto => match (inputs.vector.is_some(), has_words) {
            (true, true) => Strategy::Hybrid,
            (true, false) => Strategy::Semantic,
            (false, true) => Strategy::Keyword,
            (false, false) => Strategy::Recent,
        },
        asked => asked,
    };
    if !plan.fallback {
        return vec![first];
    }
    match first {
        Strategy::Semantic => vec![first, Strategy::Keyword, Strategy::Recent],
        Strategy::Recent => vec![first],
        _ => vec![first, Strategy::Recent],
    }
}

/// Runs one strategy: whether it had candidates at all, and its winners.
fn attempt(
    reader: &Reader<'_, '_>,
    scope: &Scope<'_>,
    inputs: &Inputs,
    strategy: Strategy,
    is_fallback: bool,
) -> Result<(bool, Vec<Ranked>)> {
    let plan = scope.plan;
    let mut moment = Moment { now: scope.now, highest_access_count: 0 };
    let mut candidates = match strategy {
        Strategy::Recent => {
            let least = if is_fallback { FALLBACK_IMPORTANCE } else { 0.0 };
            recent::newest(reader, scope, least, plan.top_ke)?
        }
        _ => by_signals(reader, scope, inputs, strategy)?,
    };
    if candidates.is_empty() {
        return Ok((false, Vec::new()));
    }
    if plan.scoring.popularity_boost > 0.0 {
        moment.highest_access_count = hydrate::add_access_counts(reader, scope, &mut candidates)?;
    }
    let winners = match strategy {
        Strategy::Recent => rank::rank_recent(plan, moment, candidates, plan.top_ke),
        _ => rank::rank(plan, strategy, moment, candidates, plan.top_ke),
    };
    Ok((true, winners))
}

fn by_signals(
    reader: &Reader<'_, '_>,
    scope: &Scope<'_>,
    inputs: &Inputs,
    strategy: Strategy,
) -> Result<Vec<Candidate>> {
    let limit = scope.plan.candidates;
    let vector = inputs.vector().filter(|_| strategy != Strategy::Keyword);
    let mut candidates = match vector {
        Some(vector) => semantic::nearest(reader, scope, Searched::Entries, vector, limit)?,
        None => Vec::new(),
    };
    if strategy != Strategy::Semantic {
        let words = keyword::best(reader, scope, Searched::Entries, &inputs.lexemes, &candidates, limit)?;
        merge(&mut candidates, words);
        if let Some(vector) = vector {
            semantic::add_similarities(reader, scope, Searched::Entries, vector, &mut candidates)?;
        }
    }
    Ok(candidates)
}

/// Joins what the words found with what the meaning found: one candidate an entry.
pub fn merge(candidates: &mut Vec<Candidate>, words: keyword::Found) {
    let mut by_words: std::collections::HashMap<String, Candidate> =
        words.best.into_iter().map(|candidate| (candidate.id.clone(), candidate)).collect();
    for candidate in candidates.iter_mut() {
        candidate.signals.bm25 = words.asked.get(&candidate.id).copied();
        if let Some(twin) = by_words.remove(&candidate.id) {
            candidate.signals.keyword_rank = twin.signals.keyword_rank;
        }
    }
    candidates.extend(by_words.into_values());
}

/// The plan for ranking contexts.
pub fn without_boosts_and_floors(plan: &Plan) -> Plan {
    Plan {
        scoring: Scoring { recency_boost: 0.0, importance_boost: 0.0, popularity_boost: 0.0, ..plan.scoring },
        min_similarity: None,
        min_score: None,
        ..plan.clone()
    }
}
