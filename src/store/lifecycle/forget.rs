//! Erases the data that a store has about a user.

use memory_search_core::error::shown;
use memory_search_core::filter::condition::{Condition, TextField};
use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::identifier::QualifiedName;
use crate::pg::notice;
use crate::pg::param::Param;
use crate::pg::reworded;
use crate::pg::snapshot;
use crate::pg::spi::{self, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::pg::temporary_settings::{EVERY_ROW, with_settings};
use crate::store::definition;
use crate::store::lifecycle::corrections_of_going::CorrectionsOfGoing;
use crate::store::lifecycle::entry_keys::EntryKeys;
use crate::store::lifecycle::forget_handed::{self, HandedOn};
use crate::store::lifecycle::forget_own_contexts::OwnContexts;
use crate::store::lifecycle::kept_by_triggers::KeptByTriggers;
use crate::store::links::LinksOfGoing;
use crate::store::predicate::Rows;
use crate::store::recording::found;
use crate::store::statements::by_memory::{self, Part};
use crate::store::statements::row_locks::{Lock, LockedChange, counted, may_change, may_lock};

/// Entries are locked first, for the contexts ask for them; then contexts, in the order of their key, so that the
/// foreign key finds none to remove. Counts go by themselves, as it would take them uncounted.
const FORGET: &str = include_str!("forget.sql");

/// The most removals of a user's history in one call.
const REMOVALS_OF_HISTORY: usize = 3;

/// Removes all entries and contexts of a user from every memory of the store, with their vectors, lexemes, access
/// counts and links, in the caller's transaction; returns how many rows were removed. A policy that would hide some of
/// them from the caller is an error, because erasing must be complete.
pub fn forget_user(store_name: &StoreName, user_id: &str) -> Result<u64> {
    let (store, history) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        store.require_own_entries("memory_forget_user")?;
        if let Some(level) = snapshot::level_that_keeps_one() {
            return Err(keeps_snapshot(level));
        }
        let history = found::table(reader, &store)?.map(|_| store.relation("history"));
        Ok((store, history))
    })?;
    let (entries, contexts, access) =
        (store.relation("entries"), store.relation("contexts"), store.relation("entry_access"));
    let links = LinksOfGoing::of(&store)?;
    let triggers = KeptByTriggers::of(&access, LinksOfGoing::table_of(&store)?.as_ref())?;
    let may_hand_contexts_on = !store.is_view && may_change(&contexts, "entry_id")?;
    let own_contexts = OwnContexts::of(&store, user_id)?;
    let of_user = Condition::Equals(TextField::UserId, user_id.to_owned());
    spi::write(|writer| {
        let with_history = history
            .as_ref()
            .map_or_else(|| Ok(EntryKeys::default()), |history| entries_of_history(writer, history, user_id))?;
        let gone = with_settings(writer, &EVERY_ROW, |writer| {
            let lock = |relation: &QualifiedName| Ok(if may_lock(relation)? { Lock::Update } else { Lock::No });
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
            let rows_of = |of_user: &str, in_part: &str| {
                format!("SELECT r.memory_id, r.entry_id FROM {entries} r WHERE {of_user}{in_part} ORDER BY 1, 2")
            };
            let contexts_of = |of_user: &str, in_part: &str, and_texts: &str| {
                lock_contexts.in_turn(&format!(
                    "SELECT r.memory_id, r.context_id{and_texts} FROM {contexts} r WHERE ({of_user} \
                       OR (r.memory_id, r.entry_id) OPERATOR(pg_catalog.=) ANY (TABLE those)){in_part} ORDER BY 1, 2"
                ))
            };
            let lock_contexts_of = |writer: &mut Writer<'_>, part: &Part| {
                if lock_contexts == Lock::No {
                    return Ok(());
                }
                let mut statement = Statement::default();
                let of_user = Rows::entries(&store, "r").sql(&mut statement, &of_user);
                let in_part = part.bind(&mut statement).and("r");
                let (rows, going) = (rows_of(&of_user, &in_part), contexts_of(&of_user, &in_part, ""));
                let statement = statement.with(format!("WITH those AS MATERIALIZED ({rows}) {}", counted(&going)));
                writer.execute(&statement).map(|_| ())
            };
            let (mut gone_counts, mut gone_entries, mut gone_contexts, mut gone_links, mut left) = (0, 0, 0, 0, 0);
            let mut kept_by_triggers = 0;
            for part in &parts {
                let corrections = CorrectionsOfGoing { store: &store, part, goes: &of_user };
                let mut corrected = 0;
                let mut others = with_history.clone();
                if let Some(own_contexts) = &own_contexts {
                    own_contexts.add_entries_of_others(writer, part, &mut others)?;
                }
                if lock_entries == Lock::Update {
                    match others.is_empty() && !corrections.is_any(writer)? {
                        true => corrections.lock_going(writer)?,
                        false => corrections.lock_with_going(writer, &others)?,
                    }
                    // Counted under the locks: a session that they waited for may have corrected one of these entries.
                    corrected = corrections.corrected(writer)?;
                    if corrected > 0 {
                        corrections.hand_on(writer)?;
                    }
                }
                if let Some(own_contexts) = &own_contexts {
                    own_contexts.leave(writer, part)?;
                }
                // Before the statement that removes them, which then sees the entries of all sessions that relied on them.
                lock_contexts_of(writer, part)?;
                let hands_contexts_on =
                    may_hand_contexts_on && forget_handed::is_any(writer, &store, part, (user_id, &of_user))?;
                let mut statement = Statement::default();
                let of_user = Rows::entries(&store, "r").sql(&mut statement, &of_user);
                let within = part.bind(&mut statement);
                let in_part = within.and("r");
                let user = statement.bind(Param::text(user_id));
                let handed = match hands_contexts_on {
                    true => HandedOn::of(&store, &mut statement, &within, &user),
                    false => HandedOn::default(),
                };
                let rows = rows_of(&of_user, &in_part);
                let going = contexts_of(&of_user, &in_part, handed.and_texts);
                let change = |locked: &str| {
                    let marks: [(&str, &str); 11] = [
                        ("{locked}", locked),
                        ("{going}", &going),
                        ("{entries}", &entries),
                        ("{contexts}", &contexts),
                        ("{access}", &access),
                        ("{of_user}", &of_user),
                        ("{user}", &user),
                        ("{in_r}", &in_part),
                        ("{unlinked}", &links.removed_with("those", &within)),
                        ("{count_of_links}", links.count()),
                        ("{keys}", triggers.columns()),
                    ];
                    filled(FORGET, &[&marks[..], &handed.marks()].concat())
                };
                // Others may have been added since the locks above.
                let locked = lock_entries.without_waiting(&rows);
                let change = change(&locked);
                let removal = LockedChange::of_free_rows(statement, &locked, change);
                let mut removed = EntryKeys::default();
                let mut removing = || {
                    removal.only(writer, |row| {
                        removed = triggers.keys(&row, 10);
                        let [counts, entries, contexts] = [1, 2, 3].map(|column| row.required_integer(column));
                        let (entries, contexts, locked) = (entries?, contexts?, row.required_integer(5)?);
                        gone_counts += counts?;
                        gone_entries += entries;
                        gone_contexts += contexts;
                        left += row.required_integer(4)? - locked;
                        gone_links += row.required_integer(6)?;
                        if may_hand_contexts_on && !hands_contexts_on && row.boolean(8) == Some(true) {
                            return Err(came_meanwhile(user_id, BROUGHT_OTHERS));
                        }
                        if lock_entries == Lock::Update && row.required_integer(9)? > corrected {
                            return Err(came_meanwhile(user_id, ARE_CORRECTED));
                        }
                        // Without locks, other sessions may have removed rows meanwhile.
                        if lock_entries == Lock::Update {
                            kept_by_triggers += locked - entries;
                        }
                        if lock_contexts == Lock::Update {
                            kept_by_triggers += row.required_integer(7)? - contexts;
                        }
                        Ok(())
                    })
                };
                match hands_contexts_on {
                    true => reworded::on_missing_row(|| went_meanwhile(user_id), removing)?,
                    false => removing()?,
                }
                if triggers.has_any(writer, part, &removed)? {
                    return Err(kept(user_id, "access counts or links"));
                }
            }
            if kept_by_triggers > 0 {
                return Err(kept(user_id, "entries or contexts"));
            }
            if left > 0 {
                notice::warn(&left_behind(user_id, left));
            }
            notice::inform(&format!(
                "forgot {gone_entries} entries, {gone_contexts} contexts, {gone_counts} access counts and {gone_links} links"
            ));
            Ok((gone_entries + gone_counts + gone_contexts + gone_links).unsigned_abs())
        })?;
        // The foreign key removed the history of these entries. Earlier versions of entries that now belong to others
        // may have been the user's. No policy hides these: the history's policies require those of entries, which would
        // have been refused above.
        if let Some(history) = history {
            forget_history(writer, &history, user_id)?;
        }
        Ok(gone)
    })
}

