//! What a backend keeps of an open index: its definition and its key.

use memory_search_core::{Error, Result};
use memory_search_index::fault::Fault;
use memory_search_index::hashing::Hashes;
use memory_search_index::meta;
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::definition::Definition;
use super::relation_pages::RelationPages;
use crate::pg::error::report;

/// What a backend keeps of an open index. It lives in the relation's cache, which the server drops when the index
/// changes: so it holds no pointers.
#[derive(Debug, Clone, Copy)]
pub struct State {
    /// What is kept of its columns.
    pub definition: Definition,
    /// Hashes under its key.
    pub hashes: Hashes,
}

impl State {
    /// Of an index that was built.
    ///
    /// # Safety
    /// The index must be open and locked.
    pub unsafe fn of(index: pg_sys::Relation) -> Result<State> {
        // SAFETY: the relation is open; rd_amcache is this access method's own, null or a State that was put there below.
        unsafe {
            let kept = (*index).rd_amcache.cast::<State>();
            if !kept.is_null() {
                return Ok(*kept);
            }
            let pages = RelationPages::new(index, std::ptr::null_mut());
            let meta = meta::read(&pages).map_err(without_restart)?;
            let state = State { definition: Definition::of(index)?, hashes: Hashes::new(meta.key) };
            let place = pg_sys::MemoryContextAlloc((*index).rd_indexcxt, size_of::<State>()).cast::<State>();
            place.write(state);
            (*index).rd_amcache = place.cast();
            Ok(state)
        }
    }
}

/// The error behind a fault where nothing can have moved.
pub fn without_restart(fault: Fault) -> Error {
    match fault {
        Fault::Error(error) => error,
        Fault::Moved => Error::new(memory_search_core::ErrorKind::Internal, "a page of a memory index moved"),
    }
}

/// The value, or an ERROR that leaves the callback.
pub fn or_raise<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => {
            report(error).report(PgLogLevel::ERROR);
            unreachable!("an ERROR does not return")
        }
    }
}
