//! The pipeline of a search. Every search function calls it, and shows a part of its result.

use std::cell::OnceCell;
use std::rc::Rc;

use memory_search_core::bounds_and_defaults;
use memory_search_core::entities::aliases::Aliases;
use memory_search_core::output::response::{Entries, NeighbourResponse, SearchResponse};
use memory_search_core::output::short_answer;
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::rank::choices::Strategy;
use memory_search_core::rank::lift::Question;
use memory_search_core::rank::outcome::Settled;
use memory_search_core::rank::ranking::{self, Basis, Ranked, Ranking};
use memory_search_core::rank::reranking;
use memory_search_core::rank::strategy::Given;
use memory_search_core::request::names::StoreName;
use memory_search_core::request::plan::Plan;
use memory_search_core::request::search_request::SearchRequest;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_core::text::typo::Taken;
use memory_search_core::vector::embedding;
use memory_search_core::{Result, error, timestamp};

use crate::embed::embedder::{self, Without};
use crate::pg::settings;
use crate::pg::spi::{self, Reader};
use crate::pg::{clock, interrupt, memory_reserve, notice, open_relation, replay};
use crate::search::expand::Expansion;
use crate::search::fetch::{self, Compared, Found};
use crate::search::present_documents::PresentOfMemories;
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::searched::Searched;
use crate::search::source::recent;
use crate::search::source::{self, FoundBySignals, LookFurther, Wanted};
use crate::search::trace::Trace;
use crate::search::typos::{Corrected, Typos};
use crate::search::{contexts, memories, neighbours, page, query_words, rerank, sent, snippets};
use crate::store::definition::{self, Store, TablesOfLinks, known_aliases, placement};

/// The factor on the number of candidates if near duplicates or full groups left too few.
const MORE_CANDIDATES: usize = 4;
/// The most candidates, because all of them are in memory.
const MAX_CANDIDATES: usize = 200_000;

/// The whole response of `memory_search`.
pub fn search(request: SearchRequest) -> Result<SearchResponse> {
    run(request, response)
}

/// The response as JSON. If another node holds the memory, it comes from there.
pub fn search_anywhere(request: SearchRequest) -> Result<String> {
    let asked = request.clone();
    run(request, |reader, scopes, inputs| {
        if let Some(json) = sent::answered(reader, scopes, inputs.vector(), &asked)? {
            return Ok(json);
        }
        let response = response(reader, scopes, inputs)?;
        interrupt::check();
        short_answer::json(&response)
    })
}

/// The response to a search that another node sent; `None` if its memory cannot be read in place here.
pub fn search_sent(request: SearchRequest, settled: sent::Settled) -> Result<Option<SearchResponse>> {
    run_now(request, Some(settled), |reader, scopes, inputs| {
        if scopes.memories.iter().any(|scope| scope.store.is_elsewhere()) {
            return Ok(None);
        }
        response(reader, scopes, inputs).map(Some)
    })
}

fn response(reader: &Reader<'_>, scopes: &Scopes<'_>, inputs: &Inputs) -> Result<SearchResponse> {
    let winners = settle(reader, scopes, inputs)?.into_winners();
    let (winners, next_cursor) = page::cut(scopes.page.as_ref(), &scopes.memories, winners);
    let found = dressed(reader, scopes, inputs, winners)?;
    let all: Vec<_> = found.into_iter().map(|found| found.entry).collect();
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
        next_cursor,
        detail: scopes.plan.detail,
    })
}

/// The entries of the response, without its contexts.
pub fn search_entries(request: SearchRequest) -> Result<Vec<Found>> {
    run(request, |reader, scopes, inputs| {
        let winners = settle(reader, scopes, inputs)?.into_winners();
        dressed(reader, scopes, inputs, winners)
    })
}

