//! Changes of memories: deleting, restoring, purging, updating, correcting, erasing, embedding again.

use memory_search_core::request::arguments::{self, required};
use memory_search_core::request::cleared_columns;
use memory_search_core::request::names::{EntryId, MemoryId};
use memory_search_core::{Error, Result};
use pgrx::datum::{Interval, TimestampWithTimeZone, Uuid};
use pgrx::{default, pg_extern, pg_sys, search_path};

use crate::api::arguments::{entity_names, time_to_live};
use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::json::JsonbText;
use crate::pg::datum::text_array::TextArray;
use crate::pg::epoch::from_postgres;
use crate::pg::error::{SqlResult, report};
use crate::pg::settings;
use crate::store::lifecycle::delete::{self, Which};
use crate::store::lifecycle::{forget, purge, supersede, supersede_at};
use crate::store::writing::reembed;
use crate::store::writing::update::{self, Changes};

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_delete(
    memory_id: Option<String>,
    entry_ids: default!(Option<Vec<Option<Uuid>>>, "NULL"),
    whole_memory: default!(Option<bool>, "false"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let delete = || {
        let (memory_id, which) = which(memory_id, entry_ids, whole_memory, "delete")?;
        delete::delete(&settings::store_or(store)?, &memory_id, which)
    };
    delete().map(|rows| rows as i64).map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_restore(
    memory_id: Option<String>,
    entry_ids: default!(Option<Vec<Option<Uuid>>>, "NULL"),
    whole_memory: default!(Option<bool>, "false"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let restore = || {
        let (memory_id, which) = which(memory_id, entry_ids, whole_memory, "restore")?;
        delete::restore(&settings::store_or(store)?, &memory_id, which)
    };
    restore().map(|rows| rows as i64).map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_delete_contexts(
    memory_id: Option<String>,
    context_ids: Option<Vec<Option<Uuid>>>,
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let delete = || {
        let (memory_id, which) = which_contexts(memory_id, context_ids)?;
        delete::delete(&settings::store_or(store)?, &memory_id, which)
    };
    delete().map(|rows| rows as i64).map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_restore_contexts(
    memory_id: Option<String>,
    context_ids: Option<Vec<Option<Uuid>>>,
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let restore = || {
        let (memory_id, which) = which_contexts(memory_id, context_ids)?;
        delete::restore(&settings::store_or(store)?, &memory_id, which)
    };
    restore().map(|rows| rows as i64).map_err(report)
}

fn which_contexts(memory_id: Option<String>, context_ids: Option<Vec<Option<Uuid>>>) -> Result<(MemoryId, Which)> {
    let memory_id = arguments::memory_id(memory_id)?;
    let ids = required("context_ids", context_ids)?;
    Ok((memory_id, Which::Contexts(ids.into_iter().flatten().map(|id| id.to_string()).collect())))
}

/// NULL from a client's empty variable must not empty a memory: the whole memory must be named explicitly.
fn which(
    memory_id: Option<String>,
    entry_ids: Option<Vec<Option<Uuid>>>,
    whole_memory: Option<bool>,
    verb: &str,
) -> Result<(MemoryId, Which)> {
    let memory_id = arguments::memory_id(memory_id)?;
    let whole_memory = required("whole_memory", whole_memory)?;
    match (entry_ids, whole_memory) {
        (Some(_), true) => {
            Err(Error::invalid("entry_ids and whole_memory contradict each other").hint("Give one of them."))
        }
        (None, false) => Err(Error::null("entry_ids")
            .hint(format!("Name the entries, or {verb} all of the memory with whole_memory => true."))),
        (None, true) => Ok((memory_id, Which::WholeMemory)),
        (Some(ids), false) => {
            Ok((memory_id, Which::Entries(ids.into_iter().flatten().map(|id| id.to_string()).collect())))
        }
    }
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_purge(
    before: default!(Option<TimestampWithTimeZone>, "pg_catalog.clock_timestamp()"),
    max_rows: default!(Option<i64>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let purge = || {
        let before = required("before", before)?;
        let max_rows = arguments::max_rows(max_rows)?;
        purge::purge(&settings::store_or(store)?, from_postgres(pg_sys::TimestampTz::from(before)), max_rows)
    };
    purge().map(|rows| rows as i64).map_err(report)
}

#[allow(clippy::too_many_arguments)]
#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_update(
    memory_id: Option<String>,
    entry_id: Option<Uuid>,
    raw_entry: default!(Option<String>, "NULL"),
    summary: default!(Option<String>, "NULL"),
    tags: default!(Option<TextArray>, "NULL"),
    metadata: default!(Option<JsonbText>, "NULL"),
    importance: default!(Option<i32>, "NULL"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    source_type: default!(Option<String>, "NULL"),
    expires_at: default!(Option<TimestampWithTimeZone>, "NULL"),
    store: default!(Option<String>, "NULL"),
    user_id: default!(Option<String>, "NULL"),
    agent_id: default!(Option<String>, "NULL"),
    session_id: default!(Option<String>, "NULL"),
    entry_key: default!(Option<String>, "NULL"),
    creation_time: default!(Option<TimestampWithTimeZone>, "NULL"),
    valid_from: default!(Option<TimestampWithTimeZone>, "NULL"),
    valid_until: default!(Option<TimestampWithTimeZone>, "NULL"),
    ttl: default!(Option<Interval>, "NULL"),
    clear: default!(Option<Vec<Option<String>>>, "NULL"),
    entities: default!(Option<TextArray>, "NULL"),
) -> SqlResult<i64> {
    let update = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let entry_id = EntryId::new(required("entry_id", entry_id)?.to_string());
        let source_type = arguments::identifier("source_type", source_type)?;
        let store = settings::store_or(store)?;
        let time =
            |time: Option<TimestampWithTimeZone>| time.map(|time| from_postgres(pg_sys::TimestampTz::from(time)));
        let changes = Changes {
            valid_from: time(valid_from),
            valid_until: time(valid_until),
            ttl: time_to_live(ttl, expires_at.is_some())?,
            raw_entry,
            summary,
            tags: tags.map(|tags| tags.list("tags")).transpose()?,
            entities: entity_names(entities)?,
            importance: importance.map(|importance| arguments::importance(importance.into())).transpose()?,
            metadata: metadata.map(|JsonbText(text)| arguments::metadata(text)).transpose()?,
            embedding: embedding.map(|MemoryEmbedding(vector)| vector),
            source_type,
            user_id: arguments::identifier("user_id", user_id)?,
            agent_id: arguments::identifier("agent_id", agent_id)?,
            session_id: arguments::identifier("session_id", session_id)?,
            entry_key: arguments::identifier("entry_key", entry_key)?,
            creation_time: creation_time.map(|time| from_postgres(pg_sys::TimestampTz::from(time))),
            expires_at: expires_at.map(|time| from_postgres(pg_sys::TimestampTz::from(time))),
            cleared: cleared_columns::parse(clear.unwrap_or_default())?,
        };
        update::update(&store, &memory_id, &entry_id, changes)
    };
    update().map(|rows| rows as i64).map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_supersede(
    memory_id: Option<String>,
    old_entry_id: Option<Uuid>,
    new_entry_id: Option<Uuid>,
    store: default!(Option<String>, "NULL"),
    at: default!(Option<TimestampWithTimeZone>, "NULL"),
) -> SqlResult<i64> {
    let supersede = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let old = EntryId::new(required("old_entry_id", old_entry_id)?.to_string());
        let new = new_entry_id.map(|id| EntryId::new(id.to_string()));
        if let Some(at) = at {
            let new = new.ok_or_else(|| {
                Error::invalid("at needs new_entry_id, which is null")
                    .hint("To end a fact without a new entry, call memory_update(..., valid_until => ...).")
            })?;
            let at = from_postgres(pg_sys::TimestampTz::from(at));
            return supersede_at::supersede_at(&settings::store_or(store)?, &memory_id, &old, &new, at);
        }
        supersede::supersede(&settings::store_or(store)?, &memory_id, &old, new.as_ref())
    };
    supersede().map(|rows| rows as i64).map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_forget_user(user_id: Option<String>, store: default!(Option<String>, "NULL")) -> SqlResult<i64> {
    let forget = || {
        let user_id = arguments::required_identifier("user_id", user_id)?;
        forget::forget_user(&settings::store_or(store)?, &user_id)
    };
    forget().map(|rows| rows as i64).map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_reembed(
    memory_id: default!(Option<String>, "NULL"),
    everything: default!(Option<bool>, "false"),
    max_rows: default!(Option<i64>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let reembed = || {
        let selection = reembed::Selection {
            memory_id: memory_id.map(|id| arguments::memory_id(Some(id)).map(|id| (*id).to_owned())).transpose()?,
            everything: required("everything", everything)?,
            max_rows: arguments::max_rows(max_rows)?,
            only_missing: false,
        };
        reembed::reembed(&settings::store_or(store)?, &selection)
    };
    reembed().map(|rows| rows as i64).map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_embed_pending(
    memory_id: default!(Option<String>, "NULL"),
    max_rows: default!(Option<i64>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let embed_pending = || {
        let selection = reembed::Selection {
            memory_id: memory_id.map(|id| arguments::memory_id(Some(id)).map(|id| (*id).to_owned())).transpose()?,
            everything: false,
            max_rows: arguments::max_rows(max_rows)?,
            only_missing: true,
        };
        reembed::reembed(&settings::store_or(store)?, &selection)
    };
    embed_pending().map(|rows| rows as i64).map_err(report)
}
