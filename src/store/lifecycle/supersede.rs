//! Corrections: an entry that another one replaces is no longer found, and refers to its correction.

use memory_search_core::filter::visibility;
use memory_search_core::request::names::{EntryId, MemoryId, StoreName};
use memory_search_core::{Error, Result};

use crate::pg::clock;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::{self, Store, placement};
use crate::store::predicate::{Rows, at_present};
use crate::store::statements::row_locks;

const MARK: &str = include_str!("supersede/mark.sql");
const CHAIN: &str = include_str!("supersede/chain.sql");
const LOCK: &str = include_str!("supersede/lock.sql");
const CHECK: &str = include_str!("supersede/check.sql");

/// Marks `old` as replaced by `new` or, without `new`, as reinstated; returns how many entries changed.
pub fn supersede(store_name: &StoreName, memory_id: &MemoryId, old: &EntryId, new: Option<&EntryId>) -> Result<u64> {
    let store = placement::to_change(&spi::read(|reader| definition::store(reader, store_name))?, memory_id)?;
    store.require_own_entries("memory_supersede")?;
    spi::write(|writer| {
        if let Some(new) = new {
            lock_corrections(writer, &store, memory_id, old, new)?;
            check_correction(writer, &store, memory_id, old, new)?;
        }
        let mut statement = Statement::default();
        let memory = statement.bind(Param::text(memory_id));
        let old = statement.bind(Param::text(old));
        let new_id = statement.bind(Param::Text(new.map(String::from)));
        let time = statement.bind(Param::Timestamp(new.map(|_| clock::now())));
        let statement = fill(
            MARK,
            &store,
            statement,
            &[("{memory}", &memory), ("{old}", &old), ("{new}", &new_id), ("{time}", &time)],
        );
        writer.execute(&statement)
    })
}

/// Locks the old entry and every entry that the new one leads to, in the order of ids, so that no other session can
/// close a circle meanwhile. If the chain grew while this waited, it is locked again.
///
/// The new entries of the chain may come before the locked ones in the order, so that two corrections could wait for
/// each other. Therefore the corrections of one memory run one after the other, by an advisory lock to the end of the
/// transaction.
fn lock_corrections(
    writer: &mut Writer<'_>,
    store: &Store,
    memory_id: &MemoryId,
    old: &EntryId,
    new: &EntryId,
) -> Result<()> {
    row_locks::lock_memory(writer, store, memory_id)?;
    let mut locked = 0;
    loop {
        let mut statement = Statement::default();
        let memory = statement.bind(Param::text(memory_id));
        let old = statement.bind(Param::text(old));
        // Deleted entries are included: they may be restored while this waits, and would be locked after later ones in
        // the order.
        let chain = chain(&mut statement, store, (&memory, new), "");
        let statement = fill(LOCK, store, statement, &[("{chain}", &chain), ("{memory}", &memory), ("{old}", &old)]);
        let found = writer.execute(&statement)?;
        if found <= locked {
            return Ok(());
        }
        locked = found;
    }
}

/// The beginning of a query of the correction, if it meets conditions, and of its own corrections in turn.
fn chain(statement: &mut Statement, store: &Store, (memory, new): (&str, &EntryId), conditions: &str) -> String {
    let new = format!("{}::pg_catalog.uuid", statement.bind(Param::text(new)));
    let the_new = store.keyed("e", "entry_id", &new, conditions);
    text(CHAIN, store, statement, &[("{memory}", memory), ("{the_new}", &the_new)])
}

fn fill(template: &str, store: &Store, mut statement: Statement, marks: &[(&str, &str)]) -> Statement {
    store.where_it_lies(&mut statement);
    let text = text(template, store, &mut statement, marks);
    statement.with(text)
}

/// A template over entries `e` that are not deleted.
fn text(template: &str, store: &Store, statement: &mut Statement, marks: &[(&str, &str)]) -> String {
    let not_deleted = Rows::entries(store, "e").and(statement, &visibility::not_deleted(at_present()));
    let (entries, the) = (store.relation("entries"), |id: &str| store.keyed("e", "entry_id", id, ""));
    let own: [(&str, &str); 4] = [
        ("{entries}", &entries),
        ("{not_deleted}", &not_deleted),
        ("{the_next}", &the("c.superseded_by")),
        ("{the_wanted}", &the("wanted.id")),
    ];
    filled(template, &[&own, marks].concat())
}

/// The correction must exist, and must not itself be corrected by the old entry, through any number of corrections: then
/// no search would find either.
fn check_correction(
    writer: &mut Writer<'_>,
    store: &Store,
    memory_id: &MemoryId,
    old: &EntryId,
    new: &EntryId,
) -> Result<()> {
    if old == new {
        return Err(Error::invalid(format!("entry {old} cannot supersede itself"))
            .hint("Add the correction first, by memory_add, and give its id as new_entry_id."));
    }
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(memory_id));
    let old_id = statement.bind(Param::text(old));
    let not_deleted = Rows::entries(store, "e").and(&mut statement, &visibility::not_deleted(at_present()));
    let chain = chain(&mut statement, store, (&memory, new), &not_deleted);
    let statement = fill(CHECK, store, statement, &[("{chain}", &chain), ("{old}", &old_id)]);
    let (there, leads_back) =
        writer.only(&statement, |row| Ok((row.required_integer(1)?, row.required_integer(2)?)))?;
    if there == 0 {
        return Err(Error::invalid(format!("new_entry_id {new} is no entry of memory \"{memory_id}\" that you see"))
            .hint("Add the correction first, by memory_add."));
    }
    if leads_back > 0 {
        return Err(Error::invalid(format!("entry {new} is itself superseded by {old}"))
            .hint("Reinstate it first: memory_supersede(memory_id, entry_id, NULL)."));
    }
    Ok(())
}
