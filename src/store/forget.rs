//! Erases what a store knows of a user.

use memory_search_core::Result;
use memory_search_core::filter::condition::{Condition, TextField};
use memory_search_core::request::names::StoreName;

use crate::pg::identifier::QualifiedName;
use crate::pg::notice;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::pg::sql_text::filled;
use crate::store::by_memory;
use crate::store::definition;
use crate::store::predicate::Rows;
use crate::store::recording::found;
use crate::store::row_locks::{LockedChange, may_lock};
use crate::store::settings::{EVERY_ROW, with_settings};
use crate::store::succession::hand_corrections_on;

const FORGET: &str = include_str!("forget.sql");

/// Removes all entries and contexts of a user from every memory of the store, with their vectors,
/// lexemes and access counts, in the caller's transaction; gives how many rows went. A policy that
/// would hide some of them from the caller is an error: erasing must be whole.
pub fn forget_user(store_name: &StoreName, user_id: &str) -> Result<u64> {
    let (store, history) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        store.require_own_entries("memory_forget_user")?;
        let history = found::table(reader, &store)?.map(|_| store.relation("history"));
        Ok((store, history))
    })?;
    let (entries, contexts, access) =
        (store.relation("entries"), store.relation("contexts"), store.relation("entry_access"));
    let of_user = Condition::Equals(TextField::UserId, user_id.to_owned());
    let is_brought = match store.contexts_name_entries {
        true => {
            " OR EXISTS (SELECT FROM those t WHERE t.memory_id OPERATOR(pg_catalog.=) r.memory_id \
               AND t.entry_id OPERATOR(pg_catalog.=) r.entry_id)"
        }
        false => " AND (SELECT pg_catalog.count(*) FROM those) OPERATOR(pg_catalog.>=) 0",
    };
    spi::write(|writer| {
        let gone = with_settings(writer, &EVERY_ROW, |writer| {
            let lock = |relation: &QualifiedName| Ok(if may_lock(relation)? { "FOR UPDATE" } else { "" });
            let (lock_entries, lock_contexts) = (lock(&entries)?, lock(&contexts)?);
            let parts = by_memory::parts_now(&store, || {
                [&entries, &contexts]
                    .map(|relation| {
                        let mut statement = Statement::default();
                        let condition = Rows::entries(&store, "r").sql(&mut statement, &of_user);
                        by_memory::Rows { relation: relation.clone(), statement, condition }
                    })
                    .into()
            })?;
            let (mut gone_counts, mut gone_entries, mut gone_contexts) = (0, 0, 0);
            for part in &parts {
                hand_corrections_on(writer, &store, part, &of_user)?;
                let mut statement = Statement::default();
                // What is removed is what was locked, in the order in which other functions lock, so that none waits
                // for another in a circle: rows that come meanwhile would be locked in no order.
                let of_user = Rows::entries(&store, "r").sql(&mut statement, &of_user);
                let in_part = part.bind(&mut statement).and("r");
                let locked = format!(
                    "SELECT r.memory_id, r.entry_id FROM {entries} r WHERE {of_user}{in_part} \
                      ORDER BY r.memory_id, r.entry_id {lock_entries}"
                );
                let change = filled(
                    FORGET,
                    &[
                        ("{locked}", &locked),
                        ("{entries}", &entries),
                        ("{contexts}", &contexts),
                        ("{access}", &access),
                        ("{of_user}", &of_user),
                        ("{is_brought}", is_brought),
                        ("{in_r}", &in_part),
                        ("{lock_contexts}", lock_contexts),
                    ],
                );
                let removal = LockedChange::new(statement, &locked, change);
                let (counts, of_entries, of_contexts) = removal.only(writer, |row| {
                    Ok((row.required_integer(1)?, row.required_integer(2)?, row.required_integer(3)?))
                })?;
                (gone_counts, gone_entries, gone_contexts) =
                    (gone_counts + counts, gone_entries + of_entries, gone_contexts + of_contexts);
            }
            notice::inform(&format!(
                "forgot {gone_entries} entries, {gone_contexts} contexts and {gone_counts} access counts"
            ));
            Ok((gone_entries + gone_counts + gone_contexts).unsigned_abs())
        })?;
        // The history of these entries went with them. What others are now may have been his before. No policy hides
        // that: those of the history ask for those of entries, and these would have been refused above.
        if let Some(history) = history {
            let mut statement = Statement::default();
            let user = statement.bind(Param::text(user_id));
            writer.execute(
                &statement.with(format!("DELETE FROM {history} h WHERE h.user_id OPERATOR(pg_catalog.=) {user}")),
            )?;
        }
        Ok(gone)
    })
}
