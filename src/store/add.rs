//! Adds entries.

use memory_search_core::request::names::{EntryId, MemoryId, StoreName};
use memory_search_core::vector::embedding;
use memory_search_core::{Error, Result};

use crate::embed::embedder;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::context::{self, NewContext};
use crate::store::definition::{self, Store};

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
    let meaning = meaning(entry.summary.as_deref(), &entry.raw_entry);
    let vector = vector_for(&store, entry.embedding, &meaning)?;
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

/// What of an entry becomes its embedding. A search for it will look like its summary, which says it
/// best, then like its text.
pub fn meaning(summary: Option<&str>, raw_entry: &str) -> String {
    match summary {
        Some(summary) if !summary.trim().is_empty() => format!("{summary}\n{raw_entry}"),
        _ => raw_entry.to_owned(),
    }
}

/// A vector to store.
pub struct Embedded {
    /// Its elements.
    pub vector: Vec<f32>,
    /// The embedder that made it; `None` when the caller gave it.
    pub model: Option<String>,
}

/// The vector to store for `text`: the caller's, checked, or the embedder's where it fits.
pub fn vector_for(store: &Store, given: Option<Vec<f32>>, text: &str) -> Result<Option<Embedded>> {
    match given {
        Some(vector) => {
            embedding::check(&vector)?;
            if let Some(dimensions) = store.embedding.dimensions {
                embedding::check_dimensions(&vector, dimensions)?;
            }
            Ok(Some(Embedded { vector: embedding::storable(vector), model: None }))
        }
        None => {
            let vector = embedder::embed(text)?;
            if vector.is_none() {
                embedder::warn_if_not_installed()?;
            }
            Ok(vector
                .filter(|vector| store.takes(vector.len()))
                .map(|vector| Embedded { vector, model: Some(embedder::name()) }))
        }
    }
}
