//! Counts the entries of a memory, by default the visible ones.

use memory_search_core::Result;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::request::shown_entries::ShownEntries;

use super::{condition_of, of_memory};
use crate::pg::clock;
use crate::pg::spi::Statement;
use crate::store::definition::known_aliases;
use crate::store::predicate::Rows;

/// The number of shown entries that pass the filters.
pub fn count(store_name: &StoreName, memory_id: &MemoryId, filters: Option<&str>, shown: &ShownEntries) -> Result<i64> {
    let filters = condition_of(filters)?;
    of_memory(store_name, memory_id, |reader, store| {
        store.require_keys_for(&filters)?;
        let filters = known_aliases::applied(reader, store, memory_id, filters)?;
        let mut statement = Statement::default();
        let rows = Rows::entries(store, "e").of_memory(memory_id);
        let of_memory = store.of_memory(&mut statement, "e", memory_id);
        let visible = rows.and(&mut statement, &shown.condition(shown.when(clock::transaction_start())));
        let filters = rows.and(&mut statement, &filters);
        let statement = statement.with(format!(
            "SELECT pg_catalog.count(*) FROM {} e WHERE {of_memory}{visible}{filters} AND e.entry_id IS NOT NULL",
            store.relation("entries")
        ));
        reader.only(&statement, |row| row.required_integer(1))
    })
}
