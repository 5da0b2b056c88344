//! `memory_explain`: the reasons for the rank of each candidate, or for the absence of an entry.

use memory_search_core::request::searched_memories::AskedMemories;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, search_path};

use crate::api::arguments::request;
use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::json::JsonbText;
use crate::pg::error::report;
use crate::search::explain;

#[allow(clippy::type_complexity, clippy::too_many_arguments)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_explain(
    memory_id: Option<String>,
    query: Option<String>,
    top_ke: default!(Option<i32>, "NULL"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    entry_id: default!(Option<String>, "NULL"),
    store: default!(Option<String>, "NULL"),
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
        ),
    >,
    ErrorReport,
> {
    let request = request(AskedMemories::One(memory_id), query, top_ke, None, embedding, filters, options, store);
    let rows = explain::explain(request, entry_id).map_err(report)?;
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(row, _)| {
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
            )
        })
        .collect();
    Ok(TableIterator::new(rows))
}
