//! Changes of entries: `memory_keep_history`, `memory_history`, `memory_notify`.

use memory_search_core::bounds_and_defaults;
use memory_search_core::request::arguments::{self, required};
use memory_search_core::request::entry_list;
use memory_search_core::request::names::EntryId;
use pgrx::datum::{TimestampWithTimeZone, Uuid};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, search_path};

use crate::pg::datum::json::JsonbText;
use crate::pg::datum::timestamp::from_micros;
use crate::pg::error::{SqlResult, report};
use crate::pg::replay;
use crate::pg::settings;
use crate::store::reading::history;
use crate::store::recording;

// pgrx accepts only literals as defaults.
const _: () = assert!(bounds_and_defaults::DEFAULT_PAGE_SIZE == 100);

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_keep_history(
    store: default!(Option<String>, "NULL"),
    enabled: default!(Option<bool>, "true"),
) -> SqlResult<()> {
    let keep = || {
        let enabled = required("enabled", enabled)?;
        recording::history::keep(&settings::store_or(store)?, enabled)
    };
    keep().map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_notify(
    store: default!(Option<String>, "NULL"),
    channel: default!(Option<String>, "'memory_changes'"),
    enabled: default!(Option<bool>, "true"),
) -> SqlResult<()> {
    let notify = || {
        let channel = required("channel", channel)?;
        let enabled = required("enabled", enabled)?;
        recording::notify::notify(&settings::store_or(store)?, &channel, enabled)
    };
    notify().map_err(report)
}

#[allow(clippy::type_complexity)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_history(
    memory_id: Option<String>,
    entry_id: Option<Uuid>,
    page_size: default!(Option<i32>, "100"),
    older_than: default!(Option<i64>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(history_id, i64),
            name!(operation, String),
            name!(recorded_at, Option<TimestampWithTimeZone>),
            name!(session_role, String),
            name!(effective_role, String),
            name!(user_id, Option<String>),
            name!(before, Option<JsonbText>),
        ),
    >,
    ErrorReport,
> {
    let read = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let entry_id = EntryId::new(required("entry_id", entry_id)?.to_string());
        let rows = entry_list::page_size(required("page_size", page_size)?.into())
            .map_err(|refusal| refusal.hint("For more rows, give the history_id of the last row as older_than."))?;
        history::history(&settings::store_or(store)?, &memory_id, &entry_id, rows, older_than)
    };
    let events = replay::awaited(read).map_err(report)?;
    Ok(TableIterator::new(events.into_iter().map(|event| {
        (
            event.history_id,
            event.operation,
            event.recorded.map(from_micros),
            event.session_role,
            event.effective_role,
            event.user_id,
            event.before.map(JsonbText),
        )
    })))
}
