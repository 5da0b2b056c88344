//! Locking rows before they are worked on, so that sessions wait for each other in one order.

use memory_search_core::Result;
use memory_search_core::request::names::MemoryId;

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
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
