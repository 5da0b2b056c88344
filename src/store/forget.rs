//! Erases what a store knows of a user.

use memory_search_core::Result;

use crate::pg::notice;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::definition;
use crate::store::row_locks::may_lock;
use crate::store::settings::{EVERY_ROW, with_settings};
use crate::store::succession::hand_corrections_on;

/// Removes all entries and contexts of a user from every memory of the store, with their vectors,
/// lexemes and access counts, in the caller's transaction; gives how many rows went. A policy that
/// would hide some of them from the caller is an error: erasing must be whole.
pub fn forget_user(store_name: &str, user_id: &str) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
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
    let is_brought = match store.contexts_name_entries {
        true => {
            " OR EXISTS (SELECT FROM those t WHERE t.memory_id OPERATOR(pg_catalog.=) r.memory_id \
               AND t.entry_id OPERATOR(pg_catalog.=) r.entry_id)"
        }
        false => " AND (SELECT pg_catalog.count(*) FROM those) OPERATOR(pg_catalog.>=) 0",
    };
    spi::write(|writer| {
        with_settings(writer, &EVERY_ROW, |writer| {
            hand_corrections_on(writer, &store, &|statement| {
                let user = statement.bind(Param::text(user_id));
                format!("r.user_id OPERATOR(pg_catalog.=) {user}")
            })?;
            let mut statement = Statement::default();
            let those = locked(&entries, "entry_id", &mut statement)?;
            let user = statement.bind(Param::text(user_id));
            let lock = if may_lock(&contexts)? { "FOR UPDATE" } else { "" };
            // Entries are locked first, for the contexts ask for them; then contexts, in the order of their key, so
            // that the foreign key finds none to remove. Counts go by themselves, as it would take them uncounted.
            let statement = statement.with(format!(
                "{those}, snapshots AS MATERIALIZED (SELECT r.memory_id, r.context_id FROM {contexts} r \
                     WHERE (r.user_id OPERATOR(pg_catalog.=) {user}{is_brought}) ORDER BY r.memory_id, r.context_id {lock}), \
                   counts AS (DELETE FROM {access} r USING those WHERE {of_entry} RETURNING 1), \
                   contexts AS (DELETE FROM {contexts} r USING snapshots WHERE \
                     r.memory_id OPERATOR(pg_catalog.=) snapshots.memory_id \
                     AND r.context_id OPERATOR(pg_catalog.=) snapshots.context_id RETURNING 1), \
                   gone AS (DELETE FROM {entries} r USING those WHERE {of_entry} RETURNING 1) \
                 SELECT (SELECT pg_catalog.count(*) FROM counts), (SELECT pg_catalog.count(*) FROM gone), \
                   (SELECT pg_catalog.count(*) FROM contexts)",
                of_entry = "r.memory_id OPERATOR(pg_catalog.=) those.memory_id AND r.entry_id OPERATOR(pg_catalog.=) those.entry_id"
            ));
            let (mut gone_counts, mut gone_entries, mut gone_contexts) = (0, 0, 0);
            writer.returning(&statement, |row| {
                let number = |column| row.integer(column).unwrap_or(0);
                (gone_counts, gone_entries, gone_contexts) = (number(1), number(2), number(3));
                Ok(())
            })?;
            notice::inform(&format!(
                "forgot {gone_entries} entries, {gone_contexts} contexts and {gone_counts} access counts"
            ));
            Ok((gone_entries + gone_counts + gone_contexts).unsigned_abs())
        })
    })
}
