//! Reads the history of an entry, the newest event first.

use memory_search_core::bounds_and_defaults::MAX_RESPONSE_BYTES;
use memory_search_core::request::names::{EntryId, MemoryId, StoreName};
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, ErrorKind, Result};

use super::of_memory;
use crate::pg::datum::text;
use crate::pg::param::Param;
use crate::pg::spi::Statement;
use crate::store::definition::Store;
use crate::store::recording::found;

/// A change of an entry.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Event {
    pub history_id: i64,
    pub operation: String,
    pub recorded: Option<Micros>,
    pub session_role: String,
    pub effective_role: String,
    /// The user of the entry before the change.
    pub user_id: Option<String>,
    /// The row before the change, as JSON text.
    pub before: Option<String>,
}

/// The changes of an entry, at most `rows`; if an event's number is given, only events older than it.
pub fn history(
    store_name: &StoreName,
    memory_id: &MemoryId,
    entry_id: &EntryId,
    rows: i64,
    older_than: Option<i64>,
) -> Result<Vec<Event>> {
    of_memory(store_name, memory_id, |reader, store| {
        if store.is_adopted() || found::table(reader, store)?.is_none() {
            return Err(no_history(store, store_name));
        }
        let mut statement = Statement::default();
        let memory = statement.bind(Param::text(memory_id));
        let entry = statement.bind(Param::text(entry_id));
        let limit = statement.bind(Param::Integer(Some(rows)));
        let older = match older_than {
            Some(id) => {
                format!(" AND h.history_id OPERATOR(pg_catalog.<) {}", statement.bind(Param::Integer(Some(id))))
            }
            None => String::new(),
        };
        let statement = statement.with(format!(
            "SELECT h.history_id::pg_catalog.int8, h.operation::pg_catalog.text, \
                    h.recorded_at::pg_catalog.timestamptz, h.session_role::pg_catalog.text, \
                    h.effective_role::pg_catalog.text, h.user_id::pg_catalog.text, h.before::pg_catalog.text \
             FROM {} h WHERE h.memory_id OPERATOR(pg_catalog.=) {memory} \
               AND h.entry_id OPERATOR(pg_catalog.=) {entry}::pg_catalog.uuid{older} \
             ORDER BY h.history_id DESC LIMIT {limit}",
            store.relation("history")
        ));
        let (mut events, mut bytes) = (Vec::new(), 0);
        reader.scan(&statement, |row| {
            let event = Event {
                history_id: row.required_integer(1)?,
                operation: row.required_text(2)?,
                recorded: row.timestamp(3),
                session_role: row.required_text(4)?,
                effective_role: row.required_text(5)?,
                user_id: row.text(6)?,
                before: row.text(7)?,
            };
            bytes += event.before.as_ref().map_or(0, String::len);
            if bytes > MAX_RESPONSE_BYTES {
                return Err(text::too_much(bytes));
            }
            events.push(event);
            Ok(())
        })?;
        Ok(events)
    })
}

/// Refuses a store without the table, which never recorded anything: an empty answer would mean that nothing happened
/// (55000, 0A000).
fn no_history(store: &Store, store_name: &StoreName) -> Error {
    match store.adopted_table() {
        Some(table) => Error::new(
            ErrorKind::Unsupported,
            format!("there is no history of the entries of store {}: they are the rows of {table}", store.schema),
        )
        .hint(format!("Triggers of your own on {table} could keep one.")),
        None if store.is_distributed => Error::new(
            ErrorKind::Unsupported,
            format!("there is no history of the entries of store {}: they are distributed", store.schema),
        )
        .hint("A history needs triggers, and Citus has none on distributed tables."),
        None => Error::new(ErrorKind::WrongState, format!("store {} keeps no history", store.schema)).hint(format!(
            "SELECT memory_keep_history('{}'); records what happens from then on.",
            store_name.replace('\'', "''")
        )),
    }
}
