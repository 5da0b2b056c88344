//! Stores whose rows lie in shards, as Citus keeps them: a table of the store is then a shell, empty or with what was
//! left behind, and the rows of a memory are in a table beside it, called after the shard's number. The planner
//! hook of Citus leads a statement on the shell to its shard; pages are read without a planner, so of such a
//! store they never are.
//!
//! Nothing here is linked to Citus: its catalogs are asked by name, where they are.

use memory_search_core::Result;

use super::{Shards, Store};
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};

/// The store with the shards that hold a memory in the place of its tables. `None` where they are not all on
/// this server, or the caller lacks a privilege or is bound by a policy on a table or its shard, which need not say
/// the same: then statements on the tables are right, which Citus leads to wherever the shards are.
pub fn of_memory(reader: &Reader<'_>, store: &Store, memory_id: &str) -> Result<Option<Store>> {
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(memory_id));
    let tables = ["entries", "contexts", "entry_access"].map(|name| store.relation(name));
    let tables = statement.bind(Param::Texts(tables.to_vec()));
    let statement = statement.with(format!(
        "SELECT pg_catalog.format('%I.%I', n.nspname, shard.relname) \
         FROM pg_catalog.unnest({tables}) WITH ORDINALITY t (name, place) \
         JOIN pg_catalog.pg_class own ON own.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(t.name)::pg_catalog.oid \
         JOIN pg_catalog.pg_dist_partition d ON d.logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) own.oid \
         CROSS JOIN LATERAL (SELECT pg_catalog.get_shard_id_for_distribution_column(d.logicalrelid, {memory}) OFFSET 0) s (id) \
         JOIN pg_catalog.pg_dist_placement p ON p.shardid OPERATOR(pg_catalog.=) s.id \
         JOIN pg_catalog.pg_dist_local_group here ON here.groupid OPERATOR(pg_catalog.=) p.groupid \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) own.relnamespace \
         JOIN pg_catalog.pg_class shard ON shard.relnamespace OPERATOR(pg_catalog.=) n.oid \
           AND shard.relname OPERATOR(pg_catalog.=) pg_catalog.concat(own.relname, '_', s.id)::pg_catalog.name \
         WHERE pg_catalog.has_table_privilege(own.oid, 'SELECT') AND pg_catalog.has_table_privilege(shard.oid, 'SELECT') \
           AND NOT pg_catalog.row_security_active(own.oid) AND NOT pg_catalog.row_security_active(shard.oid) \
         ORDER BY t.place"
    ));
    let mut names = Vec::new();
    reader.rows(&statement, |row| {
        names.push(row.required_text(1)?);
        Ok(())
    })?;
    Ok(<[String; 3]>::try_from(names).ok().map(|[entries, contexts, entry_access]| Store {
        shards: Some(Shards { entries, contexts, entry_access }),
        ..store.clone()
    }))
}
