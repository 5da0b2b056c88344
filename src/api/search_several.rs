//! The searching functions over several memories, each with the name of that for one.

use memory_search_core::bounds_and_defaults;
use memory_search_core::request::arguments;
use memory_search_core::request::search_request::{Purpose, SearchRequest};
use pgrx::datum::TimestampWithTimeZone;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, search_path};

use crate::api::arguments::{request, several};
use crate::api::search;
use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::id_array::IdArray;
use crate::pg::datum::json::JsonbText;
use crate::pg::error::{SqlResult, report};
use crate::search::{explain, prompt_context};

// pgrx accepts only literals as defaults.
const _: () = assert!(bounds_and_defaults::DEFAULT_TOKEN_BUDGET == 8_000);

#[allow(clippy::too_many_arguments)]
#[pg_extern(name = "memory_search", stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_search_several(
    memory_ids: Option<IdArray>,
    query: Option<String>,
    top_ke: default!(Option<i32>, "NULL"),
    top_kc: default!(Option<i32>, "NULL"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
    prefixes: default!(Option<Vec<Option<String>>>, "NULL"),
) -> SqlResult<JsonbText> {
    let memories = several(memory_ids, prefixes).map_err(report)?;
    search::answer(request(memories, query, top_ke, top_kc, embedding, filters, options, store))
}

#[allow(clippy::too_many_arguments)]
#[pg_extern(name = "memory_recall")]
#[search_path(pg_catalog, pg_temp)]
fn memory_recall_several(
    memory_ids: Option<IdArray>,
    query: Option<String>,
    top_ke: default!(Option<i32>, "NULL"),
    top_kc: default!(Option<i32>, "NULL"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
    prefixes: default!(Option<Vec<Option<String>>>, "NULL"),
) -> SqlResult<JsonbText> {
    let memories = several(memory_ids, prefixes).map_err(report)?;
    search::recall(request(memories, query, top_ke, top_kc, embedding, filters, options, store))
}

#[allow(clippy::type_complexity, clippy::too_many_arguments)]
#[pg_extern(name = "memory_search_entries", stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_search_entries_several(
    memory_ids: Option<IdArray>,
    query: Option<String>,
    k: default!(Option<i32>, "NULL"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
    prefixes: default!(Option<Vec<Option<String>>>, "NULL"),
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
    let memories = several(memory_ids, prefixes).map_err(report)?;
    let request = SearchRequest {
        purpose: Purpose::Rows,
        top_ke_name: Some("k"),
        ..request(memories, query, k, None, embedding, filters, options, store)
    };
    Ok(TableIterator::new(search::entry_rows(request)?))
}

#[allow(clippy::type_complexity, clippy::too_many_arguments)]
#[pg_extern(name = "memory_explain", stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_explain_several(
    memory_ids: Option<IdArray>,
    query: Option<String>,
    top_ke: default!(Option<i32>, "NULL"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    entry_id: default!(Option<String>, "NULL"),
    store: default!(Option<String>, "NULL"),
    prefixes: default!(Option<Vec<Option<String>>>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(place, Option<i32>),
            name!(outcome, String),
            name!(score, Option<f64>),
            name!(semantic, Option<f64>),
            name!(keyword, Option<f64>),
            name!(recency, Option<f64>),
            name!(importance, Option<f64>),
            name!(popularity, Option<f64>),
            name!(related, Option<f64>),
            name!(entry, Option<String>),
            name!(entry_id, Option<String>),
            name!(details, Option<JsonbText>),
            name!(memory_id, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let memories = several(memory_ids, prefixes).map_err(report)?;
    let request = request(memories, query, top_ke, None, embedding, filters, options, store);
    let rows = explain::explain(request, entry_id).map_err(report)?;
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(row, memory_id)| {
            (
                row.rank.map(|rank| rank as i32),
                row.outcome,
                row.score,
                row.semantic,
                row.keyword,
                row.recency,
                row.importance,
                row.popularity,
                row.related,
                row.entry,
                row.entry_id,
                row.details.map(JsonbText),
                memory_id,
            )
        })
        .collect();
    Ok(TableIterator::new(rows))
}

#[allow(clippy::too_many_arguments)]
#[pg_extern(name = "memory_build_context", stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_build_context_several(
    memory_ids: Option<IdArray>,
    query: Option<String>,
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    system_prompt: default!(Option<String>, "NULL"),
    token_budget: default!(Option<i32>, "8000"),
    top_ke: default!(Option<i32>, "NULL"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
    prefixes: default!(Option<Vec<Option<String>>>, "NULL"),
) -> SqlResult<String> {
    let budget = arguments::token_budget(token_budget.map(i64::from)).map_err(report)?;
    let memories = several(memory_ids, prefixes).map_err(report)?;
    let request = request(memories, query, top_ke, None, embedding, filters, options, store);
    prompt_context::build(request, &system_prompt.unwrap_or_default(), budget).map_err(report)
}
