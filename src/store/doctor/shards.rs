//! Checks of a store that Citus distributes: its tables are together, no rows were left behind, and settings reach its
//! nodes.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::store::doctor::check::{Check, Patient};

const NAME: &str = "shards";

/// The reason for which checks that ask the planner, or join all rows, skip a distributed store.
pub const NOT_LOOKED_AT: &str = "not checked: the rows lie in shards, which have the indexes of their table";

/// One check: the first problem.
pub fn examine(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    let store = &patient.store;
    if !store.is_distributed {
        return Ok(Check::ok(NAME, "none: the rows lie on this server"));
    }
    let mut statement = Statement::default();
    let tables = statement.bind(Param::Texts(patient.all_tables.iter().map(u32::to_string).collect()));
    let statement = statement.with(format!(
        "SELECT c.oid::pg_catalog.regclass::pg_catalog.text, d.colocationid::pg_catalog.int8, c.relrowsecurity, \
                pg_catalog.pg_relation_size(c.oid) OPERATOR(pg_catalog.>) 0::pg_catalog.int8, \
                pg_catalog.current_setting('citus.propagate_set_commands', true) OPERATOR(pg_catalog.=) 'local' \
           FROM pg_catalog.pg_class c \
           LEFT JOIN pg_catalog.pg_dist_partition d ON d.logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) c.oid \
          WHERE c.oid OPERATOR(pg_catalog.=) ANY ({tables}::pg_catalog.oid[]) ORDER BY 1"
    ));
    let (mut groups, mut left_behind, mut is_guarded, mut reaches_nodes) = (Vec::new(), Vec::new(), false, false);
    reader.rows(&statement, |row| {
        let table = row.required_text(1)?;
        groups.push(row.integer(2));
        is_guarded |= row.boolean(3) == Some(true);
        if row.boolean(4) == Some(true) {
            left_behind.push(table);
        }
        reaches_nodes = row.boolean(5) == Some(true);
        Ok(())
    })?;
    if groups.iter().any(|group| group.is_none() || *group != groups[0]) {
        return Ok(Check::error(
            NAME,
            "the store's tables are not distributed together: the rows of a memory lie on several nodes",
            None,
        ));
    }
    if is_guarded && !reaches_nodes {
        return Ok(Check::warning(
            NAME,
            "row security is on, and SET LOCAL does not reach the nodes: roles that it binds see no rows",
            "SET citus.propagate_set_commands = 'local';".to_owned(),
        ));
    }
    if !left_behind.is_empty() {
        let named: Vec<String> = left_behind.iter().map(|table| format!("'{}'", table.replace('\'', "''"))).collect();
        let fix = format!(
            "SELECT truncate_local_data_after_distributing_table(t) FROM unnest(ARRAY[{}]::regclass[]) t;",
            named.join(", ")
        );
        let detail = format!("rows that were there before stayed behind, unseen, in {}", left_behind.join(", "));
        return Ok(Check::warning(NAME, detail, fix));
    }
    Ok(Check::ok(NAME, "the store's tables are distributed together"))
}
