//! Locking rows before they are worked on, so that sessions wait for each other in one order.

use memory_search_core::Result;

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};

/// Whether the caller may lock rows of the relation: PostgreSQL asks for the privilege to change them.
pub fn may_lock(relation: &QualifiedName) -> Result<bool> {
    let mut statement = Statement::default();
    let name = statement.bind(Param::text(relation));
    let statement = statement.with(format!("SELECT pg_catalog.has_any_column_privilege({name}, 'UPDATE')"));
    let found = spi::read(|reader| reader.first(&statement, |row| Ok(row.boolean(1))))?;
    Ok(found.flatten() == Some(true))
}
