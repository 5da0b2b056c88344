//! Erases what a store knows of a user.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::pg::{catalog, notice};
use crate::store::row_locks::may_lock;
use crate::store::settings::{EVERY_ROW, with_settings};

/// Removes all entries and contexts of a user from every memory of the store, with their vectors,
/// lexemes and access counts, in the caller's transaction; gives how many rows went. A policy that
/// would hide some of them from the caller is an error: erasing must be whole.
pub fn forget_user(store_name: &str, user_id: &str) -> Result<u64> {
    let store = spi::read(|reader| catalog::store(reader, store_name))?;
    store.require_own_entries("memory_forget_user")?;
    let (entries, contexts, access) =
        (store.relation("entries"), store.relation("contexts"), store.relation("entry_access"));
    // What is removed is what was locked, in the order in which other functions lock, so that none waits
    // for another in a circle: rows that come meanwhile would be locked in no order.
    let locked = |relation: &str, key: &str, statement: &mut Statement| -> Result<String> {
        let user = statement.bind(Param::text(user_id));
        let lock = if may_lock(relation)? { "FOR UPDATE" } else { "" };
        Ok(format!(
            "WITH those AS MATERIALIZED (SELECT r.memory_id, r.{key} FROM {relation} r \
               WHERE r.user_id OPERATOR(pg_catalog.=) {user} ORDER BY r.memory_id, r.{key} {lock})"
        ))
    };
    let is_one_of = |key: &str| {
        format!("r.memory_id OPERATOR(pg_catalog.=) those.memory_id AND r.{key} OPERATOR(pg_catalog.=) those.{key}")
    };
    spi::write(|writer| {
        with_settings(writer, &EVERY_ROW, |writer| {
            let mut statement = Statement::default();
            let those = locked(&entries, "entry_id", &mut statement)?;
            // Counts go by themselves: the foreign key would take them along uncounted.
            let statement = statement.with(format!(
                "{those}, counts AS (DELETE FROM {access} r USING those WHERE {is_one} RETURNING 1), \
                   gone AS (DELETE FROM {entries} r USING those WHERE {is_one} RETURNING 1) \
                 SELECT (SELECT pg_catalog.count(*) FROM counts), (SELECT pg_catalog.count(*) FROM gone)",
                is_one = is_one_of("entry_id")
            ));
            let (mut gone_counts, mut gone_entries) = (0, 0);
            writer.returning(&statement, |row| {
                (gone_counts, gone_entries) = (row.integer(1).unwrap_or(0), row.integer(2).unwrap_or(0));
                Ok(())
            })?;
            let mut statement = Statement::default();
            let those = locked(&contexts, "context_id", &mut statement)?;
            let statement = statement
                .with(format!("{those} DELETE FROM {contexts} r USING those WHERE {}", is_one_of("context_id")));
            let gone_contexts = writer.execute(&statement)?;
            notice::inform(&format!(
                "forgot {gone_entries} entries, {gone_contexts} contexts and {gone_counts} access counts"
            ));
            Ok((gone_entries + gone_counts).unsigned_abs() + gone_contexts)
        })
    })
}
