//! What becomes of memories: deleting, restoring, purging, changing, correcting, erasing, embedding
//! again.

use memory_search_core::request::plan::identifier;
use memory_search_core::{Error, Result};
use pgrx::datum::{TimestampWithTimeZone, Uuid};
use pgrx::{default, pg_extern, pg_sys, search_path};

use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::json::JsonbText;
use crate::pg::error::{SqlResult, report};
use crate::pg::param::from_postgres;
use crate::pg::settings;
use crate::store::delete::{self, Which};
use crate::store::update::{self, Changes};
use crate::store::{forget, purge, reembed, supersede};

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

fn which_contexts(memory_id: Option<String>, context_ids: Option<Vec<Option<Uuid>>>) -> Result<(String, Which)> {
    let memory_id = required("memory_id", memory_id)?;
    let ids = context_ids.ok_or_else(|| {
        Error::null("context_ids")
            .hint("Name the contexts: a search gives their ids as contextId, so does the table contexts.")
    })?;
    Ok((memory_id, Which::Contexts(ids.into_iter().flatten().map(|id| id.to_string()).collect())))
}

/// NULL from a client's empty variable must not empty a memory: all of it is said aloud.
fn which(
    memory_id: Option<String>,
    entry_ids: Option<Vec<Option<Uuid>>>,
    whole_memory: Option<bool>,
    verb: &str,
) -> Result<(String, Which)> {
    let memory_id = required("memory_id", memory_id)?;
    let whole_memory = whole_memory.ok_or_else(|| Error::null("whole_memory"))?;
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
    before: default!(Option<TimestampWithTimeZone>, "pg_catalog.now()"),
    max_rows: default!(Option<i64>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let purge = || {
        let before = before.ok_or_else(|| Error::null("before"))?;
        let max_rows = at_most(max_rows)?;
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
    tags: default!(Option<Vec<Option<String>>>, "NULL"),
    metadata: default!(Option<JsonbText>, "NULL"),
    importance: default!(Option<i32>, "NULL"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    source_type: default!(Option<String>, "NULL"),
    expires_at: default!(Option<TimestampWithTimeZone>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> SqlResult<i64> {
    let update = || {
        let memory_id = required("memory_id", memory_id)?;
        let entry_id = entry_id.ok_or_else(|| Error::null("entry_id"))?.to_string();
        let changes = Changes {
            raw_entry,
            summary,
            tags,
            metadata: metadata.map(|JsonbText(text)| text),
            importance: importance.map(i64::from),
            embedding: embedding.map(|MemoryEmbedding(vector)| vector),
            source_type: identifier("source_type", source_type)?,
            expires_at: expires_at.map(|time| from_postgres(pg_sys::TimestampTz::from(time))),
        };
        update::update(&settings::store_or(store)?, &memory_id, &entry_id, changes)
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
) -> SqlResult<i64> {
    let supersede = || {
        let memory_id = required("memory_id", memory_id)?;
        let old = old_entry_id.ok_or_else(|| Error::null("old_entry_id"))?.to_string();
        let new = new_entry_id.map(|id| id.to_string());
        supersede::supersede(&settings::store_or(store)?, &memory_id, &old, new.as_deref())
    };
    supersede().map(|rows| rows as i64).map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_forget_user(user_id: Option<String>, store: default!(Option<String>, "NULL")) -> SqlResult<i64> {
    let forget = || {
        let user_id = required("user_id", user_id)?;
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
        let scope = reembed::Scope {
            memory_id: identifier("memory_id", memory_id)?,
            everything: everything.ok_or_else(|| Error::null("everything"))?,
            max_rows: at_most(max_rows)?,
        };
        reembed::reembed(&settings::store_or(store)?, &scope)
    };
    reembed().map(|rows| rows as i64).map_err(report)
}

fn required(name: &str, value: Option<String>) -> Result<String> {
    identifier(name, value)?.ok_or_else(|| Error::null(name))
}

fn at_most(max_rows: Option<i64>) -> Result<Option<u64>> {
    match max_rows {
        Some(rows) if rows < 1 => {
            Err(Error::invalid(format!("max_rows must be at least 1, not {rows}"))
                .hint("Leave it out for all of them."))
        }
        rows => Ok(rows.map(i64::unsigned_abs)),
    }
}