/// The entries with history of a user, also of those that belong to others by now. A session that removes such an entry
/// has locked it, and removes this history by the foreign key: any session that deletes the history locks the entry
/// first too.
fn entries_of_history(writer: &mut Writer<'_>, history: &QualifiedName, user_id: &str) -> Result<EntryKeys> {
    let mut statement = Statement::default();
    let user = statement.bind(Param::text(user_id));
    let statement = statement.with(format!(
        "SELECT pg_catalog.array_agg(k.memory_id), pg_catalog.array_agg(k.entry_id::pg_catalog.text) \
         FROM (SELECT DISTINCT h.memory_id, h.entry_id FROM {history} h \
                WHERE h.user_id OPERATOR(pg_catalog.=) {user}) k"
    ));
    writer.only(&statement, |row| Ok(EntryKeys { memories: row.texts(1), ids: row.texts(2) }))
}

/// Removes the history of a user that is left. Other sessions may add and remove rows of it meanwhile: they add some
/// when they change an entry that was the user's. The rows that came during one removal go with the next.
fn forget_history(writer: &mut Writer<'_>, history: &QualifiedName, user_id: &str) -> Result<()> {
    let mut statement = Statement::default();
    let user = statement.bind(Param::text(user_id));
    let of_user = format!("FROM {history} h WHERE h.user_id OPERATOR(pg_catalog.=) {user}");
    let removal = statement.clone().with(format!(
        "WITH gone AS (DELETE {of_user} RETURNING h.history_id) \
         SELECT ARRAY(SELECT h.history_id::pg_catalog.text {of_user} \
           AND NOT EXISTS (SELECT FROM gone g WHERE g.history_id OPERATOR(pg_catalog.=) h.history_id) LIMIT 1000)"
    ));
    let count = statement.clone().with(format!("SELECT pg_catalog.count(*) {of_user}"));
    let mut left = 0;
    for _ in 0..REMOVALS_OF_HISTORY {
        let not_removed = writer.only(&removal, |row| Ok(row.texts(1)))?;
        if !not_removed.is_empty() {
            // Rows that another session removed at the same time are gone by now; those that a trigger kept are not.
            let mut statement = statement.clone();
            let ids = statement.bind(Param::Texts(not_removed));
            let are_there = statement.with(format!(
                "SELECT EXISTS (SELECT {of_user} \
                   AND h.history_id OPERATOR(pg_catalog.=) ANY ({ids}::pg_catalog.text[]::pg_catalog.int8[]))"
            ));
            if writer.only(&are_there, |row| Ok(row.boolean(1) == Some(true)))? {
                return Err(kept(user_id, "rows of the history"));
            }
        }
        left = writer.only(&count, |row| row.required_integer(1))?;
        if left == 0 {
            return Ok(());
        }
    }
    let rows = if left == 1 { "1 row" } else { &format!("{left} rows") };
    notice::warn(&added_meanwhile(user_id, &format!("{rows} of the history: added during the call")));
    Ok(())
}

