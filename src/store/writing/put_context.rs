//! Adds context snapshots.

use memory_search_core::filter::visibility;
use memory_search_core::request::names::{EntryId, MemoryId};
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::clock;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::definition::Store;
use crate::store::predicate::{Rows, at_present};
use crate::store::writing::stored_embedding::vector_to_write;

/// A context snapshot to add.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct NewContext {
    pub memory_id: MemoryId,
    pub context: String,
    pub embedding: Option<Vec<f32>>,
    pub user_id: Option<String>,
    pub creation_time: Option<Micros>,
    /// The entry that came with it.
    pub entry_id: Option<EntryId>,
}

/// Adds a snapshot; returns its id.
pub fn put(store: &Store, snapshot: NewContext) -> Result<String> {
    insert(store, snapshot, false)?.ok_or_else(|| {
        // A user's BEFORE trigger that returns NULL suppresses the row.
        Error::new(ErrorKind::WrongState, "the context was not stored")
            .hint(format!("A trigger on {} suppressed it.", store.relation("contexts")))
    })
}

/// Adds a snapshot unless it repeats the newest one as of its time.
pub fn put_if_changed(store: &Store, snapshot: NewContext) -> Result<Option<String>> {
    insert(store, snapshot, true)
}

fn insert(store: &Store, snapshot: NewContext, only_if_changed: bool) -> Result<Option<String>> {
    let vector = vector_to_write(store, snapshot.embedding, &snapshot.context)?;
    let contexts = store.relation("contexts");
    let mut statement = Statement::default();
    let memory_id = statement.bind(Param::text(store.canonical_memory_id(&snapshot.memory_id)));
    let context = statement.bind(Param::text(snapshot.context));
    let user_id = statement.bind(Param::Text(snapshot.user_id));
    let created = statement.bind(Param::Timestamp(Some(snapshot.creation_time.unwrap_or_else(clock::now))));
    let (vector, model) = vector.map_or((None, None), |embedded| (Some(embedded.vector), embedded.model));
    let vector = statement.bind(Param::Reals(vector));
    let vector = store.vector(&vector);
    let model = statement.bind(Param::Text(model));
    let condition = if only_if_changed {
        store.where_it_lies(&mut statement);
        let not_deleted = Rows::contexts(store, "c").and(&mut statement, &visibility::not_deleted(at_present()));
        format!(
            "WHERE {context} IS DISTINCT FROM (SELECT c.context FROM {contexts} c \
               WHERE c.memory_id OPERATOR(pg_catalog.=) {memory_id}{not_deleted} \
                 AND c.user_id IS NOT DISTINCT FROM {user_id} AND c.creation_time OPERATOR(pg_catalog.<=) {created} \
               ORDER BY c.creation_time DESC, c.context_id LIMIT 1)"
        )
    } else {
        String::new()
    };
    let (column, entry) = match snapshot.entry_id {
        Some(entry) => (", entry_id", format!(", {}::pg_catalog.uuid", statement.bind(Param::text(entry)))),
        None => ("", String::new()),
    };
    let statement = statement.with(format!(
        "INSERT INTO {contexts} (memory_id, context, user_id, creation_time, embedding, embedding_model{column}) \
         SELECT {memory_id}, {context}, {user_id}, {created}, {vector}, {model}{entry} {condition} \
         RETURNING context_id::pg_catalog.text"
    ));
    let insert = || spi::write(|writer| writer.first(&statement, |row| row.required_text(1)));
    // The newest one is read by the index: the plan is kept, and may come from a time when the
    // table was empty.
    if only_if_changed { store.in_index_order(insert) } else { insert() }
}
