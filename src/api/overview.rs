//! `memory_list_memories` and `memory_stats`: the contents of a store.

use memory_search_core::bounds_and_defaults;
use memory_search_core::request::arguments::{self, required};
use memory_search_core::request::entry_list;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, search_path};

use crate::pg::datum::timestamp::from_micros;
use crate::pg::error::report;
use crate::pg::replay;
use crate::pg::settings;
use crate::store::reading::memories::{self, Wanted};
use crate::store::reading::stats;

// pgrx accepts only literals as defaults.
const _: () = assert!(bounds_and_defaults::DEFAULT_PAGE_SIZE == 100);

#[allow(clippy::type_complexity)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_list_memories(
    prefix: default!(Option<String>, "NULL"),
    after: default!(Option<String>, "NULL"),
    page_size: default!(Option<i32>, "100"),
    store: default!(Option<String>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(memory_id, String),
            name!(entries, i64),
            name!(contexts, i64),
            name!(first_created, Option<TimestampWithTimeZone>),
            name!(last_created, Option<TimestampWithTimeZone>),
            name!(last_used, Option<TimestampWithTimeZone>),
        ),
    >,
    ErrorReport,
> {
    let list = || {
        let wanted = Wanted {
            prefix: prefix.filter(|prefix| !prefix.is_empty()),
            after: arguments::identifier("after", after)?,
            size: entry_list::page_size(required("page_size", page_size)?.into())
                .map_err(|refusal| refusal.hint("For more rows, give the memory_id of the last row as after."))?,
        };
        memories::memories(&settings::store_or(store)?, &wanted)
    };
    let memories = replay::awaited(list).map_err(report)?;
    Ok(TableIterator::new(memories.into_iter().map(|memory| {
        (
            memory.memory_id,
            memory.entries,
            memory.contexts,
            memory.first_created.map(from_micros),
            memory.last_created.map(from_micros),
            memory.last_used.map(from_micros),
        )
    })))
}

#[allow(clippy::type_complexity)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_stats(
    store: default!(Option<String>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(memories, i64),
            name!(entries, i64),
            name!(visible, i64),
            name!(deleted, i64),
            name!(expired, i64),
            name!(superseded, i64),
            name!(without_embedding, i64),
            name!(contexts, i64),
            name!(table_bytes, i64),
            name!(index_bytes, i64),
        ),
    >,
    ErrorReport,
> {
    let stats = || stats::stats(&settings::store_or(store)?);
    let stats = replay::awaited(stats).map_err(report)?;
    Ok(TableIterator::once((
        stats.memories,
        stats.entries,
        stats.visible,
        stats.deleted,
        stats.expired,
        stats.superseded,
        stats.without_embedding,
        stats.contexts,
        stats.table_bytes,
        stats.index_bytes,
    )))
}
