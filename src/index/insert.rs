//! Adds a row.

use memory_search_core::{Error, Result};
use memory_search_index::hashing::MemoryHash;
use memory_search_index::memory::{sealing, tail};
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::maintenance_lock::MaintenanceLock;
use super::named_error::{name_of, naming};
use super::relation_pages::RelationPages;
use super::state::State;
use super::{embedding_code, row};
use crate::pg::datum::place;
use crate::pg::error::or_raise;
use crate::pg::memory_reserve;

#[pg_guard]
#[allow(clippy::too_many_arguments)] // the server's signature
pub unsafe extern "C-unwind" fn aminsert(
    index: pg_sys::Relation,
    values: *mut pg_sys::Datum,
    nulls: *mut bool,
    tid: pg_sys::ItemPointer,
    table: pg_sys::Relation,
    _check: pg_sys::IndexUniqueCheck::Type,
    _is_unchanged: bool,
    _info: *mut pg_sys::IndexInfo,
) -> bool {
    // SAFETY: the server hands over open relations, and as many values as the index has columns.
    or_raise(unsafe { insert(index, table, values, nulls, &*tid) });
    false
}

/// # Safety
/// As of [`aminsert`].
unsafe fn insert(
    index: pg_sys::Relation,
    table: pg_sys::Relation,
    values: *const pg_sys::Datum,
    nulls: *const bool,
    tid: &pg_sys::ItemPointerData,
) -> Result<()> {
    // The lists of a row, and of a tail that is sealed, are made by allocations that cannot be refused.
    let _reserve = memory_reserve::hold(memory_reserve::BYTES)?;
    // SAFETY: by the caller's promise.
    let (state, pages, row) = unsafe {
        let state = State::of(index)
            .map_err(|error| if State::is_possible(index) { error } else { impossible(index, &error) })?;
        let pages = RelationPages::new(index, table);
        let row =
            row::read(&state, values, nulls, place::from_tid(tid)).map_err(|error| naming(&pages.name(), error))?;
        (state, pages, row)
    };
    let Some(mut row) = row else { return Ok(()) };
    row.document.codes = embedding_code::of_all(&row.embeddings);
    let may_be_long = tail::insert(&pages, row.memory, &row.document).map_err(|fault| pages.error_of(fault))?;
    if may_be_long && tail::is_long(&pages, row.memory).map_err(|fault| pages.error_of(fault))? {
        seal(&pages, &state, row.memory)?;
    }
    Ok(())
}

/// The error of an index that can take no row, because a column of it got another type.
///
/// # Safety
/// The index must be open.
unsafe fn impossible(index: pg_sys::Relation, error: &Error) -> Error {
    // SAFETY: by the caller's promise.
    let name = unsafe { name_of(index) };
    Error::new(error.kind, format!("index {name} can take no row: {}", error.message)).hint(format!(
        "ALTER TABLE ... ALTER COLUMN ... TYPE gives the column a type that the index can hold; or DROP INDEX {name}."
    ))
}

/// Seals the tail of a memory, unless somebody else does, or VACUUM is working on this memory: then the next insertion
/// of a row will.
fn seal(pages: &RelationPages, state: &State, memory: MemoryHash) -> Result<()> {
    let Some(_alone) = MaintenanceLock::try_shared(pages.index()) else { return Ok(()) };
    let Some(_of_memory) = MaintenanceLock::try_of_memory(pages.index(), memory) else { return Ok(()) };
    sealing::seal(pages, memory, state.definition.numbers()).map_err(|fault| pages.error_of(fault))
}
