//! Work on a whole store, memory by memory if its rows are in shards: Citus locks and changes rows only in statements
//! that it can send unchanged to one shard, and such a statement binds each of its relations to one memory. In other
//! stores one statement does everything.

use std::collections::BTreeSet;

use memory_search_core::Result;

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::store::definition::Store;
use crate::store::predicate;

/// The part of a store that a statement works on.
#[derive(Debug, Clone)]
pub enum Part {
    /// All memories.
    Whole,
    /// One memory.
    Memory(String),
}

/// A part in a statement, which has the memory as a parameter.
pub struct Within(Option<String>);

impl Part {
    /// Binds the part to a statement.
    pub fn bind(&self, statement: &mut Statement) -> Within {
        Within(match self {
            Part::Whole => None,
            Part::Memory(memory_id) => Some(statement.bind(Param::text(memory_id.as_str()))),
        })
    }

    /// The rows of the part: a condition that reads other rows reads rows of the same memory, by its id.
    pub fn rows<'a>(&'a self, rows: predicate::Rows<'a>) -> predicate::Rows<'a> {
        match self {
            Part::Whole => rows,
            Part::Memory(memory_id) => rows.of_memory(memory_id),
        }
    }
}

impl Within {
    /// The parameter, if the part is one memory.
    pub fn memory(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The condition that rows `alias` belong to the part, with the AND before it.
    pub fn and(&self, alias: &str) -> String {
        match &self.0 {
            None => String::new(),
            Some(memory) => format!(" AND {alias}.memory_id OPERATOR(pg_catalog.=) {memory}"),
        }
    }
}

/// The rows `r` of a relation to work on: the condition, and a statement with its parameters.
pub struct Rows {
    /// The relation of the rows.
    pub relation: QualifiedName,
    /// The statement with the parameters.
    pub statement: Statement,
    /// The condition, to write after WHERE.
    pub condition: String,
}

impl Rows {
    /// All rows of a relation.
    pub fn all(relation: QualifiedName) -> Rows {
        Rows { relation, statement: Statement::default(), condition: "true".to_owned() }
    }
}

/// The parts to process, always in the same order: two sessions that go through a whole store never wait for each other
/// in a circle.
pub fn parts(reader: &Reader<'_>, store: &Store, rows: impl FnOnce() -> Vec<Rows>) -> Result<Vec<Part>> {
    if !store.is_distributed {
        return Ok(vec![Part::Whole]);
    }
    let mut memories = BTreeSet::new();
    for Rows { relation, statement, condition } in rows() {
        let statement =
            statement.with(format!("SELECT DISTINCT r.memory_id::pg_catalog.text FROM {relation} r WHERE {condition}"));
        reader.scan(&statement, |row| {
            memories.insert(row.required_text(1)?);
            Ok(())
        })?;
    }
    Ok(memories.into_iter().map(Part::Memory).collect())
}

/// The same parts for work that writes: determined from the current rows.
pub fn parts_now(store: &Store, rows: impl FnOnce() -> Vec<Rows>) -> Result<Vec<Part>> {
    if !store.is_distributed {
        return Ok(vec![Part::Whole]);
    }
    spi::with_own_changes(|| spi::read(|reader| parts(reader, store, rows)))
}
