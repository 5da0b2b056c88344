//! Adding memories, and counting their uses.

use memory_search_core::bounds_and_defaults;
use memory_search_core::request::arguments::{self, required};
use memory_search_core::request::entry_rows::EntryRow;
use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::datum::{Interval, TimestampWithTimeZone, Uuid};
use pgrx::{default, pg_extern, pg_sys, search_path};

use crate::api::arguments::{entity_names, interval, time_to_live};
use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::id_array::IdArray;
use crate::pg::datum::json::JsonbText;
use crate::pg::datum::text_array::TextArray;
use crate::pg::datum::uuid;
use crate::pg::epoch::from_postgres;
use crate::pg::error::{SqlResult, report};
use crate::pg::settings;
use crate::pg::spi;
use crate::search::similar;
use crate::store::definition;
use crate::store::writing::add::{self, Prepared};
use crate::store::writing::put_context::{self, NewContext};
use crate::store::writing::{feedback, touch};

// pgrx accepts only literals as defaults.
const _: () = assert!(bounds_and_defaults::DEFAULT_IMPORTANCE == 50);

#[allow(clippy::too_many_arguments)]
#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_add(
    memory_id: Option<String>,
    raw_entry: Option<String>,
    summary: default!(Option<String>, "NULL"),
    context: default!(Option<String>, "NULL"),
    tags: default!(Option<TextArray>, "NULL"),
    metadata: default!(Option<JsonbText>, "NULL"),
    importance: default!(Option<i32>, "50"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    user_id: default!(Option<String>, "NULL"),
    agent_id: default!(Option<String>, "NULL"),
    source_type: default!(Option<String>, "NULL"),
    creation_time: default!(Option<TimestampWithTimeZone>, "NULL"),
    entry_id: default!(Option<Uuid>, "NULL"),
    store: default!(Option<String>, "NULL"),
    expires_at: default!(Option<TimestampWithTimeZone>, "NULL"),
    session_id: default!(Option<String>, "NULL"),
    entry_key: default!(Option<String>, "NULL"),
    if_similar: default!(Option<f64>, "NULL"),
    valid_from: default!(Option<TimestampWithTimeZone>, "NULL"),
    valid_until: default!(Option<TimestampWithTimeZone>, "NULL"),
    ttl: default!(Option<Interval>, "NULL"),
    entities: default!(Option<TextArray>, "NULL"),
) -> SqlResult<Uuid> {
    let add = || {
        let store = settings::store_or(store)?;
        let if_similar = if_similar.map(|threshold| arguments::similarity("if_similar", threshold)).transpose()?;
        let (valid_from, valid_until) = interval(valid_from, valid_until)?;
        let memory_id = arguments::memory_id(memory_id)?;
        let entry = EntryRow {
            valid_from,
            valid_until,
            ttl: time_to_live(ttl, expires_at.is_some())?,
            raw_entry: required("raw_entry", raw_entry)?,
            importance: arguments::importance(importance.map_or(bounds_and_defaults::DEFAULT_IMPORTANCE, i64::from))?,
            user_id: arguments::identifier("user_id", user_id)?,
            agent_id: arguments::identifier("agent_id", agent_id)?,
            session_id: arguments::identifier("session_id", session_id)?,
            entry_key: arguments::identifier("entry_key", entry_key)?,
            source_type: arguments::identifier("source_type", source_type)?,
            metadata: metadata.map(|JsonbText(text)| arguments::metadata(text)).transpose()?,
            summary,
            context,
            tags: tags.map(|tags| tags.list("tags")).transpose()?.map(without_nulls),
            entities: entity_names(entities)?.map(without_nulls),
            passage_embeddings: None,
            embedding: embedding.map(|MemoryEmbedding(vector)| vector),
            creation_time: creation_time.map(|time| from_postgres(pg_sys::TimestampTz::from(time))),
            entry_id: entry_id.map(|id| id.to_string()),
            expires_at: expires_at.map(|time| from_postgres(pg_sys::TimestampTz::from(time))),
        };
        let mut prepared = add::prepare(&store, memory_id, entry)?;
        if let Some(threshold) = if_similar
            && !prepared.changes_another()?
            && let Some(alike) = alike(&store, &prepared, threshold)?
        {
            return uuid::read(&alike);
        }
        add::add(prepared).and_then(|id| uuid::read(&id))
    };
    add().map_err(report)
}

/// A list for the type that may have nulls, as in an import.
fn without_nulls(texts: Vec<String>) -> Vec<Option<String>> {
    texts.into_iter().map(Some).collect()
}

/// An entry of the memory that is similar enough, if there is one; entries that the statement itself added count.
fn alike(store: &StoreName, entry: &Prepared, threshold: f64) -> Result<Option<String>> {
    let Some(vector) = entry.vector() else {
        return Err(Error::new(ErrorKind::WrongState, "if_similar compares embeddings, and the entry has none").hint(
            "Give its embedding, or set memory_search.model or \
                memory_search.embedding_function to one that fits the store.",
        ));
    };
    spi::with_own_changes(|| similar::nearest(store, entry.memory_id(), vector, entry.interval(), threshold))
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_put_context(
    memory_id: Option<String>,
    context: Option<String>,
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    user_id: default!(Option<String>, "NULL"),
    creation_time: default!(Option<TimestampWithTimeZone>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<Uuid> {
    let put = || {
        let snapshot = NewContext {
            memory_id: arguments::memory_id(memory_id)?,
            context: required("context", context)?,
            embedding: embedding.map(|MemoryEmbedding(vector)| vector),
            user_id: arguments::identifier("user_id", user_id)?,
            creation_time: creation_time.map(|time| from_postgres(pg_sys::TimestampTz::from(time))),
            entry_id: None,
        };
        let name = settings::store_or(store)?;
        let store = spi::read(|reader| definition::store(reader, &name))?;
        put_context::put(&store, snapshot).and_then(|id| uuid::read(&id))
    };
    put().map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_touch(
    memory_id: Option<String>,
    entry_ids: Option<IdArray>,
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let touch = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let ids = required("entry_ids", entry_ids)?.present();
        touch::touch(&settings::store_or(store)?, &memory_id, ids)
    };
    touch().map(|rows| rows as i64).map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_feedback(
    memory_id: Option<String>,
    entry_ids: Option<IdArray>,
    feedback: Option<i32>,
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let give = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let ids = required("entry_ids", entry_ids)?.present();
        let is_helpful = arguments::feedback(required("feedback", feedback)?.into())?;
        feedback::add(&settings::store_or(store)?, &memory_id, ids, is_helpful)
    };
    give().map(|rows| rows as i64).map_err(report)
}