/// Winners with their texts, which are shortened if the request says so, and with their neighbours and snippets.
fn dressed(reader: &Reader<'_>, scopes: &Scopes<'_>, inputs: &Inputs, winners: Vec<Ranked>) -> Result<Vec<Found>> {
    let mut found = with_texts(reader, scopes, winners)?;
    if scopes.plan.neighbours.is_some() {
        let neighbours = scopes.trace.phase("neighbours", || neighbours::of(reader, scopes, &found))?;
        for (found, neighbours) in found.iter_mut().zip(neighbours) {
            found.entry.neighbours = Some(neighbours.into_iter().map(NeighbourResponse::from).collect());
        }
    }
    if let Some(wanted) = &scopes.plan.snippets {
        scopes.trace.phase("snippets", || {
            snippets::add(reader, scopes, (inputs.vector(), inputs.found_by()), wanted, wanted.marks(), &mut found)
        })?;
    }
    if let Some(most) = scopes.plan.max_characters {
        found.iter_mut().for_each(|found| found.entry.cut(most));
    }
    Ok(found)
}

/// The query of a search, as a vector and as words.
pub struct Inputs {
    vector: Option<Vec<f32>>,
    /// The query's words.
    pub lexemes: QueryLexemes,
    /// The query's words with corrections of typos in words that no entry holds; set when candidates are searched.
    corrected: OnceCell<Corrected>,
}

impl Inputs {
    /// The query's vector.
    pub fn vector(&self) -> Option<&[f32]> {
        self.vector.as_deref()
    }

    /// The words that entries were found by.
    pub fn found_by(&self) -> &QueryLexemes {
        self.corrected.get().map_or(&self.lexemes, |corrected| &corrected.lexemes)
    }

    /// The words of the query that were taken for other words.
    pub fn taken(&self) -> &[Taken] {
        self.corrected.get().map_or(&[], |corrected| &corrected.taken)
    }
}

/// Resolves a request and answers it in one snapshot.
pub fn run<T>(
    request: SearchRequest,
    answer: impl FnOnce(&Reader<'_>, &Scopes<'_>, &Inputs) -> Result<T>,
) -> Result<T> {
    replay::awaited(|| run_now(request, None, answer))
}

