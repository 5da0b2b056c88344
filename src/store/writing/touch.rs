//! Counts accesses: the only source of popularity.

use std::collections::BTreeMap;

use memory_search_core::Result;
use memory_search_core::filter::visibility;
use memory_search_core::request::arguments;
use memory_search_core::request::names::{MemoryId, StoreName};

use crate::pg::clock;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{self, Store, StoreKind, placement};
use crate::store::predicate::{Rows, at_present};
use crate::store::statements::row_locks::may_lock;

const COUNT: &str = include_str!("touch/count.sql");
const EXPIRIES: &str = include_str!("touch/expiries.sql");
const RENEW: &str = include_str!("touch/renew.sql");

/// Adds one to the access count of each entry that is present, and restarts the time to live of those that have one;
/// returns how many were present.
pub fn touch(store_name: &StoreName, memory_id: &MemoryId, entry_ids: Vec<String>) -> Result<u64> {
    let store = placement::to_change(&spi::read(|reader| definition::store(reader, store_name))?, memory_id)?;
    let are_locked = renew(&store, memory_id, &entry_ids)?;
    let mut statement = Statement::default();
    let memory = store.memory(&mut statement, memory_id);
    let those = to_count(&mut statement, &store, memory_id, entry_ids, are_locked)?;
    let now = statement.bind(Param::Timestamp(Some(clock::now())));
    let statement = statement.with(filled(
        COUNT,
        &[("{memory}", &memory), ("{those}", &those), ("{access}", &store.relation("entry_access")), ("{now}", &now)],
    ));
    store.looking_up(|| spi::write(|writer| writer.execute(&statement)))
}

/// [`touch`] for entries of several memories, one memory after the other, in the order of the key. Everything that
/// locks entries of many memories uses this order, so that two sessions never wait for each other in a circle.
pub fn touch_several(store_name: &StoreName, mut used: BTreeMap<String, Vec<String>>) -> Result<()> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    for memory_id in in_order_of_key(&store, used.keys().cloned().collect())? {
        let entry_ids = used.remove(&memory_id).unwrap_or_default();
        touch(store_name, &arguments::memory_id(Some(memory_id))?, entry_ids)?;
    }
    Ok(())
}

/// Ids of memories in the order of the key: the order of the database's collation, or of bytes if each memory is a
/// statement of its own ([`crate::store::statements::by_memory`]).
fn in_order_of_key(store: &Store, memory_ids: Vec<String>) -> Result<Vec<String>> {
    if memory_ids.len() < 2 || store.is_distributed {
        return Ok(memory_ids);
    }
    let mut statement = Statement::default();
    let ids = statement.bind(Param::Texts(memory_ids));
    let statement = statement
        .with(format!("SELECT m.id FROM pg_catalog.unnest({ids}) m (id) ORDER BY m.id COLLATE pg_catalog.\"default\""));
    let mut ordered = Vec::new();
    spi::read(|reader| {
        reader.scan(&statement, |row| {
            ordered.push(row.required_text(1)?);
            Ok(())
        })
    })?;
    Ok(ordered)
}

/// A query for the ids of those of the entries that are present, to count something for them: in the order of ids, so
/// that two sessions that count the same entries never wait for each other in a circle.
///
/// The query locks the entries against removal, which would violate the foreign key, if the caller may change them. If
/// `are_locked` says that they are locked already, an entry that was added since would be locked out of order: one that
/// another session is about to remove is skipped. An adopted table may hold an id twice, and has no foreign key.
pub fn to_count(
    statement: &mut Statement,
    store: &Store,
    memory_id: &MemoryId,
    ids: Vec<String>,
    are_locked: bool,
) -> Result<String> {
    let present = present(statement, store, memory_id, "e.memory_id, e.entry_id", ids);
    let order = match store.kind {
        StoreKind::Adopted { .. } => " GROUP BY e.memory_id, e.entry_id ORDER BY e.entry_id",
        StoreKind::Own if are_locked => " FOR KEY SHARE SKIP LOCKED",
        StoreKind::Own if may_lock(&store.relation("entries"))? => " FOR KEY SHARE",
        StoreKind::Own => "",
    };
    Ok(format!("SELECT e.entry_id FROM {present}{order}"))
}

/// The entries `e` with these ids that are present, in the order of ids, as the FROM of a query that may lock them.
fn present(statement: &mut Statement, store: &Store, memory_id: &MemoryId, columns: &str, ids: Vec<String>) -> String {
    // One id may be written in two ways. The server refuses a text that is no id.
    let canonical = |id: String| store.ids.entry.value(&id).unwrap_or(id);
    let mut ids: Vec<String> = ids.into_iter().map(canonical).collect();
    ids.sort_unstable();
    ids.dedup();
    let of_memory = store.of_memory(statement, "e", memory_id);
    let ids = statement.bind(Param::Texts(ids));
    let present = Rows::entries(store, "e").and(statement, &visibility::present(at_present()));
    store.columns_wanted(columns, &ids, &of_memory, &present)
}

/// Restarts the time to live of entries that have one. This changes the entries, for which a role that only counts may
/// lack the privilege: the role is refused only if there is such an entry. Returns whether there was one; then all
/// entries are locked.
fn renew(store: &Store, memory_id: &MemoryId, entry_ids: &[String]) -> Result<bool> {
    if store.is_adopted() {
        return Ok(false);
    }
    let columns = "e.entry_id, e.time_to_live, e.expires_at";
    let any = |reader: &Reader<'_>| {
        let mut statement = Statement::default();
        let present = present(&mut statement, store, memory_id, columns, entry_ids.to_vec());
        let any = format!("SELECT true FROM {present} WHERE e.time_to_live IS NOT NULL LIMIT 1");
        let statement = statement.with(any);
        let mut found = false;
        store.looking_up(|| {
            reader.scan(&statement, |_| {
                found = true;
                Ok(())
            })
        })?;
        Ok(found)
    };
    if !spi::with_own_changes(|| spi::read(any))? {
        return Ok(false);
    }
    let mut statement = Statement::default();
    let present = present(&mut statement, store, memory_id, columns, entry_ids.to_vec());
    let statement = statement.with(filled(EXPIRIES, &[("{present}", &present)]));
    let (mut ids, mut expiries) = (Vec::new(), Vec::new());
    spi::write(|writer| {
        writer.returning(&statement, |row| {
            if let Some(expires_at) = row.timestamp(2) {
                ids.push(row.required_text(1)?);
                expiries.push(Some(expires_at));
            }
            Ok(())
        })
    })?;
    // Months and days depend on a time zone, so Citus does not allow an UPDATE to add them to a column: the new values
    // are parameters.
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let ids = statement.bind(Param::Texts(ids));
    let expiries = statement.bind(Param::NullableTimestamps(expiries));
    let entries = store.relation("entries");
    let statement = statement.with(filled(
        RENEW,
        &[("{entries}", &entries), ("{of_memory}", &of_memory), ("{ids}", &ids), ("{expiries}", &expiries)],
    ));
    spi::write(|writer| writer.execute(&statement)).map(|_| true)
}
