//! Adds entries.

use std::rc::Rc;

use memory_search_core::entities::found::Texts;
use memory_search_core::request::names::{EntryId, MemoryId, StoreName};
use memory_search_core::{Error, Result};

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::settings;
use crate::pg::spi::{self, Statement};
use crate::store::definition::{self, Store, placement};
use crate::store::writing::duplicate::{self, Column, Given};
use crate::store::writing::found_entities;
use crate::store::writing::kept_passages;
use crate::store::writing::put_context::{self, NewContext};
use crate::store::writing::stored_embedding::{self, Embedded, Meaning};
use crate::store::writing::time_to_live;
use crate::store::writing::upsert;

/// An entry to add, checked. `None` means the column's default.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct NewEntry {
    pub memory_id: MemoryId,
    pub raw_entry: String,
    pub summary: Option<String>,
    pub context: Option<String>,
    pub tags: Option<Vec<String>>,
    /// Names of the people, places and things that it is about.
    pub entities: Option<Vec<String>>,
    /// JSON text.
    pub metadata: Option<String>,
    pub importance: i64,
    pub embedding: Option<Vec<f32>>,
    pub user_id: Option<String>,
    pub agent_id: Option<String>,
    pub session_id: Option<String>,
    /// The application's id for it: an entry that has this key is changed.
    pub entry_key: Option<String>,
    pub source_type: Option<String>,
    /// Any timestamptz, as the server wrote it.
    pub creation_time: Option<i64>,
    pub entry_id: Option<EntryId>,
    pub expires_at: Option<i64>,
    pub valid_from: Option<i64>,
    pub valid_until: Option<i64>,
    /// The time that it lives after each use: an interval as text.
    pub ttl: Option<String>,
}

/// The bytes that suffice for the columns, and for the values, of most rows, so that neither buffer grows.
const TEXT_BYTES: usize = 256;

/// The columns of a row under construction. Each row has a statement of its own, so its text is appended to buffers and
/// not filled into a template.
struct NewRow {
    statement: Statement,
    columns: String,
    values: String,
    count: usize,
    /// Whether a value is made by a subquery.
    has_vectors: bool,
}

impl NewRow {
    fn new() -> NewRow {
        let text = || String::with_capacity(TEXT_BYTES);
        NewRow { statement: Statement::default(), columns: text(), values: text(), count: 0, has_vectors: false }
    }

    fn set(&mut self, column: &str, value: Param, cast: &str) {
        if self.count > 0 {
            self.columns.push_str(", ");
            self.values.push_str(", ");
        }
        self.count += 1;
        self.columns.push_str(column);
        self.statement.bind_in(&mut self.values, value);
        self.values.push_str(cast);
    }

    fn set_vectors(&mut self, column: &str, vectors: Vec<Vec<f32>>, store: &Store) {
        self.columns.push_str(", ");
        self.values.push_str(", ");
        (self.count, self.has_vectors) = (self.count + 1, true);
        self.columns.push_str(column);
        self.values.push_str(&store.vectors(&mut self.statement, vectors));
    }

    fn into_statement(self, table: &QualifiedName, on_conflict: &str) -> Statement {
        let NewRow { statement, columns, values, has_vectors, .. } = self;
        // Citus plans no subquery within VALUES.
        let row = if has_vectors { format!("SELECT {values}") } else { format!("VALUES ({values})") };
        statement.with(format!(
            "INSERT INTO {table} AS e ({columns}) {row}{on_conflict} RETURNING e.entry_id::pg_catalog.text"
        ))
    }
}

/// An entry with its embedding, and the store for it.
pub struct Prepared {
    store: Rc<Store>,
    entry: NewEntry,
    embedded: Option<Embedded>,
    /// The texts, as long as their passages are not embedded, which happens only if the entry is stored.
    meaning: Option<Meaning>,
}

/// Checks an entry, and embeds it.
pub fn prepare(store_name: &StoreName, mut entry: NewEntry) -> Result<Prepared> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    // An INSERT finds the partition by itself, but the look-ups read only the partition of the memory.
    let looks_up = entry.entry_key.is_some() || entry.context.is_some();
    let store = if looks_up { placement::to_change(&store, &entry.memory_id)? } else { store };
    store.require_own_entries("memory_add")?;
    if let Some(ttl) = &entry.ttl {
        time_to_live::check(vec![("ttl".to_owned(), ttl.clone())])?;
    }
    let texts = Texts { summary: entry.summary.as_deref(), raw_entry: &entry.raw_entry };
    entry.entities = found_entities::of_entry(entry.entities.take(), texts);
    let meaning = match entry.embedding {
        Some(_) => Meaning::whole(String::new()),
        None => Meaning::of(entry.summary.as_deref(), &entry.raw_entry),
    };
    let given =
        entry.embedding.take().map(|embedding| stored_embedding::GivenVectors { embedding, passages: Vec::new() });
    let keeps_vectors = match &entry.entry_key {
        Some(key) if given.is_none() && settings::embeds_on_write() => {
            let (raw_entry, summary) = (&entry.raw_entry, entry.summary.as_deref());
            upsert::keeps_given_vectors(&store, &entry.memory_id, key, raw_entry, summary)?
        }
        _ => false,
    };
    if keeps_vectors {
        return Ok(Prepared { store, entry, embedded: None, meaning: None });
    }
    let embedded = stored_embedding::whole_vector_to_write(&store, given, &meaning)?;
    Ok(Prepared { store, entry, embedded, meaning: Some(meaning) })
}

impl Prepared {
    /// The memory of the entry.
    pub fn memory_id(&self) -> &MemoryId {
        &self.entry.memory_id
    }

