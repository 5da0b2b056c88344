//! `memory_tool_spec`: the search as a tool of a language model.

use memory_search_core::output::tool_description::tool_spec;
use pgrx::{default, pg_extern, search_path};

use crate::pg::datum::json::JsonbText;
use crate::pg::error::{SqlResult, report};
use crate::pg::settings;

#[pg_extern(stable, strict, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_tool_spec(name: default!(&str, "'openai'"), detail: default!(&str, "'short'")) -> SqlResult<JsonbText> {
    tool_spec(name, detail, settings::bounds()).map(JsonbText).map_err(report)
}
