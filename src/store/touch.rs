//! Counts accesses: the only thing that feeds popularity.

use memory_search_core::Result;

use crate::pg::catalog;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};

/// Adds one to the access count of each entry that is there and visible; gives how many were.
pub fn touch(store_name: &str, memory_id: &str, entry_ids: Vec<String>) -> Result<u64> {
    let store = spi::read(|reader| catalog::store(reader, store_name))?;
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let ids = statement.bind(Param::Texts(entry_ids));
    let is_among = store.is_among("e.entry_id", &ids);
    // In the order of ids, so that two sessions that touch the same entries never wait for each
    // other in a circle.
    let statement = statement.with(format!(
        "INSERT INTO {access} AS a (memory_id, entry_id, access_count, last_accessed_at) \
         SELECT e.memory_id, e.entry_id, 1, pg_catalog.clock_timestamp() FROM {entries} e \
         WHERE {of_memory} AND {is_among} AND e.deletion_scheduled_time IS NULL \
           AND (e.expires_at IS NULL OR e.expires_at OPERATOR(pg_catalog.>) pg_catalog.now()) \
         GROUP BY e.memory_id, e.entry_id ORDER BY e.entry_id \
         ON CONFLICT (memory_id, entry_id) DO UPDATE \
           SET access_count = a.access_count OPERATOR(pg_catalog.+) 1, last_accessed_at = EXCLUDED.last_accessed_at",
        access = store.relation("entry_access"),
        entries = store.relation("entries")
    ));
    spi::write(|writer| writer.execute(&statement))
}
