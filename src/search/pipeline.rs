//! The one pipeline: every search function is a view of it.

use std::rc::Rc;

use memory_search_core::filter::condition::TextField;
use memory_search_core::limits;
use memory_search_core::output::response::{Entries, NeighbourResponse, SearchResponse};
use memory_search_core::rank::choices::Strategy;
use memory_search_core::rank::lift::Question;
use memory_search_core::rank::outcome::Settled;
use memory_search_core::rank::ranking::{self, Basis, Ranking};
use memory_search_core::rank::reranking;
use memory_search_core::rank::strategy::Given;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::request::plan::Plan;
use memory_search_core::request::search_request::SearchRequest;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_core::vector::embedding;
use memory_search_core::{Result, timestamp};

use crate::embed::embedder::{self, Without};
use crate::pg::settings;
use crate::pg::spi::{self, Reader};
use crate::pg::{clock, interrupt, open_relation};
use crate::search::fetch::{self, Compared, Found};
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::searched::Searched;
use crate::search::source::recent;
use crate::search::source::{self, FoundBySignals, Wanted};
use crate::search::trace::Trace;
use crate::search::{contexts, memories, neighbours, query_words, rerank, snippets};
use crate::store::definition::{self, Store, placement};

/// How many times as many candidates are ranked when near duplicates left too few, and how many at the most: so
/// many are held in memory.
const MORE_CANDIDATES: usize = 4;
const MAX_CANDIDATES: usize = 200_000;

/// The whole response of `memory_search`.
pub fn search(request: SearchRequest) -> Result<SearchResponse> {
    run(request, |reader, scopes, inputs| {
        let all: Vec<_> = find_briefly(reader, scopes, inputs)?.into_iter().map(|found| found.entry).collect();
        let (latest, contexts) = scopes
            .trace
            .phase("contexts", || contexts::latest_and_relevant(reader, scopes, &inputs.lexemes, inputs.vector()))?;
        Ok(SearchResponse {
            diagnostics: scopes.plan.diagnostics.then(|| scopes.trace.diagnostics()),
            count: all.len(),
            entries: Entries { all, fields: scopes.plan.fields.clone() },
            latest_context_timestamp: latest.as_ref().and_then(|latest| latest.created).map(timestamp::format),
            latest_context: latest.map(|latest| latest.text).unwrap_or_default(),
            contexts,
        })
    })
}

/// The entries alone.
pub fn search_entries(request: SearchRequest) -> Result<Vec<Found>> {
    run(request, find_briefly)
}

/// The winners with their texts, shortened where the request says so.
fn find_briefly(reader: &Reader<'_>, scopes: &Scopes<'_>, inputs: &Inputs) -> Result<Vec<Found>> {
    let mut found = find(reader, scopes, inputs)?;
    if scopes.plan.neighbours.is_some() {
        let neighbours = scopes.trace.phase("neighbours", || neighbours::of(reader, scopes, &found))?;
        for (found, neighbours) in found.iter_mut().zip(neighbours) {
            found.entry.neighbours = Some(neighbours.into_iter().map(NeighbourResponse::from).collect());
        }
    }
    if let Some(wanted) = &scopes.plan.snippets {
        scopes
            .trace
            .phase("snippets", || snippets::add(reader, scopes, &inputs.lexemes, wanted, wanted.marks(), &mut found))?;
    }
    if let Some(most) = scopes.plan.max_characters {
        found.iter_mut().for_each(|found| found.entry.cut(most));
    }
    Ok(found)
}

/// What a search has to go by.
pub struct Inputs {
    vector: Option<Vec<f32>>,
    /// The query's words.
    pub lexemes: QueryLexemes,
}

impl Inputs {
    /// The query's vector.
    pub fn vector(&self) -> Option<&[f32]> {
        self.vector.as_deref()
    }
}

