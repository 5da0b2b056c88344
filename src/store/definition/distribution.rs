//! Whether a store is distributed by Citus. Nothing here is linked to Citus: its catalogs are looked up by name, if
//! they exist.

use memory_search_core::Result;

use super::ReadFrom;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};

/// Whether the store's entries or contexts are distributed.
pub fn is_distributed(reader: &Reader<'_>, read_from: &ReadFrom) -> Result<bool> {
    let look = Statement::default().with(
        "SELECT pg_catalog.to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL \
           AND pg_catalog.to_regclass('pg_catalog.pg_dist_placement') IS NOT NULL \
           AND pg_catalog.to_regclass('pg_catalog.pg_dist_local_group') IS NOT NULL"
            .to_owned(),
    );
    if reader.first(&look, |row| Ok(row.boolean(1)))?.flatten() != Some(true) {
        return Ok(false);
    }
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(read_from.entries))));
    let contexts = statement.bind(Param::Integer(Some(i64::from(read_from.contexts))));
    let statement = statement.with(format!(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition d \
           WHERE d.logicalrelid::pg_catalog.oid::pg_catalog.int8 OPERATOR(pg_catalog.=) ANY (ARRAY[{entries}, {contexts}]))"
    ));
    Ok(reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true))
}
