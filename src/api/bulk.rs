//! Many entries at once: `memory_add_many` and `memory_delete_where`.

use memory_search_core::Result;
use memory_search_core::request::arguments::{self, required};
use memory_search_core::request::entry_rows;
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, search_path};

use crate::pg::datum::json::JsonbText;
use crate::pg::datum::uuid;
use crate::pg::error::report;
use crate::pg::settings;
use crate::store::lifecycle::delete_where;
use crate::store::writing::add_many;

/// The outcome for an entry of `memory_add_many`.
const ADDED: &str = "added";
const CHANGED: &str = "changed";

#[allow(clippy::type_complexity)]
#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_delete_where(
    memory_id: Option<String>,
    filters: Option<JsonbText>,
    dry_run: default!(Option<bool>, "true"),
    store: default!(Option<String>, "NULL"),
) -> std::result::Result<TableIterator<'static, (name!(entry_id, Uuid), name!(deleted, bool))>, ErrorReport> {
    let delete = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let JsonbText(filters) = required("filters", filters)?;
        let is_dry_run = required("dry_run", dry_run)?;
        let ids = delete_where::delete_where(&settings::store_or(store)?, &memory_id, &filters, is_dry_run)?;
        let ids: Result<Vec<_>> = ids.iter().map(|id| Ok((uuid::read(id)?, !is_dry_run))).collect();
        ids
    };
    delete().map(TableIterator::new).map_err(report)
}

#[allow(clippy::type_complexity)]
#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_add_many(
    memory_id: Option<String>,
    entries: Option<JsonbText>,
    store: default!(Option<String>, "NULL"),
) -> std::result::Result<
    TableIterator<'static, (name!(ordinality, i64), name!(entry_id, Uuid), name!(status, String))>,
    ErrorReport,
> {
    let add = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let JsonbText(entries) = required("entries", entries)?;
        let entries = entry_rows::parse_entries("entries", &entries)?;
        let stored = add_many::add_many(&settings::store_or(store)?, &memory_id, entries)?;
        let rows: Result<Vec<_>> = (1..)
            .zip(stored)
            .map(|(place, stored)| {
                let status = if stored.was_there { CHANGED } else { ADDED };
                Ok((place, uuid::read(&stored.entry_id)?, status.to_owned()))
            })
            .collect();
        rows
    };
    add().map(TableIterator::new).map_err(report)
}
