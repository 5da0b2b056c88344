//! Work over a whole store, memory by memory where its rows lie in shards: Citus locks and changes rows only in
//! statements that it can send to one shard as they are, and such a statement binds each of its relations to one memory.
//! Elsewhere one statement does all.

use std::collections::BTreeSet;

use memory_search_core::Result;

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::store::definition::Store;
use crate::store::predicate;

/// What of a store a statement is about.
#[derive(Debug, Clone)]
pub enum Part {
    /// All memories.
    Whole,
    /// One of them.
    Memory(String),
}

/// A part in a statement, which has its memory as a parameter.
pub struct Within(Option<String>);

impl Part {
    /// The part in a statement.
    pub fn bind(&self, statement: &mut Statement) -> Within {
        Within(match self {
            Part::Whole => None,
            Part::Memory(memory_id) => Some(statement.bind(Param::text(memory_id.as_str()))),
        })
    }

    /// Rows of the part: other rows that a condition looks at are looked for in the same memory by its id.
    pub fn rows<'a>(&'a self, rows: predicate::Rows<'a>) -> predicate::Rows<'a> {
        match self {
            Part::Whole => rows,
            Part::Memory(memory_id) => rows.of_memory(memory_id),
        }
    }
}

impl Within {
    /// The parameter, where the part is one memory.
    pub fn memory(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The condition that rows `alias` are of the part, with the AND before it.
    pub fn and(&self, alias: &str) -> String {
        match &self.0 {
            None => String::new(),
            Some(memory) => format!(" AND {alias}.memory_id OPERATOR(pg_catalog.=) {memory}"),
        }
    }
}

/// Rows `r` of a relation that work is about: the parameters of the condition, and the condition.
pub struct Rows {
    /// Where they are.
    pub relation: QualifiedName,
    /// Has the parameters.
    pub statement: Statement,
    /// As it may stand behind WHERE.
    pub condition: String,
}

impl Rows {
    /// All of a relation's.
    pub fn all(relation: QualifiedName) -> Rows {
        Rows { relation, statement: Statement::default(), condition: "true".to_owned() }
    }
}

/// The parts to go by, in an order that is the same everywhere: two sessions that go through all of a store never wait
/// for each other in a circle.
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

/// The same for work that writes: by the rows as they stand now.
pub fn parts_now(store: &Store, rows: impl FnOnce() -> Vec<Rows>) -> Result<Vec<Part>> {
    if !store.is_distributed {
        return Ok(vec![Part::Whole]);
    }
    spi::with_own_changes(|| spi::read(|reader| parts(reader, store, rows)))
}
