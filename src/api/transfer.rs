//! `memory_export` and `memory_import`: a memory as lines of JSON.

use memory_search_core::request::arguments::{self, required};
use memory_search_core::request::entry_rows;
use pgrx::iter::SetOfIterator;
use pgrx::pg_sys::panic::{ErrorReport, ErrorReportable};
use pgrx::{default, pg_extern, search_path};

use crate::pg::datum::json::JsonbText;
use crate::pg::error::{SqlResult, report};
use crate::pg::settings;
use crate::store::transfer::export::Lines;
use crate::store::transfer::import;

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_export(
    memory_id: Option<String>,
    with_embeddings: default!(Option<bool>, "true"),
    store: default!(Option<String>, "NULL"),
) -> Result<SetOfIterator<'static, JsonbText>, ErrorReport> {
    let lines = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let with_embeddings = required("with_embeddings", with_embeddings)?;
        let mut lines = Lines::of(settings::store_or(store)?, memory_id, with_embeddings);
        // An error is raised even if the caller reads no line.
        let first = lines.next_line()?;
        Ok((first, lines))
    };
    let (first, mut lines) = lines().map_err(report)?;
    let rest = std::iter::from_fn(move || lines.next_line().map_err(report).unwrap_or_report());
    Ok(SetOfIterator::new(first.into_iter().chain(rest).map(JsonbText)))
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_import(
    memory_id: Option<String>,
    lines: Option<JsonbText>,
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let import = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let JsonbText(lines) = required("lines", lines)?;
        import::import(&settings::store_or(store)?, &memory_id, entry_rows::parse_exported("lines", &lines)?)
    };
    import().map(|rows| rows as i64).map_err(report)
}