fn run_now<T>(
    request: SearchRequest,
    sent: Option<sent::Settled>,
    answer: impl FnOnce(&Reader<'_>, &Scopes<'_>, &Inputs) -> Result<T>,
) -> Result<T> {
    let (trace, present) = (&Trace::new(), &PresentOfMemories::default());
    let store_name = settings::store_or(request.store.clone())?;
    let bounds = sent.as_ref().map_or_else(settings::bounds, sent::Settled::bounds);
    let options = request.options.clone();
    let mut plan = Plan::resolve(request, bounds)?;
    let per_candidate = plan.candidates.saturating_mul(memory_reserve::BYTES_OF_CANDIDATE);
    let _reserve = memory_reserve::hold(memory_reserve::BYTES.saturating_add(per_candidate))?;
    // A search with a reranker is not sent. On a node that got a search, its own setting may differ from the caller's.
    let rerank = if sent.is_some() { None } else { rerank::asked(&plan)? };
    let store = trace.phase("store", || spi::read(|reader| definition::store(reader, &store_name)))?;
    plan.rank_by(store.ranking()?.as_ref(), options.as_deref())?;
    let begun = sent.as_ref().map_or_else(clock::transaction_start, |sent| sent.now);
    let (vector, embedder) = match sent {
        Some(sent) => (sent.vector_for(&store)?, sent.embedder),
        None => trace.phase("embed", || query_vector(&plan, &store))?,
    };
    let now = plan.as_of.unwrap_or(begun);
    let page = page::asked(&plan, &store_name, embedder.as_deref(), rerank.as_ref(), now)?;
    // Every page uses the ages of the first page, but shows only entries that are still present.
    let ages_at = page.as_ref().map_or(now, |page| page.shown.first_asked);
    spi::read(|reader| {
        let store = trace.phase("store", || locked(reader, &store_name, store))?;
        store.require_keys_for(&plan.filters.condition())?;
        store.require_intervals_for(plan.validity)?;
        if let Some(newest) = &plan.newest {
            store.require_keys_for(&newest.filters.condition())?;
        }
        let memory_ids = memories::of_plan(reader, &store, &plan)?;
        let stores: Vec<Rc<Store>> = memory_ids
            .iter()
            .map(|memory_id| placement::of_memory(reader, &store, memory_id))
            .collect::<Result<_>>()?;
        let asks_for_entities = plan.expand
            || plan.filters.condition().asks_for_entities()
            || plan.newest.as_ref().is_some_and(|newest| newest.filters.condition().asks_for_entities())
            || plan.pinned.as_ref().is_some_and(|pinned| pinned.condition().asks_for_entities());
        let tables = match asks_for_entities {
            true => TablesOfLinks::find(reader, &store.schema)?,
            false => TablesOfLinks::default(),
        };
        let aliases: Vec<Aliases> = memory_ids
            .iter()
            .zip(&stores)
            .map(|(memory_id, store)| known_aliases::of_memory_in(reader, store, tables, memory_id))
            .collect::<Result<_>>()?;
        let search = || {
            let (lexemes, demands) = trace.phase("words", || {
                let lexemes = match plan.asked().needs_words() {
                    true => query_words::lexemes(&store, &plan)?,
                    false => QueryLexemes::default(),
                };
                Ok::<_, memory_search_core::Error>((lexemes, query_words::demands(&store, &plan)?))
            })?;
            let (embedder, demands) = (embedder.as_deref(), demands.as_ref());
            let given = Given { has_vector: vector.is_some(), has_demands: demands.is_some() };
            if plan.asked().needs_words() && lexemes.is_empty() && !given.has_vector && !given.has_demands {
                say_that_nothing_is_asked(&plan, given);
            }
            let whole: &Store = &store;
            let scope = |((memory_id, store), aliases)| Scope {
                aliases,
                has_links: tables.links.is_some(),
                whole,
                store,
                memory_id,
                plan: &plan,
                now,
                contexts_of_entries: false,
                embedder,
                demands,
            };
            let stores = stores.iter().map(Rc::as_ref);
            let memories = memory_ids.iter().zip(stores).zip(&aliases).map(scope).collect();
            let scopes = Scopes { plan: &plan, page, ages_at, embedder, demands, rerank, trace, present, memories };
            answer(reader, &scopes, &Inputs { vector, lexemes, corrected: OnceCell::new() })
        };
        // A plan for any memory would lock every partition; one for this memory locks the partition that holds it.
        if stores.iter().any(|store| store.is_partitioned) {
            settings::with(c"plan_cache_mode", c"force_custom_plan", search)
        } else {
            search()
        }
    })
}

/// The store's definition, read again after its tables are locked as a query locks them: it has a policy that was
/// committed while the query was embedded, and no new policy can come before the end of the transaction.
fn locked(reader: &Reader<'_>, name: &StoreName, mut store: Rc<Store>) -> Result<Rc<Store>> {
    loop {
        open_relation::lock(store.read_from.entries);
        open_relation::lock(store.read_from.contexts);
        for oid in [store.read_from.entry_access, store.read_from.source] {
            if oid != 0 {
                open_relation::lock(oid);
            }
        }
        let now = definition::store(reader, name)?;
        if now.read_from == store.read_from {
            return Ok(now);
        }
        store = now;
    }
}

