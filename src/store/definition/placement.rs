//! The placement of the rows of one memory: in the store's tables, in partitions of these, or in shards next to them.

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

/// The store with the relations that hold a memory in place of its tables, if they are known and may be read instead.
pub fn of_memory(reader: &Reader<'_>, store: &Rc<Store>, memory_id: &MemoryId) -> Result<Rc<Store>> {
    if store.is_distributed {
        return Ok(shards::of_memory(reader, store, memory_id)?.unwrap_or_else(|| Rc::clone(store)));
    }
    let Some(tables) = store.tables_by_memory else { return Ok(Rc::clone(store)) };
    Ok(partitions::of_memory_in_snapshot(reader, store, tables, memory_id)?.unwrap_or_else(|| Rc::clone(store)))
}

/// The same for a caller that changes rows of a memory: only partitions, because Citus itself finds the shards to write
/// to.
pub fn to_change(store: &Rc<Store>, memory_id: &MemoryId) -> Result<Rc<Store>> {
    let Some(tables) = store.tables_by_memory.filter(|_| !store.is_distributed) else { return Ok(Rc::clone(store)) };
    Ok(partitions::of_memory(store, tables, memory_id)?.unwrap_or_else(|| Rc::clone(store)))
}
