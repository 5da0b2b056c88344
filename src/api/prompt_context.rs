//! `memory_build_context`: a prompt with the memories that suit a question.

use memory_search_core::bounds_and_defaults;
use memory_search_core::request::arguments;
use memory_search_core::request::searched_memories::AskedMemories;
use pgrx::{default, pg_extern, search_path};

use crate::api::arguments::request;
use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::json::JsonbText;
use crate::pg::error::{SqlResult, report};
use crate::search::prompt_context;

// pgrx accepts only literals as defaults.
const _: () = assert!(bounds_and_defaults::DEFAULT_TOKEN_BUDGET == 8_000);

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
    let budget = arguments::token_budget(token_budget.map(i64::from)).map_err(report)?;
    let request = request(AskedMemories::One(memory_id), query, top_ke, None, embedding, filters, options, store);
    prompt_context::build(request, &system_prompt.unwrap_or_default(), budget).map_err(report)
}
