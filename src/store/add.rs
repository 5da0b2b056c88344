//! Adds entries.

use memory_search_core::request::names::{EntryId, MemoryId, StoreName};
use memory_search_core::{Error, Result};

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::context::{self, NewContext};
use crate::store::definition;
use crate::store::stored_embedding::{self, Embedded};

/// An entry to add, checked. `None` takes the column's default.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct NewEntry {
    pub memory_id: MemoryId,
    pub raw_entry: String,
    pub summary: Option<String>,
    pub context: Option<String>,
    pub tags: Option<Vec<Option<String>>>,
    /// JSON text.
    pub metadata: Option<String>,
    pub importance: i64,
    pub embedding: Option<Vec<f32>>,
    pub user_id: Option<String>,
    pub agent_id: Option<String>,
    pub source_type: Option<String>,
    /// Any timestamptz, as the server wrote it.
    pub creation_time: Option<i64>,
    pub entry_id: Option<EntryId>,
    pub expires_at: Option<i64>,
}

/// Adds one entry to the store; gives its id. A context that differs from the memory's newest one
/// becomes a context snapshot too.
pub fn add(store_name: &StoreName, entry: NewEntry) -> Result<EntryId> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    store.require_own_entries("memory_add")?;
    let meaning = stored_embedding::meaning(entry.summary.as_deref(), &entry.raw_entry);
    let vector = stored_embedding::entry_vector_to_write(&store, entry.embedding, &meaning)?;
    let tags: Option<Vec<String>> = entry.tags.map(|tags| tags.into_iter().flatten().collect());

    let mut statement = Statement::default();
    let mut columns = vec!["memory_id", "raw_entry", "importance"];
    let mut values = vec![
        statement.bind(Param::text(&entry.memory_id)),
        statement.bind(Param::text(entry.raw_entry)),
        format!("{}::pg_catalog.int2", statement.bind(Param::Integer(Some(entry.importance)))),
    ];
    let mut set = |column, value: String| {
        columns.push(column);
        values.push(value);
    };
    for (column, value) in [
        ("summary", entry.summary),
        ("context", entry.context.clone()),
        ("user_id", entry.user_id.clone()),
        ("agent_id", entry.agent_id),
        ("source_type", entry.source_type),
    ] {
        set(column, statement.bind(Param::Text(value)));
    }
    // These have defaults of their own, so they are named only when given.
    if let Some(tags) = tags {
        set("tags", statement.bind(Param::Texts(tags)));
    }
    if let Some(metadata) = entry.metadata {
        set("metadata", format!("{}::pg_catalog.jsonb", statement.bind(Param::text(metadata))));
    }
    if let Some(creation_time) = entry.creation_time {
        set("creation_time", statement.bind(Param::Timestamp(Some(creation_time))));
    }
    if let Some(entry_id) = entry.entry_id {
        set("entry_id", format!("{}::pg_catalog.uuid", statement.bind(Param::text(entry_id))));
    }
    if let Some(expires_at) = entry.expires_at {
        set("expires_at", statement.bind(Param::Timestamp(Some(expires_at))));
    }
    if let Some(Embedded { vector, model }) = vector {
        let placeholder = statement.bind(Param::Reals(Some(vector)));
        set("embedding", store.vector(&placeholder));
        if let Some(model) = model {
            set("embedding_model", statement.bind(Param::text(model)));
        }
    }
    let statement = statement.clone().with(format!(
        "INSERT INTO {} ({}) VALUES ({}) RETURNING entry_id::pg_catalog.text",
        store.relation("entries"),
        columns.join(", "),
        values.join(", ")
    ));
    let added = spi::write(|writer| writer.first(&statement, |row| row.required_text(1).map(EntryId::new)))?;
    // A BEFORE trigger of the user's that returns NULL suppresses the row.
    let added = added.ok_or_else(|| {
        Error::new(memory_search_core::ErrorKind::WrongState, "the entry was not stored")
            .hint(format!("A trigger on {} suppressed it.", store.relation("entries")))
    })?;
    if let Some(text) = entry.context
        && !text.trim().is_empty()
    {
        let snapshot = NewContext {
            memory_id: entry.memory_id,
            context: text,
            embedding: None,
            user_id: entry.user_id,
            creation_time: entry.creation_time,
            entry_id: Some(added.clone()),
        };
        context::put_if_changed(&store, snapshot)?;
    }
    Ok(added)
}
