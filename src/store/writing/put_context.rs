//! Adds context snapshots.

use std::collections::HashSet;

use memory_search_core::filter::visibility;
use memory_search_core::request::names::{EntryId, MemoryId};
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::clock;
use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::predicate::{Rows, at_present};
use crate::store::statements::row_locks::may_lock;
use crate::store::writing::stored_embedding::vector_to_write;

/// The newest context of a memory and a user as of a time, if it has a text and the entry that it came with is present.
/// A purge removes the other ones: to rely on them would be to wait for it.
const REPEATED: &str = include_str!("put_context/repeated.sql");
/// Locks contexts in the order of their key, as those who remove contexts do.
const HELD: &str = include_str!("put_context/held.sql");

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
    insert(store, snapshot)?.ok_or_else(|| {
        // A user's BEFORE trigger that returns NULL suppresses the row.
        Error::new(ErrorKind::WrongState, "the context was not stored")
            .hint(format!("A trigger on {} suppressed it.", store.relation("contexts")))
    })
}

/// Adds the snapshots of a memory, in their order, each unless it repeats the newest one as of its time. The repeated
/// ones stay until the end of the transaction: otherwise a session that does not see the new entries yet could remove
/// them, and no context would have the text. A role that may not lock contexts does not keep them.
pub fn put_if_changed(store: &Store, snapshots: Vec<NewContext>) -> Result<()> {
    let mut repeating = Vec::new();
    for mut snapshot in snapshots {
        interrupt::check();
        snapshot.creation_time.get_or_insert_with(clock::now);
        match repeated(store, &snapshot)? {
            Some(id) => repeating.push((id, snapshot)),
            None => insert(store, snapshot).map(|_| ())?,
        }
    }
    if repeating.is_empty() || !may_lock(&store.relation("contexts"))? {
        return Ok(());
    }
    let held = held(store, &repeating)?;
    for (_, snapshot) in repeating.into_iter().filter(|(id, _)| !held.contains(id)) {
        // Gone or deleted since the look; or a policy keeps the caller from locking what the caller sees.
        if repeated(store, &snapshot)?.is_none() {
            insert(store, snapshot)?;
        }
    }
    Ok(())
}

/// The id of the newest context as of the snapshot's time, if the snapshot repeats it.
fn repeated(store: &Store, snapshot: &NewContext) -> Result<Option<String>> {
    let mut statement = Statement::default();
    store.where_it_lies(&mut statement);
    let memory = statement.bind(Param::text(store.canonical_memory_id(&snapshot.memory_id)));
    let user = statement.bind(Param::Text(snapshot.user_id.clone()));
    let created = statement.bind(Param::Timestamp(snapshot.creation_time));
    let context = statement.bind(Param::text(snapshot.context.as_str()));
    let not_deleted = Rows::contexts(store, "c").and(&mut statement, &visibility::not_deleted(at_present()));
    let present = Rows::entries(store, "i").and(&mut statement, &visibility::present(at_present()));
    let marks: [(&str, &str); 8] = [
        ("{contexts}", &store.relation("contexts")),
        ("{entries}", &store.relation("entries")),
        ("{memory}", &memory),
        ("{user}", &user),
        ("{created}", &created),
        ("{context}", &context),
        ("{not_deleted}", &not_deleted),
        ("{the_entry}", &store.keyed("i", "entry_id", "c.entry_id", &present)),
    ];
    let statement = statement.with(filled(REPEATED, &marks));
    // The newest one is read by the index: the plan is kept, and may come from a time when the table was empty.
    store.in_index_order(|| spi::write(|writer| writer.first(&statement, |row| row.required_text(1))))
}

/// Locks those of a memory's contexts, each with a snapshot that repeats it, that are still there and not deleted; returns
/// their ids.
fn held(store: &Store, repeated: &[(String, NewContext)]) -> Result<HashSet<String>> {
    let mut held = HashSet::new();
    let Some((_, first)) = repeated.first() else { return Ok(held) };
    let mut statement = Statement::default();
    store.where_it_lies(&mut statement);
    let memory = statement.bind(Param::text(store.canonical_memory_id(&first.memory_id)));
    let ids = statement.bind(Param::Texts(repeated.iter().map(|(id, _)| id.clone()).collect()));
    let not_deleted = Rows::contexts(store, "c").and(&mut statement, &visibility::not_deleted(at_present()));
    let marks: [(&str, &str); 4] = [
        ("{contexts}", &store.relation("contexts")),
        ("{memory}", &memory),
        ("{ids}", &ids),
        ("{not_deleted}", &not_deleted),
    ];
    let statement = statement.with(filled(HELD, &marks));
    spi::write(|writer| {
        writer.returning(&statement, |row| {
            held.insert(row.required_text(1)?);
            Ok(())
        })
    })?;
    Ok(held)
}

fn insert(store: &Store, snapshot: NewContext) -> Result<Option<String>> {
    let vector = vector_to_write(store, snapshot.embedding, &snapshot.context)?;
    let mut statement = Statement::default();
    let memory_id = statement.bind(Param::text(store.canonical_memory_id(&snapshot.memory_id)));
    let context = statement.bind(Param::text(snapshot.context));
    let user_id = statement.bind(Param::Text(snapshot.user_id));
    let created = statement.bind(Param::Timestamp(Some(snapshot.creation_time.unwrap_or_else(clock::now))));
    let (vector, model) = vector.map_or((None, None), |embedded| (Some(embedded.vector), embedded.model));
    let vector = statement.bind(Param::Reals(vector));
    let vector = store.vector(&vector);
    let model = statement.bind(Param::Text(model));
    let (column, entry) = match snapshot.entry_id {
        Some(entry) => (", entry_id", format!(", {}::pg_catalog.uuid", statement.bind(Param::text(entry)))),
        None => ("", String::new()),
    };
    let statement = statement.with(format!(
        "INSERT INTO {} (memory_id, context, user_id, creation_time, embedding, embedding_model{column}) \
         SELECT {memory_id}, {context}, {user_id}, {created}, {vector}, {model}{entry} \
         RETURNING context_id::pg_catalog.text",
        store.relation("contexts")
    ));
    spi::write(|writer| writer.first(&statement, |row| row.required_text(1)))
}
