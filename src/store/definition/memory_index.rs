//! The memory index of a store's own table, as the catalogs have it: any index of the access method `memory_search`
//! that holds all rows. By the names of the columns behind it a search knows what it holds.

use memory_search_core::{Error, ErrorKind, Result};

/// Finds it, over `entries` of pg_class.
pub const FIND: &str = include_str!("find_memory_index.sql");

/// A memory index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryIndex {
    /// Its OID.
    pub oid: u32,
    /// The table's columns behind its own, in order; empty for an expression.
    pub columns: Vec<String>,
}

impl MemoryIndex {
    /// Of what [`FIND`] gives.
    pub fn new(oid: u32, columns: &str) -> Result<MemoryIndex> {
        let columns = serde_json::from_str(columns)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("columns of an index: {error}")))?;
        Ok(MemoryIndex { oid, columns })
    }
}