/// A query that has only stop words finds nothing by words, and without an embedding nothing at all. The answer does
/// not show that it ignores the query, so a notice says it.
fn say_that_nothing_is_asked(plan: &Plan, given: Given) {
    let steps = plan.asked().steps(given);
    let answers = match steps.iter().position(|step| *step == Strategy::Recent) {
        Some(0) => "the answer has the newest entries".to_owned(),
        Some(_) => {
            let least = bounds_and_defaults::FALLBACK_IMPORTANCE;
            format!("the answer has the newest entries of importance {least} or more")
        }
        None => "no entry is found".to_owned(),
    };
    let query = error::shown(&plan.query.wanted);
    notice::inform_once(&format!("the query \"{query}\" has only stop words, or no words: {answers}"));
}

/// The vector of the query: the caller's, or one of the embedder if it fits the store, with the embedder's name.
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
    let winners = settle(reader, scopes, inputs)?.into_winners();
    with_texts(reader, scopes, winners)
}

fn with_texts(reader: &Reader<'_>, scopes: &Scopes<'_>, winners: Vec<Ranked>) -> Result<Vec<Found>> {
    scopes.trace.phase("texts", || fetch::entries(reader, scopes, winners))
}

/// The result of the first strategy with candidates: the requested one, or a fallback. If candidates exist but floors
/// drop all of them, there is no fallback, because the caller asked for the floors.
pub fn settle(reader: &Reader<'_>, scopes: &Scopes<'_>, inputs: &Inputs) -> Result<Settled> {
    let plan = scopes.plan;
    if plan.top_ke == 0 {
        return Ok(Settled::default());
    }
    let mut limit = plan.candidates;
    let (mut reranked, mut before) = (None, None);
    loop {
        let found = first_with_candidates(reader, scopes, inputs, limit, false)?;
        let mut ranking = found.map_or_else(Ranking::default, |found| match found.strategy {
            Strategy::Recent => ranking::rank_recent(&plan.ranking, &found.basis, found.candidates),
            strategy => ranking::rank(&plan.ranking, strategy, &found.basis, found.candidates),
        });
        if let Some(rules) = scopes.rerank.as_ref().filter(|_| is_of_query(&ranking)) {
            // The reranker is called once, also if the loop repeats with more candidates.
            let scores = match reranked.take() {
                Some(scores) => scores,
                None => scopes.trace.phase("rerank", || rerank::scores(reader, scopes, rules, &ranking))?,
            };
            ranking = reranking::apply(ranking, &scores, rules.weight);
            reranked = Some(scores);
        }
        let candidates = ranking.ranked.len() + ranking.below_floor.len();
        let settled = Settled::select(ranking, plan.selection(), &mut Compared { reader, scopes }, &interrupt::check)?;
        // Entries that the selection passes over may have taken the places of others among the candidates: then the
        // loop repeats with more candidates.
        let may_be_more = candidates >= limit && limit < MAX_CANDIDATES;
        if !may_be_more || !settled.needs_more(plan.selection(), before) {
            if settled.returned() == 0 {
                memories::warn_of_list_in_text(reader, scopes)?;
            }
            return Ok(settled);
        }
        before = Some(settled.reach());
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
    for_any_lifts: bool,
) -> Result<Option<Gathered>> {
    let given = Given { has_vector: inputs.vector.is_some(), has_demands: scopes.demands.is_some() };
    for (step, strategy) in scopes.plan.asked().steps(given).into_iter().enumerate() {
        match attempt(reader, scopes, inputs, strategy, step > 0, limit, for_any_lifts)? {
            Attempt::Gathered(gathered) => return Ok(Some(gathered)),
            // No other strategy finds entries that the filters remove.
            Attempt::NothingPasses => return Ok(None),
            Attempt::NoCandidates => {}
        }
    }
    Ok(None)
}

/// The candidates of a strategy, with the data that the weights of their ranking need.
pub struct Gathered {
    /// The strategy.
    pub strategy: Strategy,
    /// The values that scores depend on, beside the rules.
    pub basis: Basis,
    /// The candidates, at least one.
    pub candidates: Vec<Candidate>,
}

/// The result of a strategy.
enum Attempt {
    Gathered(Gathered),
    /// It had no candidates at all.
    NoCandidates,
    /// It had no candidates, because no entry passes the filters.
    NothingPasses,
}

/// The candidates of the first strategy that has some, with the data for any weights of the lifts; `None` if there are
/// none.
pub fn gathered(reader: &Reader<'_>, scopes: &Scopes<'_>, inputs: &Inputs) -> Result<Option<Gathered>> {
    first_with_candidates(reader, scopes, inputs, scopes.plan.candidates, true)
}

/// Gathers the candidates of one strategy.
fn attempt(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    inputs: &Inputs,
    strategy: Strategy,
    is_fallback: bool,
    limit: usize,
    for_any_lifts: bool,
) -> Result<Attempt> {
    let plan = scopes.plan;
    let mut basis = Basis { now: scopes.ages_at, ..Basis::default() };
    let mut candidates = match strategy {
        Strategy::Recent => {
            let least = if is_fallback { bounds_and_defaults::FALLBACK_IMPORTANCE } else { 0.0 };
            // The selection may pass over some of the newest, so more of them are read.
            let wanted = if plan.selection().passes_over() { limit } else { plan.top_ke };
            scopes.trace.phase("newest", || recent::newest(reader, scopes, least, wanted))?
        }
        _ => {
            basis.question = Question::of(&plan.query.wanted, scopes.ages_at);
            let expansion =
                plan.expand.then(|| Expansion::of(reader, scopes, &inputs.lexemes, strategy, basis.clone()));
            let found = by_signals(reader, scopes, inputs, strategy, limit, expansion.as_ref())?;
            if found.is_none_passing {
                return Ok(Attempt::NothingPasses);
            }
            let found = match &expansion {
                Some(expansion) => scopes.trace.phase("expand", || expansion.expanded(found))?,
                None => found,
            };
            let FoundBySignals { mut candidates, words, .. } = found;
            if for_any_lifts || plan.ranking.scoring.looks_at_texts() {
                fetch::add_authors_and_lengths(reader, scopes, &mut candidates)?;
            }
            basis.words = words;
            candidates
        }
    };
    if candidates.is_empty() {
        return Ok(Attempt::NoCandidates);
    }
    if plan.ranking.scoring.popularity_boost > 0.0 {
        basis.highest_access_count = fetch::add_access_counts(reader, scopes, &mut candidates)?;
    }
    if plan.ranking.scoring.used_recency_boost > 0.0 || plan.ranking.scoring.feedback_boost > 0.0 {
        fetch::add_uses(reader, scopes, &mut candidates)?;
    }
    Ok(Attempt::Gathered(Gathered { strategy, basis, candidates }))
}

fn by_signals(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    inputs: &Inputs,
    strategy: Strategy,
    limit: usize,
    expansion: Option<&Expansion<'_>>,
) -> Result<FoundBySignals> {
    let vector = inputs.vector().filter(|_| strategy != Strategy::Keyword);
    let lexemes = Some(inputs.found_by()).filter(|_| strategy != Strategy::Semantic);
    let is_asked = scopes.plan.typos && inputs.corrected.get().is_none();
    let typos = scopes.memories.first().filter(|_| is_asked).map(|scope| Typos::new(scope.store, scopes.plan));
    let look_further = |candidates: &mut [Candidate], words| match expansion {
        Some(expansion) => expansion.terms(candidates, words),
        None => Ok(Vec::new()),
    };
    let look_further: Option<&LookFurther<'_>> = if expansion.is_some() { Some(&look_further) } else { None };
    let wanted = Wanted { searched: Searched::Entries, vector, lexemes, typos: typos.as_ref(), limit, look_further };
    let found = source::candidates(reader, scopes, &wanted)?;
    if let Some(corrected) = typos.and_then(Typos::into_found) {
        scopes.trace.taken(&corrected.taken);
        inputs.corrected.get_or_init(|| corrected);
    }
    Ok(found)
}
