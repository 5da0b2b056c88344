//! Functions as the SQL of 0.1.0 declares them, which may run on this library until the extension is updated: with the
//! arguments that they had then.

use pgrx::datum::{TimestampWithTimeZone, Uuid};
use pgrx::pg_extern;

use crate::api::{lifecycle, store, write};
use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::json::JsonbText;
use crate::pg::datum::text_array::TextArray;
use crate::pg::error::SqlResult;

#[pg_extern(sql = false)]
fn memory_create_store(store: Option<String>, dimensions: Option<i32>, language: Option<String>) -> SqlResult<()> {
    store::memory_create_store_in_partitions(store, dimensions, language, None)
}

#[allow(clippy::too_many_arguments)]
#[pg_extern(sql = false)]
fn memory_add(
    memory_id: Option<String>,
    raw_entry: Option<String>,
    summary: Option<String>,
    context: Option<String>,
    tags: Option<TextArray>,
    metadata: Option<JsonbText>,
    importance: Option<i32>,
    embedding: Option<MemoryEmbedding>,
    user_id: Option<String>,
    agent_id: Option<String>,
    source_type: Option<String>,
    creation_time: Option<TimestampWithTimeZone>,
    entry_id: Option<Uuid>,
    store: Option<String>,
    expires_at: Option<TimestampWithTimeZone>,
) -> SqlResult<Uuid> {
    write::memory_add_or_change(
        memory_id,
        raw_entry,
        summary,
        context,
        tags,
        metadata,
        importance,
        embedding,
        user_id,
        agent_id,
        source_type,
        creation_time,
        entry_id,
        store,
        expires_at,
        None,
        None,
        None,
        None,
        None,
        None,
    )
}

#[allow(clippy::too_many_arguments)]
#[pg_extern(sql = false)]
fn memory_update(
    memory_id: Option<String>,
    entry_id: Option<Uuid>,
    raw_entry: Option<String>,
    summary: Option<String>,
    tags: Option<TextArray>,
    metadata: Option<JsonbText>,
    importance: Option<i32>,
    embedding: Option<MemoryEmbedding>,
    source_type: Option<String>,
    expires_at: Option<TimestampWithTimeZone>,
    store: Option<String>,
) -> SqlResult<i64> {
    lifecycle::memory_change(
        memory_id,
        entry_id,
        raw_entry,
        summary,
        tags,
        metadata,
        importance,
        embedding,
        source_type,
        expires_at,
        store,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    )
}

#[pg_extern(sql = false)]
fn memory_supersede(
    memory_id: Option<String>,
    old_entry_id: Option<Uuid>,
    new_entry_id: Option<Uuid>,
    store: Option<String>,
) -> SqlResult<i64> {
    lifecycle::memory_supersede_at(memory_id, old_entry_id, new_entry_id, store, None)
}
