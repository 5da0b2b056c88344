//! Counts accesses: the only thing that feeds popularity.

use memory_search_core::Result;
use memory_search_core::filter::visibility;
use memory_search_core::request::names::{MemoryId, StoreName};

use crate::pg::clock;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{self, Store, StoreKind};
use crate::store::predicate::{Rows, at_present};
use crate::store::row_locks::may_lock;

const COUNT: &str = include_str!("touch/count.sql");
const EXPIRIES: &str = include_str!("touch/expiries.sql");
const RENEW: &str = include_str!("touch/renew.sql");

/// Adds one to the access count of each entry that is present, and lets those with a time to live begin it anew; gives how
/// many were present.
pub fn touch(store_name: &StoreName, memory_id: &MemoryId, entry_ids: Vec<String>) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    let are_locked = renew(&store, memory_id, &entry_ids)?;
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let memory = store.memory(&mut statement, memory_id);
    let ids = statement.bind(Param::Texts(entry_ids));
    let is_among = store.is_among("e.entry_id", &ids);
    let entries = store.relation("entries");
    let present = Rows::entries(&store, "e").and(&mut statement, &visibility::present(at_present()));
    let now = statement.bind(Param::Timestamp(Some(clock::now())));
    // Those that came since the others were locked would be locked in no order: one that somebody is about to remove is
    // passed over.
    let order = format!("{}{}", in_order(&store)?, if are_locked { " SKIP LOCKED" } else { "" });
    let statement = statement.with(filled(
        COUNT,
        &[
            ("{entries}", &entries),
            ("{memory}", &memory),
            ("{of_memory}", &of_memory),
            ("{is_among}", &is_among),
            ("{present}", &present),
            ("{order}", &order),
            ("{access}", &store.relation("entry_access")),
            ("{now}", &now),
        ],
    ));
    spi::write(|writer| writer.execute(&statement))
}

/// What follows the conditions of a statement that counts something of entries `e`: in the order of ids, so that two
/// sessions that count the same entries never wait for each other in a circle. Entries are kept from being removed
/// meanwhile, which the foreign key would refuse; that takes the privilege to change them. An adopted table may hold an
/// id twice, and has no foreign key.
pub fn in_order(store: &Store) -> Result<&'static str> {
    Ok(match store.kind {
        StoreKind::Adopted { .. } => "GROUP BY e.memory_id, e.entry_id ORDER BY e.entry_id",
        StoreKind::Own if may_lock(&store.relation("entries"))? => "ORDER BY e.entry_id FOR KEY SHARE",
        StoreKind::Own => "ORDER BY e.entry_id",
    })
}

/// Lets entries with a time to live begin it anew. That changes entries, which who may only count need not be allowed:
/// he is refused where there is such an entry, and only there. Says whether there was one: then all are locked.
fn renew(store: &Store, memory_id: &MemoryId, entry_ids: &[String]) -> Result<bool> {
    if !store.has_validity || store.is_adopted() {
        return Ok(false);
    }
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let ids = statement.bind(Param::Texts(entry_ids.to_vec()));
    let is_among = store.is_among("e.entry_id", &ids);
    let present = Rows::entries(store, "e").and(&mut statement, &visibility::present(at_present()));
    let entries = store.relation("entries");
    let any = format!(
        "SELECT true FROM {entries} e WHERE {of_memory} AND {is_among} AND e.time_to_live IS NOT NULL{present} LIMIT 1"
    );
    let any = statement.clone().with(any);
    if spi::with_own_changes(|| spi::read(|reader| reader.first(&any, |row| Ok(row.boolean(1)))))?.is_none() {
        return Ok(false);
    }
    let statement = statement.with(filled(
        EXPIRIES,
        &[("{entries}", &entries), ("{of_memory}", &of_memory), ("{is_among}", &is_among), ("{present}", &present)],
    ));
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
    // Months and days go by a time zone, so Citus lets no UPDATE add them to a column: the new values are parameters.
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let ids = statement.bind(Param::Texts(ids));
    let expiries = statement.bind(Param::NullableTimestamps(expiries));
    let statement = statement.with(filled(
        RENEW,
        &[("{entries}", &entries), ("{of_memory}", &of_memory), ("{ids}", &ids), ("{expiries}", &expiries)],
    ));
    spi::write(|writer| writer.execute(&statement)).map(|_| true)
}
