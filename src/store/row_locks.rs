//! Locking rows before they are worked on, so that sessions wait for each other in one order.

use memory_search_core::Result;
use memory_search_core::request::names::MemoryId;

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{self, Statement, Writer};
use crate::store::definition::Store;

/// Whether the caller may lock rows of the relation: PostgreSQL asks for the privilege to change them.
pub fn may_lock(relation: &QualifiedName) -> Result<bool> {
    let mut statement = Statement::default();
    let name = statement.bind(Param::text(relation));
    let statement = statement.with(format!("SELECT pg_catalog.has_any_column_privilege({name}, 'UPDATE')"));
    let found = spi::read(|reader| reader.first(&statement, |row| Ok(row.boolean(1))))?;
    Ok(found.flatten() == Some(true))
}

/// A change of rows that are locked first, by a statement of its own.
///
/// In one statement with the change two sessions may wait for each other in a circle, whatever the order: where a row was
/// updated since the snapshot, the lock is on its newest version, and the change begins at the version of the snapshot.
/// While somebody holds a key-share lock on that one PostgreSQL asks for it anew (`HeapTupleSatisfiesUpdate` calls it
/// being modified), behind a session that has its turn there and waits for the newest version. The second statement has a
/// snapshot of its own, which begins at the version that is locked.
pub struct LockedChange {
    /// Locks the rows, in the order of their keys.
    lock: Statement,
    change: Statement,
}

impl LockedChange {
    /// `locked` selects and locks the rows; `change` may lock them again, for rows that came meanwhile.
    pub fn new(statement: Statement, locked: &str, change: String) -> LockedChange {
        let lock = statement.clone().with(format!("SELECT pg_catalog.count(*) FROM ({locked}) locked"));
        LockedChange { lock, change: statement.with(change) }
    }

    /// Runs both; gives how many rows the change processed.
    pub fn execute(&self, writer: &mut Writer<'_>) -> Result<u64> {
        self.locked(writer)?.execute(&self.change)
    }

    /// Runs both, with what the change returns.
    pub fn returning(&self, writer: &mut Writer<'_>, each: impl FnMut(Row<'_>) -> Result<()>) -> Result<u64> {
        self.locked(writer)?.returning(&self.change, each)
    }

    /// Runs both, with the row that the change returns.
    pub fn only<T>(&self, writer: &mut Writer<'_>, take: impl FnMut(Row<'_>) -> Result<T>) -> Result<T> {
        self.locked(writer)?.only(&self.change, take)
    }

    fn locked<'a, 'b>(&self, writer: &'a mut Writer<'b>) -> Result<&'a mut Writer<'b>> {
        writer.execute(&self.lock)?;
        Ok(writer)
    }
}

/// Lets those that lock what has no order yet (rows that are still to come, a chain that grows) come one after the other
/// in a memory: an advisory lock to the end of the transaction.
pub fn lock_memory(writer: &mut Writer<'_>, store: &Store, memory_id: &MemoryId) -> Result<()> {
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries.cast_signed()))));
    let memory = statement.bind(Param::text(memory_id));
    let statement = statement.with(format!(
        "SELECT pg_catalog.pg_advisory_xact_lock({entries}::pg_catalog.int4, pg_catalog.hashtext({memory}))"
    ));
    writer.execute(&statement).map(|_| ())
}