/// Resolves a request and answers it in one snapshot.
pub fn run<T>(
    request: SearchRequest,
    answer: impl FnOnce(&Reader<'_>, &Scopes<'_>, &Inputs) -> Result<T>,
) -> Result<T> {
    let trace = &Trace::new();
    let store_name = settings::store_or(request.store.clone())?;
    let plan = Plan::resolve(request, settings::bounds())?;
    let rerank = rerank::asked(&plan)?;
    let store = trace.phase("store", || spi::read(|reader| definition::store(reader, &store_name)))?;
    let (vector, embedder) = trace.phase("embed", || query_vector(&plan, &store))?;
    let now = plan.as_of.unwrap_or_else(clock::transaction_start);
    spi::read(|reader| {
        let store = trace.phase("store", || locked(reader, &store_name, store))?;
        store.require_all_of(&plan.filters.condition())?;
        for who in plan.looks_at_sessions() {
            store.require(TextField::SessionId, who)?;
        }
        let memory_ids = memories::of_plan(reader, &store, &plan)?;
        let stores: Vec<Rc<Store>> =
            memory_ids.iter().map(|memory_id| holding(reader, &store, memory_id)).collect::<Result<_>>()?;
        let search = || {
            let (lexemes, demands) = trace.phase("words", || {
                let lexemes = match plan.asked().needs_words() {
                    true => query_words::lexemes(reader, &store, &plan)?,
                    false => QueryLexemes::default(),
                };
                Ok::<_, memory_search_core::Error>((lexemes, query_words::demands(reader, &store, &plan)?))
            })?;
            let (embedder, demands) = (embedder.as_deref(), demands.as_deref());
            let scope = |(memory_id, store)| Scope {
                contexts: Store::relation(store, "contexts").to_string(),
                store,
                memory_id,
                plan: &plan,
                now,
                contexts_of_entries: false,
                embedder,
                demands,
            };
            let stores = stores.iter().map(Rc::as_ref);
            let memories = memory_ids.iter().zip(stores).map(scope).collect();
            let scopes = Scopes { plan: &plan, now, embedder, demands, rerank, trace, memories };
            answer(reader, &scopes, &Inputs { vector, lexemes })
        };
        // A plan for any memory would lock every partition; one for this memory locks the partition that holds it.
        if store.is_partitioned { settings::with(c"plan_cache_mode", c"force_custom_plan", search) } else { search() }
    })
}

/// The store with the relations that hold a memory: where it is distributed, the memory's shards.
fn holding(reader: &Reader<'_>, store: &Rc<Store>, memory_id: &MemoryId) -> Result<Rc<Store>> {
    if !store.is_distributed {
        return Ok(Rc::clone(store));
    }
    let found = spi::with_catalogs_as_they_stand(|| placement::of_memory(reader, store, memory_id))?;
    Ok(found.map_or_else(|| Rc::clone(store), Rc::new))
}

/// The store's definition as it stands once its tables are locked as a query locks them: a policy that was
/// committed while the query was embedded is known, and none can come until the end of the transaction.
fn locked(reader: &Reader<'_>, name: &StoreName, mut store: Rc<Store>) -> Result<Rc<Store>> {
    loop {
        open_relation::lock(store.read_from.entries);
        open_relation::lock(store.read_from.contexts);
        if store.read_from.source != 0 {
            open_relation::lock(store.read_from.source);
        }
        let now = definition::store(reader, name)?;
        if now.read_from == store.read_from {
            return Ok(now);
        }
        store = now;
    }
}

/// The vector to search with: the caller's, or the embedder's where it fits the store, with its name.
fn query_vector(plan: &Plan, store: &Store) -> Result<(Option<Vec<f32>>, Option<String>)> {
    let by_meaning = plan.asked().needs_vector();
    match &plan.embedding {
        Some(given) => {
            if let Some(dimensions) = store.embedding.dimensions {
                embedding::check_dimensions(given, dimensions)?;
            }
            Ok((by_meaning.then(|| embedding::normalised(given)), None))
        }
        None if plan.query.wanted.is_empty() || !by_meaning => Ok((None, None)),
        None => {
            let vector = embedder::embed_query(&plan.query.wanted)?;
            if vector.is_none() {
                embedder::warn_if_not_installed(Without::Searching)?;
            }
            let vector = vector.filter(|vector| store.takes(vector.len()));
            Ok((vector, Some(embedder::name())))
        }
    }
}

/// The winners with their texts.
pub fn find(reader: &Reader<'_>, scopes: &Scopes<'_>, inputs: &Inputs) -> Result<Vec<Found>> {
    let settled = settle(reader, scopes, inputs)?;
    scopes.trace.phase("texts", || fetch::entries(reader, scopes, settled.into_winners()))
}

