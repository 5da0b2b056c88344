//! What a backend keeps of an open index: read when it is first needed.

use memory_search_core::{Error, Result};
use memory_search_index::fault::Fault;
use memory_search_index::hashing::Hashes;
use memory_search_index::meta;
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::definition::Definition;
pub use super::kept_state::State;
use super::operator_class;
use super::relation_pages::RelationPages;
use crate::pg::error::report;

impl State {
    /// Of an index that was built.
    ///
    /// # Safety
    /// The index must be open and locked.
    pub unsafe fn of(index: pg_sys::Relation) -> Result<State> {
        // SAFETY: the relation is open.
        unsafe {
            if let Some(kept) = State::kept(index) {
                return Ok(kept);
            }
            let pages = RelationPages::new(index, std::ptr::null_mut());
            let meta = meta::read(&pages).map_err(without_restart)?;
            let definition = Definition::of(index)?;
            operator_class::check_all(index, &definition)?;
            let state = State { definition, hashes: Hashes::new(meta.key), root: meta.root };
            state.keep(index);
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