    /// The interval in which it holds, if it has one.
    pub fn interval(&self) -> (Option<i64>, Option<i64>) {
        (self.entry.valid_from, self.entry.valid_until)
    }

    /// The vector to store with it.
    pub fn vector(&self) -> Option<&[f32]> {
        self.embedded.as_ref().map(|embedded| &*embedded.vector)
    }

    /// Whether an entry of the memory already has its key and will be changed.
    pub fn changes_another(&mut self) -> Result<bool> {
        let Some(key) = self.entry.entry_key.clone() else { return Ok(false) };
        // The embedder may call a server, and other sessions would wait for the row that long: so passages are embedded
        // before it is locked, unless another session stores an entry with the key after this look.
        if upsert::has(&self.store, &self.entry.memory_id, &key)? {
            self.embed_passages()?;
        }
        Ok(!upsert::known(&self.store, &self.entry.memory_id, vec![key])?.is_empty())
    }

    /// Embeds the passages of a long text, unless the entry with its key has the embeddings.
    fn embed_passages(&mut self) -> Result<()> {
        let Prepared { store, entry, embedded, meaning } = self;
        let Some(meaning) = meaning.take() else { return Ok(()) };
        let Some(whole) = embedded.take() else { return Ok(()) };
        *embedded = Some(match &entry.entry_key {
            Some(key) => {
                let this = |statement: &mut Statement| upsert::with_key(store, statement, &entry.memory_id, key);
                kept_passages::with_passages(store, this, entry.summary.as_deref(), whole, &meaning)?
            }
            None => stored_embedding::with_passages(whole, &meaning)?,
        });
        Ok(())
    }
}

/// Adds one entry to the store, or changes the one that has its key; returns its id. A context that differs from the
/// memory's newest one is also stored as a context snapshot.
pub fn add(mut prepared: Prepared) -> Result<EntryId> {
    prepared.embed_passages()?;
    let Prepared { store, entry, embedded, .. } = prepared;
    let on_conflict = match entry.entry_key {
        Some(_) => upsert::on_conflict(&store, entry.creation_time.is_some())?,
        None => String::new(),
    };
    let mut row = NewRow::new();
    row.set("memory_id", Param::text(&entry.memory_id), "");
    row.set("raw_entry", Param::text(entry.raw_entry), "");
    row.set("importance", Param::Integer(Some(entry.importance)), "::pg_catalog.int2");
    row.set("summary", Param::Text(entry.summary), "");
    row.set("context", Param::Text(entry.context.clone()), "");
    row.set("user_id", Param::Text(entry.user_id.clone()), "");
    row.set("agent_id", Param::Text(entry.agent_id), "");
    row.set("source_type", Param::Text(entry.source_type), "");
    if let Some(session_id) = entry.session_id {
        row.set("session_id", Param::text(session_id), "");
    }
    if let Some(entry_key) = &entry.entry_key {
        row.set("entry_key", Param::text(entry_key.clone()), "");
    }
    // These columns have defaults of their own, so they are named only if they are given.
    if let Some(tags) = entry.tags {
        row.set("tags", Param::Texts(tags), "");
    }
    if let Some(entities) = entry.entities.filter(|names| !names.is_empty()) {
        row.set("entities", Param::Texts(entities), "");
    }
    if let Some(metadata) = entry.metadata {
        row.set("metadata", Param::text(metadata), "::pg_catalog.jsonb");
    }
    if let Some(creation_time) = entry.creation_time {
        row.set("creation_time", Param::Timestamp(Some(creation_time)), "");
    }
    if let Some(entry_id) = &entry.entry_id {
        row.set("entry_id", Param::text(entry_id), "::pg_catalog.uuid");
    }
    if let Some(expires_at) = entry.expires_at {
        row.set("expires_at", Param::Timestamp(Some(expires_at)), "");
    }
    for (column, instant) in [("valid_from", entry.valid_from), ("valid_until", entry.valid_until)] {
        if instant.is_some() {
            row.set(column, Param::Timestamp(instant), "");
        }
    }
    if let Some(ttl) = entry.ttl {
        row.set("time_to_live", Param::text(ttl.clone()), time_to_live::AS_INTERVAL);
        row.set("expires_at", Param::text(ttl), time_to_live::FROM_NOW);
    }
    if let Some(Embedded { vector, passages, model }) = embedded {
        if !passages.is_empty() {
            row.set_vectors("passage_embeddings", passages, &store);
        }
        row.set("embedding", Param::Reals(Some(vector)), &store.vector(""));
        if let Some(model) = model {
            row.set("embedding_model", Param::text(model), "");
        }
    }
    let statement = row.into_statement(&store.relation("entries"), &on_conflict);
    let given = || {
        let id =
            |id: &EntryId| Given { argument: "entry_id", row: None, column: Column::EntryId, value: id.to_string() };
        entry.entry_id.iter().map(id).collect()
    };
    let added = duplicate::named(&entry.memory_id, given, || {
        spi::write(|writer| writer.first(&statement, |row| row.required_text(1).map(EntryId::new)))
    })?;
    // A user's BEFORE trigger that returns NULL suppresses the row.
    let added = added.ok_or_else(|| {
        Error::new(memory_search_core::ErrorKind::WrongState, "the entry was not stored")
            .hint(format!("A trigger on {} suppressed it.", store.relation("entries")))
    })?;
    if let Some(key) = &entry.entry_key {
        upsert::check_id(entry.entry_id.as_deref(), key, &added)?;
    }
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
        put_context::put_if_changed(&store, snapshot)?;
    }
    Ok(added)
}
