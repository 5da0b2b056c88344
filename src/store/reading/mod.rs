//! Reads a store without a query: entries by their ids or in a list, and their number.

pub mod count;
pub mod entities;
pub mod entry;
pub mod get;
pub mod history;
pub mod list;
pub mod memories;
pub mod stats;

use memory_search_core::Result;
use memory_search_core::filter::Filters;
use memory_search_core::filter::condition::Condition;
use memory_search_core::request::names::{MemoryId, StoreName};

use crate::pg::settings;
use crate::pg::spi::{self, Reader};
use crate::store::definition::{self, Store, placement};

/// Reads one memory of a store, in one snapshot, from its placement.
pub fn of_memory<T>(
    store_name: &StoreName,
    memory_id: &MemoryId,
    work: impl FnOnce(&Reader<'_>, &Store) -> Result<T>,
) -> Result<T> {
    spi::read(|reader| {
        let store = placement::of_memory(reader, &definition::store(reader, store_name)?, memory_id)?;
        let read = || work(reader, &store);
        // A plan for any memory would lock every partition.
        if store.is_partitioned { settings::with(c"plan_cache_mode", c"force_custom_plan", read) } else { read() }
    })
}

/// Reads a whole store, in one snapshot.
pub fn of_store<T>(store_name: &StoreName, work: impl FnOnce(&Reader<'_>, &Store) -> Result<T>) -> Result<T> {
    spi::read(|reader| work(reader, &*definition::store(reader, store_name)?))
}

/// The condition on entries from the argument `filters`.
pub fn condition_of(filters: Option<&str>) -> Result<Condition> {
    Ok(filters.map(Filters::parse).transpose()?.unwrap_or_default().condition())
}
