//! Adds entries.

use std::rc::Rc;

use memory_search_core::request::entry_rows::EntryRow;
use memory_search_core::request::names::{EntryId, MemoryId, StoreName};
use memory_search_core::{Error, Result};

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::settings;
use crate::pg::spi::{self, Statement};
use crate::store::definition::{self, Store, placement};
use crate::store::writing::duplicate::{self, Column, Given};
use crate::store::writing::entry_columns::{COLUMNS, EntryColumn};
use crate::store::writing::found_entities;
use crate::store::writing::kept_passages;
use crate::store::writing::new_row::{NewRow, Past};
use crate::store::writing::put_context::{self, NewContext};
use crate::store::writing::stored_embedding::{self, Embedded, Meaning};
use crate::store::writing::time_to_live;
use crate::store::writing::upsert;

/// The bytes that suffice for the columns, and for the values, of most rows, so that neither buffer grows.
const TEXT_BYTES: usize = 512;

/// The columns of a row under construction. Each row has a statement of its own, so its text is appended to buffers and
/// not filled into a template.
struct Insert {
    statement: Statement,
    columns: String,
    values: String,
    count: usize,
    /// Whether a value is made by a subquery.
    has_vectors: bool,
}

impl Insert {
    fn new() -> Insert {
        let text = || String::with_capacity(TEXT_BYTES);
        Insert { statement: Statement::default(), columns: text(), values: text(), count: 0, has_vectors: false }
    }

    fn name(&mut self, column: &str) {
        if self.count > 0 {
            self.columns.push_str(", ");
            self.values.push_str(", ");
        }
        self.count += 1;
        self.columns.push_str(column);
    }

    fn set(&mut self, column: &str, value: Param, cast: &str) {
        self.name(column);
        self.statement.bind_in(&mut self.values, value);
        self.values.push_str(cast);
    }

    fn set_absent(&mut self, column: &EntryColumn) {
        if let Some(value) = column.absent() {
            self.name(column.name);
            self.values.push_str(value);
        }
    }

    fn set_vectors(&mut self, column: &str, vectors: Vec<Vec<f32>>, store: &Store) {
        self.name(column);
        self.has_vectors = true;
        self.values.push_str(&store.vectors(&mut self.statement, vectors));
    }

    fn into_statement(self, table: &QualifiedName, on_conflict: &str) -> Statement {
        let Insert { statement, columns, values, has_vectors, .. } = self;
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
    memory_id: MemoryId,
    entry: EntryRow,
    embedded: Option<Embedded>,
    /// The texts, as long as their passages are not embedded, which happens only if the entry is stored.
    meaning: Option<Meaning>,
}

/// Checks an entry, and embeds it.
pub fn prepare(store_name: &StoreName, memory_id: MemoryId, mut entry: EntryRow) -> Result<Prepared> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    // An INSERT finds the partition by itself, but the look-ups read only the partition of the memory.
    let looks_up = entry.entry_key.is_some() || entry.context.is_some();
    let store = if looks_up { placement::to_change(&store, &memory_id)? } else { store };
    store.require_own_entries("memory_add")?;
    if let Some(ttl) = &entry.ttl {
        time_to_live::check(vec![("ttl".to_owned(), ttl.clone())])?;
    }
    found_entities::add_to(&mut entry);
    let meaning = match entry.embedding {
        Some(_) => Meaning::whole(String::new()),
        None => Meaning::of(entry.summary.as_deref(), &entry.raw_entry),
    };
    let given = stored_embedding::given(&mut entry);
    let keeps_vectors = match &entry.entry_key {
        Some(key) if given.is_none() && settings::embeds_on_write() => {
            upsert::keeps_given_vectors(&store, &memory_id, key, &entry.raw_entry, entry.summary.as_deref())?
        }
        _ => false,
    };
    if keeps_vectors {
        return Ok(Prepared { store, memory_id, entry, embedded: None, meaning: None });
    }
    let embedded = stored_embedding::whole_vector_to_write(&store, given, &meaning)?;
    Ok(Prepared { store, memory_id, entry, embedded, meaning: Some(meaning) })
}

impl Prepared {
    /// The memory of the entry.
    pub fn memory_id(&self) -> &MemoryId {
        &self.memory_id
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
        if upsert::has(&self.store, &self.memory_id, &key)? {
            self.embed_passages()?;
        }
        Ok(!upsert::known(&self.store, &self.memory_id, vec![key])?.is_empty())
    }

    /// Embeds the passages of a long text, unless the entry with its key has the embeddings.
    fn embed_passages(&mut self) -> Result<()> {
        let Prepared { store, memory_id, entry, embedded, meaning } = self;
        let Some(meaning) = meaning.take() else { return Ok(()) };
        let Some(whole) = embedded.take() else { return Ok(()) };
        *embedded = Some(match &entry.entry_key {
            Some(key) => {
                let this = |statement: &mut Statement| upsert::with_key(store, statement, memory_id, key);
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
    let Prepared { store, memory_id, entry, embedded, .. } = prepared;
    let on_conflict = match entry.entry_key {
        Some(_) => upsert::on_conflict(&store, entry.creation_time.is_some())?,
        None => String::new(),
    };
    let (given_id, entry_key) = (entry.entry_id.clone(), entry.entry_key.clone());
    let snapshot = entry.context.clone().filter(|text| !text.trim().is_empty());
    let snapshot = snapshot.map(|context| (context, entry.user_id.clone(), entry.creation_time));
    let mut insert = Insert::new();
    insert.set("memory_id", Param::text(&memory_id), "");
    let mut row = NewRow { entry, embedding: embedded, past: Past::default() };
    let ttl = row.entry.ttl.clone();
    for column in &COLUMNS {
        match (column.take(&mut row), &ttl) {
            (_, Some(ttl)) if column.name == "expires_at" => {
                insert.set(column.name, Param::text(ttl.clone()), time_to_live::FROM_NOW);
            }
            (Some(value), _) => insert.set(column.name, value.param(), column.cast),
            (None, _) => insert.set_absent(column),
        }
    }
    if let Some(Embedded { vector, passages, .. }) = row.embedding {
        if !passages.is_empty() {
            insert.set_vectors("passage_embeddings", passages, &store);
        }
        insert.set("embedding", Param::Reals(Some(vector)), &store.vector(""));
    }
    let statement = insert.into_statement(&store.relation("entries"), &on_conflict);
    let given = || {
        let id = |id: &String| Given { argument: "entry_id", row: None, column: Column::EntryId, value: id.clone() };
        given_id.iter().map(id).collect()
    };
    let added = duplicate::named(&memory_id, given, || {
        spi::write(|writer| writer.first(&statement, |row| row.required_text(1).map(EntryId::new)))
    })?;
    // A user's BEFORE trigger that returns NULL suppresses the row.
    let added = added.ok_or_else(|| {
        Error::new(memory_search_core::ErrorKind::WrongState, "the entry was not stored")
            .hint(format!("A trigger on {} suppressed it.", store.relation("entries")))
    })?;
    if let Some(key) = &entry_key {
        upsert::check_id(given_id.as_deref(), key, &added)?;
    }
    if let Some((context, user_id, creation_time)) = snapshot {
        let entry_id = Some(added.clone());
        let snapshot = NewContext { memory_id, context, embedding: None, user_id, creation_time, entry_id };
        put_context::put_if_changed(&store, vec![snapshot])?;
    }
    Ok(added)
}