/// Refuses to erase a part only: triggers of the store's owner kept rows.
fn kept(user_id: &str, rows: &str) -> Error {
    let message = format!("{rows} of user_id \"{}\" were not deleted: a trigger suppressed it", shown(user_id));
    Error::new(ErrorKind::WrongState, message)
        .hint("Nothing was removed. Disable the BEFORE DELETE trigger that returns null, and call the function again.")
}

/// Refuses rows that were added while the call waited for other sessions, and that remain because one of these uses
/// them.
fn left_behind(user_id: &str, entries: i64) -> Error {
    let entries = if entries == 1 { "1 entry" } else { &format!("{entries} entries") };
    added_meanwhile(user_id, &format!("{entries}: added during the call, and locked by another session"))
}

const BROUGHT_OTHERS: &str = "They brought contexts of other users, which another entry may carry.";
const ARE_CORRECTED: &str = "They are corrected, and may themselves correct entries of other users.";

/// Refuses to remove entries that became the user's between the last look at what they leave to others and the removal.
fn came_meanwhile(user_id: &str, why_it_matters: &str) -> Error {
    let message = format!("entries became those of user_id \"{}\" during the call", shown(user_id));
    Error::new(ErrorKind::ChangedMeanwhile, message)
        .detail(why_it_matters)
        .hint("Nothing was removed. Call memory_forget_user again.")
}

/// Refuses a transaction that does not see rows that others have added since it began: they would stay.
fn keeps_snapshot(level: &str) -> Error {
    let message = format!("memory_forget_user cannot run in a {level} transaction, which keeps its snapshot");
    Error::new(ErrorKind::WrongState, message)
        .detail("Rows of the user that were added since the snapshot would stay.")
        .hint("Call it in a READ COMMITTED transaction: BEGIN ISOLATION LEVEL READ COMMITTED.")
}

/// Refuses to give a context to an entry that another session has removed during the call.
fn went_meanwhile(user_id: &str) -> Error {
    let message = format!("an entry that gets a context of an entry of user_id \"{}\" was removed", shown(user_id));
    Error::new(ErrorKind::ChangedMeanwhile, message)
        .detail("Another session removed it during the call.")
        .hint("Nothing was removed by this call. Call memory_forget_user again.")
}

fn added_meanwhile(user_id: &str, rows: &str) -> Error {
    Error::new(ErrorKind::WrongState, format!("user_id \"{}\" still has {rows}", shown(user_id)))
        .hint("Call memory_forget_user again when the other session has ended its transaction.")
}
