//! Counts accesses: the only thing that feeds popularity.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::definition;
use crate::store::row_locks::may_lock;

/// Adds one to the access count of each entry that is there and visible; gives how many were.
pub fn touch(store_name: &str, memory_id: &str, entry_ids: Vec<String>) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let ids = statement.bind(Param::Texts(entry_ids));
    let is_among = store.is_among("e.entry_id", &ids);
    let entries = store.relation("entries");
    // In the order of ids, so that two sessions that touch the same entries never wait for each other in
    // a circle. Entries are kept from being removed meanwhile, which the foreign key would refuse; that
    // takes the privilege to change them. An adopted table may hold an id twice, and has no foreign key.
    let order = match store.adopted_from {
        Some(_) => "GROUP BY e.memory_id, e.entry_id ORDER BY e.entry_id",
        None if may_lock(&entries)? => "ORDER BY e.entry_id FOR KEY SHARE",
        None => "ORDER BY e.entry_id",
    };
    let statement = statement.with(format!(
        "WITH those AS MATERIALIZED (SELECT e.memory_id, e.entry_id FROM {entries} e \
           WHERE {of_memory} AND {is_among} AND e.deletion_scheduled_time IS NULL \
             AND (e.expires_at IS NULL OR e.expires_at OPERATOR(pg_catalog.>) pg_catalog.now()) {order}) \
         INSERT INTO {access} AS a (memory_id, entry_id, access_count, last_accessed_at) \
         SELECT those.memory_id, those.entry_id, 1, pg_catalog.clock_timestamp() FROM those ORDER BY those.entry_id \
         ON CONFLICT (memory_id, entry_id) DO UPDATE \
           SET access_count = a.access_count OPERATOR(pg_catalog.+) 1, last_accessed_at = EXCLUDED.last_accessed_at",
        access = store.relation("entry_access")
    ));
    spi::write(|writer| writer.execute(&statement))
}
