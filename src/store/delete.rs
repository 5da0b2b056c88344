//! Deletes entries: they are hidden at once and stay until purged.

use memory_search_core::Result;

use crate::pg::catalog;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};

/// Schedules the deletion of entries, or of a whole memory with its contexts when `entry_ids` is
/// `None`; gives how many rows that hid.
pub fn delete(store_name: &str, memory_id: &str, entry_ids: Option<Vec<String>>) -> Result<u64> {
    let store = spi::read(|reader| catalog::store(reader, store_name))?;
    let hide = |relation: &str, ids: Option<Vec<String>>| {
        let mut statement = Statement::default();
        let memory = statement.bind(Param::text(memory_id));
        let only = ids.map(|ids| {
            format!(
                " AND entry_id OPERATOR(pg_catalog.=) ANY ({}::pg_catalog.uuid[])",
                statement.bind(Param::Texts(ids))
            )
        });
        statement.with(format!(
            "UPDATE {} SET deletion_scheduled_time = pg_catalog.clock_timestamp() \
             WHERE memory_id OPERATOR(pg_catalog.=) {memory} AND deletion_scheduled_time IS NULL{}",
            store.relation(relation),
            only.unwrap_or_default()
        ))
    };
    spi::write(|writer| {
        let whole = entry_ids.is_none();
        let mut hidden = writer.execute(&hide("entries", entry_ids))?;
        if whole {
            hidden += writer.execute(&hide("contexts", None))?;
        }
        Ok(hidden)
    })
}
