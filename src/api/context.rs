//! `memory_build_context`.

use memory_search_core::Error;
use memory_search_core::request::limits;
use pgrx::{default, pg_extern, search_path};

use crate::api::arguments::request;
use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::json::JsonbText;
use crate::pg::error::{SqlResult, report};
use crate::search::prompt_context;

// pgrx takes nothing but literals as defaults.
const _: () = assert!(limits::DEFAULT_TOKEN_BUDGET == 8_000);

#[allow(clippy::too_many_arguments)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_build_context(
    memory_id: Option<String>,
    query: Option<String>,
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    system_prompt: default!(Option<String>, "NULL"),
    token_budget: default!(Option<i32>, "8000"),
    top_ke: default!(Option<i32>, "NULL"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<String> {
    let token_budget = token_budget.map_or(limits::DEFAULT_TOKEN_BUDGET, i64::from);
    let budget = usize::try_from(token_budget)
        .map_err(|_| report(Error::invalid(format!("token_budget must not be negative, but is {token_budget}"))))?;
    let request = request(memory_id, query, top_ke, None, embedding, filters, options, store);
    prompt_context::build(request, &system_prompt.unwrap_or_default(), budget).map_err(report)
}
