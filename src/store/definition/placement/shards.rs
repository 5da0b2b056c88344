//! Stores whose rows lie in shards, as Citus keeps them: a table of the store is then a shell, empty or with what was
//! left behind, and the rows of a memory are in a table beside it, called after the shard's number. The planner
//! hook of Citus leads a statement on the shell to its shard; pages are read without a planner, so of such a
//! store they never are.
//!
//! Nothing here is linked to Citus: its catalogs are asked by name, where they are.

use memory_search_core::Result;
use memory_search_core::request::names::MemoryId;

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{Store, TablesOfMemory};

const FIND_SHARDS: &str = include_str!("shards.sql");

/// The store with the shards that hold a memory in the place of its tables. `None` where they are not all on
/// this server, or the caller lacks a privilege or is bound by a policy on a table or its shard, which need not say
/// the same: then statements on the tables are right, which Citus leads to wherever the shards are.
pub fn of_memory(reader: &Reader<'_>, store: &Store, memory_id: &MemoryId) -> Result<Option<Store>> {
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(memory_id));
    let tables = ["entries", "contexts", "entry_access"].map(|name| store.relation(name).into());
    let tables = statement.bind(Param::Texts(tables.to_vec()));
    let statement = statement.with(filled(FIND_SHARDS, &[("{tables}", &tables), ("{memory}", &memory)]));
    let mut names = Vec::new();
    reader.rows(&statement, |row| {
        names.push(QualifiedName::read(row, 1)?);
        Ok(())
    })?;
    Ok(<[QualifiedName; 3]>::try_from(names).ok().map(|[entries, contexts, entry_access]| Store {
        tables_of_memory: Some(TablesOfMemory { entries, contexts, entry_access }),
        ..store.clone()
    }))
}
