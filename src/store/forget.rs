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
    let of_user = |beginning: String, user_column: &str| {
        let mut statement = Statement::default();
        let user = statement.bind(Param::text(user_id));
        statement.with(format!("{beginning} WHERE {user_column} OPERATOR(pg_catalog.=) {user}"))
    };
    let (entries, contexts, access) =
        (store.relation("entries"), store.relation("contexts"), store.relation("entry_access"));
    // Locked first, in the order in which other functions lock, so that none waits for another in a
    // circle. Counts go by themselves: the foreign key would take them along uncounted.
    let lock = |relation: &str, key: &str| {
        let statement = of_user(format!("SELECT FROM {relation}"), "user_id");
        let text = format!("{} ORDER BY memory_id, {key} FOR UPDATE", statement.sql);
        statement.with(text)
    };
    let counts = of_user(
        format!("DELETE FROM {access} a USING {entries} e"),
        "a.memory_id OPERATOR(pg_catalog.=) e.memory_id AND a.entry_id OPERATOR(pg_catalog.=) e.entry_id AND e.user_id",
    );
    let of = |relation: &str| of_user(format!("DELETE FROM {relation}"), "user_id");
    spi::write(|writer| {
        with_settings(writer, &EVERY_ROW, |writer| {
            for (relation, key) in [(&entries, "entry_id"), (&contexts, "context_id")] {
                if may_lock(relation)? {
                    writer.execute(&lock(relation, key))?;
                }
            }
            let counts = writer.execute(&counts)?;
            let entries = writer.execute(&of(&entries))?;
            let contexts = writer.execute(&of(&contexts))?;
            notice::inform(&format!("forgot {entries} entries, {contexts} contexts and {counts} access counts"));
            Ok(entries + contexts + counts)
        })
    })
}
