//! Removes for good what was deleted or has expired.

use memory_search_core::Result;
use memory_search_core::timestamp::Micros;

use crate::pg::catalog;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::progress::Progress;

/// Rows of one DELETE: a cancel waits for one at most, and its locks are few.
const BATCH_ROWS: u64 = 1_000;

/// Removes what was deleted or expired before the instant, at most `max_rows` of it; gives how many
/// entries and contexts went. Rows that another session has locked are left for the next time.
pub fn purge(store_name: &str, before: Micros, max_rows: Option<u64>) -> Result<u64> {
    let store = spi::read(|reader| catalog::store(reader, store_name))?;
    // The contexts of an adopted table are the store's own; its entries are not.
    let deleted = "r.deletion_scheduled_time OPERATOR(pg_catalog.<) {before}";
    let mut passes = vec![("contexts", "context_id", deleted)];
    if store.adopted_from.is_none() {
        passes.push(("entries", "entry_id", deleted));
        // What is still to expire stays, however far ahead the instant is.
        let expired = "r.expires_at OPERATOR(pg_catalog.<) LEAST({before}, pg_catalog.now())";
        passes.push(("entries", "entry_id", expired));
    }
    let limit = max_rows.unwrap_or(u64::MAX);
    spi::write(|writer| {
        let mut progress = Progress::new("purged", None);
        for (relation, key, condition) in passes {
            loop {
                let batch = BATCH_ROWS.min(limit.saturating_sub(progress.done()));
                if batch == 0 {
                    return Ok(progress.finish());
                }
                let mut statement = Statement::default();
                let before = statement.bind(Param::Timestamp(Some(before)));
                let batch_rows = statement.bind(Param::Integer(Some(batch as i64)));
                let statement = statement.with(format!(
                    "WITH those AS MATERIALIZED (SELECT r.memory_id, r.{key} FROM {relation} r \
                       WHERE {condition} LIMIT {batch_rows} FOR UPDATE SKIP LOCKED) \
                     DELETE FROM {relation} r USING those \
                     WHERE r.memory_id OPERATOR(pg_catalog.=) those.memory_id AND r.{key} OPERATOR(pg_catalog.=) those.{key}",
                    relation = store.relation(relation),
                    condition = condition.replace("{before}", &before)
                ));
                let removed = writer.execute(&statement)?;
                progress.advance(removed);
                if removed < batch {
                    break;
                }
            }
        }
        Ok(progress.finish())
    })
}
