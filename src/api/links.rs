//! Links between entries, the entries that they lead to, and other names of entities in a memory.

use memory_search_core::bounds_and_defaults;
use memory_search_core::json_fields::choice;
use memory_search_core::request::arguments::{self, required};
use memory_search_core::request::links as rules;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, pg_sys, search_path};

use crate::api::arguments::interval;
use crate::pg::datum::json::JsonbText;
use crate::pg::datum::text_array::TextArray;
use crate::pg::datum::timestamp::from_micros;
use crate::pg::epoch::from_postgres;
use crate::pg::error::{SqlResult, report};
use crate::pg::replay;
use crate::pg::settings;
use crate::store::links::aliases;
use crate::store::links::{self, Asked, Direction, NewLink, Wanted};

// pgrx accepts only literals as defaults.
const _: () = assert!(bounds_and_defaults::DEFAULT_LINKS == 100);
const _: () =
    assert!(bounds_and_defaults::DEFAULT_RELATED_DEPTH == 2 && bounds_and_defaults::DEFAULT_RELATED_ENTRIES == 100);

#[allow(clippy::too_many_arguments)]
#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_link(
    memory_id: Option<String>,
    from_entry: Option<String>,
    to_entry: Option<String>,
    kind: default!(Option<String>, "'related'"),
    weight: default!(Option<f64>, "1"),
    valid_from: default!(Option<TimestampWithTimeZone>, "NULL"),
    valid_until: default!(Option<TimestampWithTimeZone>, "NULL"),
    metadata: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<bool> {
    let link = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let (valid_from, valid_until) = interval(valid_from, valid_until)?;
        let new = NewLink {
            from_entry: required("from_entry", from_entry)?,
            to_entry: required("to_entry", to_entry)?,
            kind: rules::kind(required("kind", kind)?)?,
            weight: rules::weight(required("weight", weight)?)?,
            valid_from,
            valid_until,
            metadata: metadata.map(|JsonbText(text)| arguments::metadata(text)).transpose()?,
        };
        links::link(&settings::store_or(store)?, &memory_id, &new)
    };
    link().map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_unlink(
    memory_id: Option<String>,
    from_entry: Option<String>,
    to_entry: Option<String>,
    kind: default!(Option<String>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let unlink = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let (from, to) = (required("from_entry", from_entry)?, required("to_entry", to_entry)?);
        let kind = kind.map(rules::kind).transpose()?;
        links::unlink(&settings::store_or(store)?, &memory_id, &from, &to, kind.as_deref())
    };
    unlink().map(|rows| rows as i64).map_err(report)
}

#[allow(clippy::type_complexity)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_links(
    memory_id: Option<String>,
    entry_id: Option<String>,
    kinds: default!(Option<TextArray>, "NULL"),
    direction: default!(Option<String>, "'both'"),
    max_rows: default!(Option<i32>, "100"),
    valid_at: default!(Option<TimestampWithTimeZone>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(from_entry, String),
            name!(to_entry, String),
            name!(kind, String),
            name!(weight, f32),
            name!(valid_from, Option<TimestampWithTimeZone>),
            name!(valid_until, Option<TimestampWithTimeZone>),
            name!(metadata, JsonbText),
            name!(creation_time, Option<TimestampWithTimeZone>),
        ),
    >,
    ErrorReport,
> {
    let read = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let asked = Asked {
            entry_id: required("entry_id", entry_id)?,
            kinds: rules::kinds(kinds.map(|kinds| kinds.list("kinds")).transpose()?)?,
            direction: choice::<Direction>("direction", &required("direction", direction)?)?,
            rows: rules::max_links(required("max_rows", max_rows)?.into())?,
            valid_at: valid_at.map(|time| from_postgres(pg_sys::TimestampTz::from(time))),
        };
        links::links_of(&settings::store_or(store)?, &memory_id, &asked)
    };
    let found = replay::awaited(read).map_err(report)?;
    Ok(TableIterator::new(found.into_iter().map(|link| {
        (
            link.from_entry,
            link.to_entry,
            link.kind,
            link.weight as f32,
            link.valid_from.map(from_micros),
            link.valid_until.map(from_micros),
            JsonbText(link.metadata),
            link.created.map(from_micros),
        )
    })))
}

#[allow(clippy::type_complexity)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_related(
    memory_id: Option<String>,
    entry_id: Option<String>,
    depth: default!(Option<i32>, "2"),
    kinds: default!(Option<TextArray>, "NULL"),
    max_entries: default!(Option<i32>, "100"),
    store: default!(Option<String>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(entry_id, String),
            name!(hops, i32),
            name!(weight, f32),
            name!(kind, String),
            name!(via, String),
            name!(raw_entry, String),
            name!(summary, Option<String>),
            name!(creation_time, Option<TimestampWithTimeZone>),
            name!(is_cut, bool),
        ),
    >,
    ErrorReport,
> {
    let read = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let wanted = Wanted {
            entry_id: required("entry_id", entry_id)?,
            depth: rules::depth(required("depth", depth)?.into())?,
            kinds: rules::kinds(kinds.map(|kinds| kinds.list("kinds")).transpose()?)?,
            entries: rules::max_entries(required("max_entries", max_entries)?.into())?,
        };
        links::related(&settings::store_or(store)?, &memory_id, &wanted)
    };
    let found = replay::awaited(read).map_err(report)?;
    Ok(TableIterator::new(found.into_iter().map(|entry| {
        (
            entry.entry_id,
            entry.hops as i32,
            entry.weight as f32,
            entry.kind,
            entry.via,
            entry.raw_entry,
            entry.summary,
            entry.created.map(from_micros),
            entry.is_cut,
        )
    })))
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_alias(
    memory_id: Option<String>,
    alias: Option<String>,
    entity: Option<String>,
    store: default!(Option<String>, "NULL"),
) -> SqlResult<bool> {
    let set = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let (alias, entity) = (rules::name("alias", alias)?, rules::name("entity", entity)?);
        aliases::set(&settings::store_or(store)?, &memory_id, &alias, &entity)
    };
    set().map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_unalias(
    memory_id: Option<String>,
    alias: Option<String>,
    store: default!(Option<String>, "NULL"),
) -> SqlResult<bool> {
    let remove = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let alias = rules::name("alias", alias)?;
        aliases::remove(&settings::store_or(store)?, &memory_id, &alias)
    };
    remove().map_err(report)
}

#[allow(clippy::type_complexity)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_aliases(
    memory_id: Option<String>,
    store: default!(Option<String>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (name!(alias, String), name!(entity, String), name!(creation_time, Option<TimestampWithTimeZone>)),
    >,
    ErrorReport,
> {
    let read = || {
        let memory_id = arguments::memory_id(memory_id)?;
        aliases::all(&settings::store_or(store)?, &memory_id)
    };
    let found = replay::awaited(read).map_err(report)?;
    Ok(TableIterator::new(found.into_iter().map(|alias| (alias.alias, alias.entity, alias.created.map(from_micros)))))
}
