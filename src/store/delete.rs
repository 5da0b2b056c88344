//! Deletes entries and takes that back: they are hidden at once and stay until purged.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::definition::{self, Store};

/// Which rows of a memory are meant.
pub enum Which {
    /// These entries.
    Entries(Vec<String>),
    /// These contexts.
    Contexts(Vec<String>),
    /// All of the memory, with its contexts.
    WholeMemory,
}

/// Schedules the deletion of entries or contexts, or of a whole memory; gives how many rows that hid. A context that
/// an entry brought is hidden with it, and not counted.
pub fn delete(store_name: &str, memory_id: &str, which: Which) -> Result<u64> {
    let name = if matches!(which, Which::Contexts(_)) { "memory_delete_contexts" } else { "memory_delete" };
    change(store_name, memory_id, which, name, "pg_catalog.clock_timestamp()", "IS NULL")
}

/// Takes a deletion back, as long as nothing was purged; gives how many rows are back.
pub fn restore(store_name: &str, memory_id: &str, which: Which) -> Result<u64> {
    let name = if matches!(which, Which::Contexts(_)) { "memory_restore_contexts" } else { "memory_restore" };
    change(store_name, memory_id, which, name, "NULL", "IS NOT NULL")
}

fn change(store_name: &str, memory_id: &str, which: Which, name: &str, time: &str, those: &str) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    // The contexts of an adopted table are the store's own; its entries are not.
    if !matches!(which, Which::Contexts(_)) {
        store.require_own_entries(name)?;
    }
    spi::write(|writer| match which {
        Which::Entries(ids) => writer.execute(&statement(&store, "entries", memory_id, Some(ids), time, those)),
        Which::Contexts(ids) => writer.execute(&statement(&store, "contexts", memory_id, Some(ids), time, those)),
        Which::WholeMemory => {
            let entries = writer.execute(&statement(&store, "entries", memory_id, None, time, those))?;
            Ok(entries + writer.execute(&statement(&store, "contexts", memory_id, None, time, those))?)
        }
    })
}

fn statement(
    store: &Store,
    relation: &str,
    memory_id: &str,
    ids: Option<Vec<String>>,
    time: &str,
    those: &str,
) -> Statement {
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(store.canonical_memory_id(memory_id)));
    let key = if relation == "entries" { "entry_id" } else { "context_id" };
    let only = ids.map(|ids| {
        let ids = statement.bind(Param::Texts(ids));
        format!(" AND r.{key} OPERATOR(pg_catalog.=) ANY ({ids}::pg_catalog.uuid[])")
    });
    let only = only.unwrap_or_default();
    // Locked in the order of the key first, so that two sessions that change the same rows never
    // wait for each other in a circle.
    statement.with(format!(
        "WITH those AS MATERIALIZED (SELECT r.memory_id, r.{key} FROM {relation} r \
           WHERE r.memory_id OPERATOR(pg_catalog.=) {memory} AND r.deletion_scheduled_time {those}{only} \
           ORDER BY r.{key} FOR NO KEY UPDATE) \
         UPDATE {relation} r SET deletion_scheduled_time = {time} FROM those \
         WHERE r.memory_id OPERATOR(pg_catalog.=) those.memory_id AND r.{key} OPERATOR(pg_catalog.=) those.{key} \
           AND r.deletion_scheduled_time {those}",
        relation = store.relation(relation)
    ))
}
