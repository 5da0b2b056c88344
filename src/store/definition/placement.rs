//! Where the rows of one memory lie: in the store's tables, in partitions of these, or in shards beside them.

mod kept;
pub mod led;
mod partitions;
mod shards;

use std::rc::Rc;

use memory_search_core::Result;
use memory_search_core::request::names::MemoryId;

use super::Store;
use crate::pg::spi::Reader;

pub use kept::hear;
pub use partitions::tables_by_memory;

/// The store with what holds a memory in the place of its tables, where that is known and may be read in their place.
pub fn of_memory(reader: &Reader<'_>, store: &Rc<Store>, memory_id: &MemoryId) -> Result<Rc<Store>> {
    if store.is_distributed {
        return Ok(shards::of_memory(reader, store, memory_id)?.unwrap_or_else(|| Rc::clone(store)));
    }
    let Some(tables) = store.tables_by_memory else { return Ok(Rc::clone(store)) };
    Ok(partitions::of_memory_in_snapshot(reader, store, tables, memory_id)?.unwrap_or_else(|| Rc::clone(store)))
}

/// The same for who changes rows of a memory: partitions are known, shards are for Citus to find.
pub fn to_change(store: &Rc<Store>, memory_id: &MemoryId) -> Result<Rc<Store>> {
    let Some(tables) = store.tables_by_memory.filter(|_| !store.is_distributed) else { return Ok(Rc::clone(store)) };
    Ok(partitions::of_memory(store, tables, memory_id)?.unwrap_or_else(|| Rc::clone(store)))
}
