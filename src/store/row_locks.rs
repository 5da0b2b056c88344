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
///
/// That snapshot also has rows that came while the first statement waited. They may stand before what is locked already:
/// the change takes those that nobody else works on, and waits for none.
pub struct LockedChange {
    /// Locks the rows, in the order of their keys.
    lock: Statement,
    change: Statement,
}

/// How rows are locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// Not at all: the caller may only remove them, and the change locks what it meets.
    No,
    /// To change columns that are no key.
    NoKeyUpdate,
    /// To remove them.
    Update,
}

impl Lock {
    fn clause(self) -> &'static str {
        match self {
            Lock::No => "",
            Lock::NoKeyUpdate => " FOR NO KEY UPDATE",
            Lock::Update => " FOR UPDATE",
        }
    }

    /// What follows a query over rows that are locked in its order, one after the other as others let them go.
    pub fn in_turn(self, query: &str) -> String {
        format!("{query}{}", self.clause())
    }

    /// The same for rows of which most are locked already: passes over those that another session has locked. Those that
    /// the transaction has locked itself are never passed over.
    pub fn without_waiting(self, query: &str) -> String {
        format!("{query}{}{}", self.clause(), if self == Lock::No { "" } else { " SKIP LOCKED" })
    }
}

impl LockedChange {
    /// `rows` selects them in the order of their keys; `change` is given the query that selects those that are locked.
    pub fn new(statement: Statement, rows: &str, lock: Lock, change: impl FnOnce(&str) -> String) -> LockedChange {
        let change = change(&lock.without_waiting(rows));
        LockedChange { lock: statement.clone().with(counted(&lock.in_turn(rows))), change: statement.with(change) }
    }

    /// `locked` locks rows that it finds free, in whatever order, and the change locks them likewise.
    pub fn of_free_rows(statement: Statement, locked: &str, change: String) -> LockedChange {
        LockedChange { lock: statement.clone().with(counted(locked)), change: statement.with(change) }
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

/// A query with row locks as a statement that gives no rows back.
pub fn counted(locked: &str) -> String {
    format!("SELECT pg_catalog.count(*) FROM ({locked}) locked")
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
