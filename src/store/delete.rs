//! Deletes entries and takes that back: they are hidden at once and stay until purged.

use memory_search_core::Result;

use crate::pg::catalog::{self, Store};
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};

/// Which rows of a memory are meant.
pub enum Which {
    /// These entries.
    Entries(Vec<String>),
    /// All of the memory, with its contexts.
    WholeMemory,
}

/// Schedules the deletion of entries, or of a whole memory; gives how many rows that hid.
pub fn delete(store_name: &str, memory_id: &str, which: Which) -> Result<u64> {
    change(store_name, memory_id, which, "memory_delete", "pg_catalog.clock_timestamp()", "IS NULL")
}

/// Takes a deletion back, as long as nothing was purged; gives how many rows are back.
pub fn restore(store_name: &str, memory_id: &str, which: Which) -> Result<u64> {
    change(store_name, memory_id, which, "memory_restore", "NULL", "IS NOT NULL")
}

fn change(store_name: &str, memory_id: &str, which: Which, name: &str, time: &str, those: &str) -> Result<u64> {
    let store = spi::read(|reader| catalog::store(reader, store_name))?;
    store.require_own_entries(name)?;
    spi::write(|writer| match which {
        Which::Entries(ids) => writer.execute(&statement(&store, "entries", memory_id, Some(ids), time, those)),
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
    let memory = statement.bind(Param::text(memory_id));
    let only = ids.map(|ids| {
        let ids = statement.bind(Param::Texts(ids));
        format!(" AND {}", store.is_among("r.entry_id", &ids))
    });
    // Locked in the order of the key first, so that two sessions that change the same rows never
    // wait for each other in a circle.
    let key = if relation == "entries" { "entry_id" } else { "context_id" };
    let only = only.unwrap_or_default();
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
