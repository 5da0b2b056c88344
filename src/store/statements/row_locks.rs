//! Locks rows before a change, so that sessions wait for each other in one order.

use memory_search_core::Result;
use memory_search_core::request::names::MemoryId;

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{self, Statement, Writer};
use crate::store::definition::Store;

/// Whether the caller may lock rows of the relation: PostgreSQL requires the privilege to change them.
pub fn may_lock(relation: &QualifiedName) -> Result<bool> {
    let mut statement = Statement::default();
    let name = statement.bind(Param::text(relation));
    let statement = statement.with(format!("SELECT pg_catalog.has_any_column_privilege({name}, 'UPDATE')"));
    let found = spi::read(|reader| reader.first(&statement, |row| Ok(row.boolean(1))))?;
    Ok(found.flatten() == Some(true))
}

/// Whether the caller may change a column of the relation.
pub fn may_change(relation: &QualifiedName, column: &str) -> Result<bool> {
    let mut statement = Statement::default();
    let [name, column] = [&**relation, column].map(|text| statement.bind(Param::text(text)));
    let statement = statement.with(format!("SELECT pg_catalog.has_column_privilege({name}, {column}, 'UPDATE')"));
    let found = spi::read(|reader| reader.first(&statement, |row| Ok(row.boolean(1))))?;
    Ok(found.flatten() == Some(true))
}

/// Whether the caller may read and lock each row of the relation. Policies for UPDATE may keep the caller from locking a
/// row that the caller sees, which looks as if another session had locked it: if any policy applies, the answer is no.
pub fn may_lock_each(relation: &QualifiedName) -> Result<bool> {
    let mut statement = Statement::default();
    let name = statement.bind(Param::text(relation));
    let statement = statement.with(format!(
        "SELECT pg_catalog.has_table_privilege({name}, 'SELECT') \
            AND pg_catalog.has_any_column_privilege({name}, 'UPDATE') \
            AND NOT pg_catalog.row_security_active({name})"
    ));
    let found = spi::read(|reader| reader.first(&statement, |row| Ok(row.boolean(1))))?;
    Ok(found.flatten() == Some(true))
}

/// A change of rows that a separate statement locks first.
///
/// If one statement both locked and changed the rows, two sessions could deadlock, even with one order. If a row was
/// updated after the snapshot, the lock is on its newest version, but the change begins at the version of the snapshot.
/// While another session holds a key-share lock on that old version, PostgreSQL locks it anew
/// (`HeapTupleSatisfiesUpdate` calls it being modified), behind a session that is next in line there and waits for the
/// newest version. The second statement has its own snapshot, which begins at the locked version.
///
/// The second snapshot also sees rows that were added while the first statement waited. They may come before the locked
/// rows in the order, so the change takes only rows that no other session uses, and waits for none.
pub struct LockedChange {
    /// Locks the rows in the order of their keys.
    lock: Statement,
    change: Statement,
}

/// The kind of lock on rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// No lock: the caller may only remove rows, and the change locks those that it reaches.
    No,
    /// A lock to change columns that are no key.
    NoKeyUpdate,
    /// A lock to remove rows.
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

    /// The end of a query that locks rows in its order, waiting for each row until others release it.
    pub fn in_turn(self, query: &str) -> String {
        format!("{query}{}", self.clause())
    }

    /// The same for rows that are mostly locked already: skips rows that another session has locked. Rows that the
    /// transaction itself has locked are never skipped.
    pub fn without_waiting(self, query: &str) -> String {
        format!("{query}{}{}", self.clause(), if self == Lock::No { "" } else { " SKIP LOCKED" })
    }
}

impl LockedChange {
    /// `rows` selects the rows in the order of their keys; `change` gets the query that selects the locked ones.
    pub fn new(statement: Statement, rows: &str, lock: Lock, change: impl FnOnce(&str) -> String) -> LockedChange {
        let change = change(&lock.without_waiting(rows));
        LockedChange { lock: statement.clone().with(counted(&lock.in_turn(rows))), change: statement.with(change) }
    }

    /// `locked` locks rows that it finds free, in any order, and so does the change.
    pub fn of_free_rows(statement: Statement, locked: &str, change: String) -> LockedChange {
        LockedChange { lock: statement.clone().with(counted(locked)), change: statement.with(change) }
    }

    /// Runs both; returns how many rows the change processed.
    pub fn execute(&self, writer: &mut Writer<'_>) -> Result<u64> {
        self.locked(writer)?.execute(&self.change)
    }

    /// Runs both, and passes on the rows that the change returns.
    pub fn returning(&self, writer: &mut Writer<'_>, each: impl FnMut(Row<'_>) -> Result<()>) -> Result<u64> {
        self.locked(writer)?.returning(&self.change, each)
    }

    /// Runs both, and returns the row that the change returns.
    pub fn only<T>(&self, writer: &mut Writer<'_>, take: impl FnMut(Row<'_>) -> Result<T>) -> Result<T> {
        self.locked(writer)?.only(&self.change, take)
    }

    fn locked<'a, 'b>(&self, writer: &'a mut Writer<'b>) -> Result<&'a mut Writer<'b>> {
        writer.execute(&self.lock)?;
        Ok(writer)
    }
}

/// A query with row locks as a statement that returns no rows.
pub fn counted(locked: &str) -> String {
    format!("SELECT pg_catalog.count(*) FROM ({locked}) locked")
}

/// Makes sessions that lock rows without a fixed order (rows that do not exist yet, a chain that grows) run one after
/// the other in a memory: an advisory lock to the end of the transaction.
pub fn lock_memory(writer: &mut Writer<'_>, store: &Store, memory_id: &MemoryId) -> Result<()> {
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries.cast_signed()))));
    let memory = statement.bind(Param::text(memory_id));
    let statement = statement.with(format!(
        "SELECT pg_catalog.pg_advisory_xact_lock({entries}::pg_catalog.int4, pg_catalog.hashtext({memory}))"
    ));
    writer.execute(&statement).map(|_| ())
}