/// The strategy with its fallbacks: the first that has candidates answers. Floors that leave nothing
/// are the caller's will and cause no step down.
pub fn settle(reader: &Reader<'_>, scopes: &Scopes<'_>, inputs: &Inputs) -> Result<Settled> {
    let plan = scopes.plan;
    if plan.top_ke == 0 {
        return Ok(Settled::default());
    }
    let mut limit = plan.candidates;
    let mut reranked = None;
    loop {
        let mut ranking = first_with_candidates(reader, scopes, inputs, limit)?.unwrap_or_default();
        if let Some(rules) = scopes.rerank.as_ref().filter(|_| is_of_query(&ranking)) {
            // It is asked once, however many candidates are looked at in the end.
            let scores = match reranked.take() {
                Some(scores) => scores,
                None => scopes.trace.phase("rerank", || rerank::scores(reader, scopes, rules, &ranking))?,
            };
            ranking = reranking::apply(ranking, &scores, rules.weight);
            reranked = Some(scores);
        }
        let candidates = ranking.ranked.len() + ranking.below_floor.len();
        let settled = Settled::select(ranking, plan.selection(), &mut Compared { reader, scopes }, &interrupt::check)?;
        // Those that are passed over may have taken the places of all others among the candidates: then there are more
        // to look at.
        let may_be_more = plan.selection().passes_over() && candidates >= limit && limit < MAX_CANDIDATES;
        if settled.returned() == plan.top_ke || !may_be_more {
            return Ok(settled);
        }
        limit = (limit * MORE_CANDIDATES).min(MAX_CANDIDATES);
    }
}

/// Whether a ranking is by the query, and not by age alone.
fn is_of_query(ranking: &Ranking) -> bool {
    ranking.ranked.first().is_some_and(|best| best.strategy != Strategy::Recent)
}

fn first_with_candidates(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    inputs: &Inputs,
    limit: usize,
) -> Result<Option<Ranking>> {
    let given = Given { has_vector: inputs.vector.is_some(), has_demands: scopes.demands.is_some() };
    for (step, strategy) in scopes.plan.asked().steps(given).into_iter().enumerate() {
        if let Some(ranking) = attempt(reader, scopes, inputs, strategy, step > 0, limit)? {
            return Ok(Some(ranking));
        }
    }
    Ok(None)
}

/// Runs one strategy; `None` when it had no candidates at all.
fn attempt(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    inputs: &Inputs,
    strategy: Strategy,
    is_fallback: bool,
    limit: usize,
) -> Result<Option<Ranking>> {
    let plan = scopes.plan;
    let mut basis = Basis { now: scopes.now, ..Basis::default() };
    let mut candidates = match strategy {
        Strategy::Recent => {
            let least = if is_fallback { limits::FALLBACK_IMPORTANCE } else { 0.0 };
            // Some of the newest may have to make room.
            let wanted = if plan.selection().passes_over() { limit } else { plan.top_ke };
            scopes.trace.phase("newest", || recent::newest(reader, scopes, least, wanted))?
        }
        _ => {
            let FoundBySignals { mut candidates, words } = by_signals(reader, scopes, inputs, strategy, limit)?;
            if plan.ranking.scoring.looks_at_texts() {
                fetch::add_authors_and_lengths(reader, scopes, &mut candidates)?;
            }
            basis.words = words;
            basis.question = Question::of(&plan.query.wanted, scopes.now);
            candidates
        }
    };
    if candidates.is_empty() {
        return Ok(None);
    }
    if plan.ranking.scoring.popularity_boost > 0.0 {
        basis.highest_access_count = fetch::add_access_counts(reader, scopes, &mut candidates)?;
    }
    if plan.ranking.scoring.used_recency_boost > 0.0 || plan.ranking.scoring.feedback_boost > 0.0 {
        fetch::add_uses(reader, scopes, &mut candidates)?;
    }
    Ok(Some(match strategy {
        Strategy::Recent => ranking::rank_recent(&plan.ranking, &basis, candidates),
        _ => ranking::rank(&plan.ranking, strategy, &basis, candidates),
    }))
}

fn by_signals(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    inputs: &Inputs,
    strategy: Strategy,
    limit: usize,
) -> Result<FoundBySignals> {
    let vector = inputs.vector().filter(|_| strategy != Strategy::Keyword);
    let lexemes = Some(&inputs.lexemes).filter(|_| strategy != Strategy::Semantic);
    let wanted = Wanted { searched: Searched::Entries, vector, lexemes, limit };
    source::candidates(reader, scopes, &wanted)
}
