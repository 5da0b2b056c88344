//! `memory_search` and `memory_search_entries`.

use std::collections::BTreeMap;

use memory_search_core::output::short_answer;
use memory_search_core::request::arguments::required;
use memory_search_core::request::search_request::{Purpose, SearchRequest};
use memory_search_core::request::searched_memories::AskedMemories;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, pg_sys, search_path};

use crate::api::arguments::request;
use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::json::JsonbText;
use crate::pg::datum::timestamp;
use crate::pg::epoch::from_postgres;
use crate::pg::error::{SqlResult, report};
use crate::pg::interrupt;
use crate::pg::settings;
use crate::search::pipeline;
use crate::search::sent::Settled;
use crate::store::definition::placement::led;
use crate::store::writing::touch;

#[allow(clippy::too_many_arguments)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_search(
    memory_id: Option<String>,
    query: Option<String>,
    top_ke: default!(Option<i32>, "NULL"),
    top_kc: default!(Option<i32>, "NULL"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<JsonbText> {
    answer(request(AskedMemories::One(memory_id), query, top_ke, top_kc, embedding, filters, options, store))
}

/// A search and a touch in one call, for agents: returned entries count as used.
#[allow(clippy::too_many_arguments)]
#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_recall(
    memory_id: Option<String>,
    query: Option<String>,
    top_ke: default!(Option<i32>, "NULL"),
    top_kc: default!(Option<i32>, "NULL"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<JsonbText> {
    recall(request(AskedMemories::One(memory_id), query, top_ke, top_kc, embedding, filters, options, store))
}

/// Searches, and counts a use of each returned entry.
pub fn recall(request: SearchRequest) -> SqlResult<JsonbText> {
    let recall = || {
        let store = settings::store_or(request.store.clone())?;
        let response = pipeline::search(request)?;
        let mut used: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in &response.entries.all {
            used.entry(entry.memory_id.clone()).or_default().push(entry.entry_id.clone());
        }
        touch::touch_several(&store, used)?;
        short_answer::json(&response)
    };
    recall().map(JsonbText).map_err(report)
}

#[pg_extern(name = "memory_search", stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_search_by_request(request: Option<JsonbText>) -> SqlResult<JsonbText> {
    let JsonbText(text) = required("request", request).map_err(report)?;
    answer(SearchRequest::parse(&text).map_err(report)?)
}

/// The call by which another node asks for a search here; null if the memory is no longer here. Its declared cost is
/// high, so that the server sorts the rows first, and calls the function only for the one that LIMIT leaves.
#[pg_extern(stable, parallel_restricted, cost = 100000)]
#[search_path(pg_catalog, pg_temp)]
fn memory_search_sent(
    typos: Option<bool>,
    request: Option<String>,
    query_vector: Option<Vec<Option<f32>>>,
    embedder: Option<String>,
    now: Option<TimestampWithTimeZone>,
) -> SqlResult<Option<String>> {
    let answer = || {
        let request = SearchRequest::parse(&required("request", request)?)?;
        let now = from_postgres(pg_sys::TimestampTz::from(required("now", now)?));
        let vector =
            query_vector.map(|values| values.into_iter().map(|value| required("query_vector", value)).collect());
        let settled = Settled { vector: vector.transpose()?, embedder, now, typos: required("typos", typos)? };
        let response = led::in_this_session(|| pipeline::search_sent(request, settled))?;
        response.map(|response| short_answer::json(&response)).transpose()
    };
    answer().map_err(report)
}

#[allow(clippy::type_complexity, clippy::too_many_arguments)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_search_entries(
    memory_id: Option<String>,
    query: Option<String>,
    k: default!(Option<i32>, "NULL"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(rank, i32),
            name!(entry_id, String),
            name!(memory_id, String),
            name!(user_id, Option<String>),
            name!(agent_id, Option<String>),
            name!(summary, Option<String>),
            name!(raw_entry, String),
            name!(tags, Vec<Option<String>>),
            name!(metadata, JsonbText),
            name!(source_type, Option<String>),
            name!(importance, Option<i32>),
            name!(access_count, i64),
            name!(creation_time, Option<TimestampWithTimeZone>),
            name!(strategy, String),
            name!(score, f64),
            name!(semantic, Option<f64>),
            name!(keyword, Option<f64>),
            name!(bm25, Option<f64>),
            name!(relevance, f64),
            name!(recency_factor, f64),
            name!(importance_factor, f64),
            name!(popularity_factor, f64),
        ),
    >,
    ErrorReport,
> {
    let request = SearchRequest {
        purpose: Purpose::Rows,
        top_ke_name: Some("k"),
        ..request(AskedMemories::One(memory_id), query, k, None, embedding, filters, options, store)
    };
    Ok(TableIterator::new(entry_rows(request)?))
}

/// A row of `memory_search_entries`.
pub type EntryRow = (
    i32,
    String,
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    String,
    Vec<Option<String>>,
    JsonbText,
    Option<String>,
    Option<i32>,
    i64,
    Option<TimestampWithTimeZone>,
    String,
    f64,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    f64,
    f64,
    f64,
    f64,
);

/// The entries found, as rows.
pub fn entry_rows(request: SearchRequest) -> Result<Vec<EntryRow>, ErrorReport> {
    let found = pipeline::search_entries(request).map_err(report)?;
    let rows = found
        .into_iter()
        .enumerate()
        .map(|(rank, found)| {
            let (entry, ranked) = (found.entry, found.ranked);
            (
                rank as i32 + 1,
                entry.entry_id,
                entry.memory_id,
                entry.user_id,
                entry.agent_id,
                entry.summary,
                entry.raw_entry,
                serde_json::from_str(entry.tags.get()).unwrap_or_default(),
                JsonbText(entry.metadata.get().to_owned()),
                entry.source_type,
                entry.importance.map(|importance| importance as i32),
                entry.access_count,
                found.created.map(timestamp::from_micros),
                entry.strategy.to_owned(),
                ranked.score,
                ranked.candidate.signals.cosine,
                ranked.candidate.signals.bm25.and(ranked.fused.keyword),
                ranked.candidate.signals.bm25,
                ranked.fused.relevance,
                ranked.factors.recency,
                ranked.factors.importance,
                ranked.factors.popularity,
            )
        })
        .collect();
    Ok(rows)
}

/// Answers as JSON.
pub fn answer(request: SearchRequest) -> SqlResult<JsonbText> {
    let answer = || {
        let json = pipeline::search_anywhere(request)?;
        // PostgreSQL parses the text in one go; a cancel should not wait for that as well.
        interrupt::check();
        Ok(JsonbText(json))
    };
    answer().map_err(report)
}
