//! `memory_get` and `memory_list`: entries without a query, as rows like those of `memory_search_entries`.

use memory_search_core::bounds_and_defaults;
use memory_search_core::request::arguments::{self, required};
use memory_search_core::request::entry_list;
use memory_search_core::request::shown_entries::ShownEntries;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, search_path};

use crate::pg::datum::id_array::IdArray;
use crate::pg::datum::json::JsonbText;
use crate::pg::datum::timestamp::from_micros;
use crate::pg::error::{SqlResult, report};
use crate::pg::replay;
use crate::pg::settings;
use crate::store::reading::list::{self, Page};
use crate::store::reading::{count, get};

// pgrx accepts only literals as defaults.
const _: () = assert!(bounds_and_defaults::DEFAULT_PAGE_SIZE == 100);

#[allow(clippy::type_complexity)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_get(
    memory_id: Option<String>,
    entry_ids: Option<IdArray>,
    options: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(entry_id, String),
            name!(memory_id, String),
            name!(user_id, Option<String>),
            name!(agent_id, Option<String>),
            name!(session_id, Option<String>),
            name!(entry_key, Option<String>),
            name!(summary, Option<String>),
            name!(raw_entry, String),
            name!(context, Option<String>),
            name!(tags, Vec<Option<String>>),
            name!(metadata, JsonbText),
            name!(source_type, Option<String>),
            name!(importance, Option<i32>),
            name!(access_count, i64),
            name!(creation_time, Option<TimestampWithTimeZone>),
            name!(expires_at, Option<TimestampWithTimeZone>),
            name!(valid_from, Option<TimestampWithTimeZone>),
            name!(valid_until, Option<TimestampWithTimeZone>),
            name!(ttl, Option<String>),
            name!(superseded_by, Option<String>),
            name!(deletion_scheduled_time, Option<TimestampWithTimeZone>),
            name!(embedding, Option<Vec<f32>>),
            name!(entities, Vec<Option<String>>),
        ),
    >,
    ErrorReport,
> {
    let get = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let ids = required("entry_ids", entry_ids)?.present();
        let shown = options.map(|JsonbText(text)| ShownEntries::parse(&text)).transpose()?.unwrap_or_default();
        get::get(&settings::store_or(store)?, &memory_id, ids, &shown)
    };
    let entries = replay::awaited(get).map_err(report)?;
    Ok(TableIterator::new(entries.into_iter().map(|entry| {
        (
            entry.entry_id,
            entry.memory_id,
            entry.user_id,
            entry.agent_id,
            entry.session_id,
            entry.entry_key,
            entry.summary,
            entry.raw_entry,
            entry.context,
            serde_json::from_str(&entry.tags).unwrap_or_default(),
            JsonbText(entry.metadata),
            entry.source_type,
            entry.importance.map(|importance| importance as i32),
            entry.access_count,
            entry.created.map(from_micros),
            entry.expires.map(from_micros),
            entry.valid_from.map(from_micros),
            entry.valid_until.map(from_micros),
            entry.ttl,
            entry.superseded_by,
            entry.deletion_scheduled.map(from_micros),
            entry.embedding,
            serde_json::from_str(&entry.entities).unwrap_or_default(),
        )
    })))
}

#[allow(clippy::type_complexity)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_list(
    memory_id: Option<String>,
    filters: default!(Option<JsonbText>, "NULL"),
    order_by: default!(Option<String>, "'-createdAt'"),
    page_size: default!(Option<i32>, "100"),
    cursor: default!(Option<String>, "NULL"),
    store: default!(Option<String>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(entry_id, String),
            name!(memory_id, String),
            name!(user_id, Option<String>),
            name!(agent_id, Option<String>),
            name!(session_id, Option<String>),
            name!(entry_key, Option<String>),
            name!(summary, Option<String>),
            name!(raw_entry, String),
            name!(context, Option<String>),
            name!(tags, Vec<Option<String>>),
            name!(metadata, JsonbText),
            name!(source_type, Option<String>),
            name!(importance, Option<i32>),
            name!(access_count, i64),
            name!(creation_time, Option<TimestampWithTimeZone>),
            name!(expires_at, Option<TimestampWithTimeZone>),
            name!(valid_from, Option<TimestampWithTimeZone>),
            name!(valid_until, Option<TimestampWithTimeZone>),
            name!(ttl, Option<String>),
            name!(superseded_by, Option<String>),
            name!(deletion_scheduled_time, Option<TimestampWithTimeZone>),
            name!(embedding, Option<Vec<f32>>),
            name!(cursor, String),
            name!(entities, Vec<Option<String>>),
        ),
    >,
    ErrorReport,
> {
    let list = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let page = Page {
            filters: filters.map(|JsonbText(text)| text),
            order_by: required("order_by", order_by)?,
            size: entry_list::page_size(required("page_size", page_size)?.into())?,
            cursor,
            options: options.map(|JsonbText(text)| text),
        };
        list::list(&settings::store_or(store)?, &memory_id, &page)
    };
    let entries = replay::awaited(list).map_err(report)?;
    Ok(TableIterator::new(entries.into_iter().map(|(entry, cursor)| {
        (
            entry.entry_id,
            entry.memory_id,
            entry.user_id,
            entry.agent_id,
            entry.session_id,
            entry.entry_key,
            entry.summary,
            entry.raw_entry,
            entry.context,
            serde_json::from_str(&entry.tags).unwrap_or_default(),
            JsonbText(entry.metadata),
            entry.source_type,
            entry.importance.map(|importance| importance as i32),
            entry.access_count,
            entry.created.map(from_micros),
            entry.expires.map(from_micros),
            entry.valid_from.map(from_micros),
            entry.valid_until.map(from_micros),
            entry.ttl,
            entry.superseded_by,
            entry.deletion_scheduled.map(from_micros),
            entry.embedding,
            cursor,
            serde_json::from_str(&entry.entities).unwrap_or_default(),
        )
    })))
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_count(
    memory_id: Option<String>,
    filters: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
) -> SqlResult<i64> {
    let count = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let filters = filters.map(|JsonbText(text)| text);
        let shown = options.map(|JsonbText(text)| ShownEntries::parse_counted(&text)).transpose()?.unwrap_or_default();
        count::count(&settings::store_or(store)?, &memory_id, filters.as_deref(), &shown)
    };
    replay::awaited(count).map_err(report)
}
