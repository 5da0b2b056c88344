//! VACUUM: removes dead rows from the index, then frees pages that belong to nothing. While it has the exclusive lock
//! of a memory, whose tail grows meanwhile, it does not nap; between two memories it does.

use std::ffi::c_void;

use memory_search_core::Result;
use memory_search_index::hashing::MemoryHash;
use memory_search_index::memory::vacuum::{self, Removed};
use memory_search_index::meta;
use memory_search_index::pages::Pages;
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::maintenance_lock::MaintenanceLock;
use super::relation_pages::{Hurried, RelationPages};
use super::table_access;
use crate::pg::datum::place;
use crate::pg::error::or_raise;
use crate::pg::memory_reserve;

#[pg_guard]
pub unsafe extern "C-unwind" fn ambulkdelete(
    info: *mut pg_sys::IndexVacuumInfo,
    stats: *mut pg_sys::IndexBulkDeleteResult,
    callback: pg_sys::IndexBulkDeleteCallback,
    callback_state: *mut c_void,
) -> *mut pg_sys::IndexBulkDeleteResult {
    // SAFETY: VACUUM hands over an open index, its callback, and null or the result of the call before.
    unsafe {
        let stats = match stats.is_null() {
            true => pg_sys::palloc0(size_of::<pg_sys::IndexBulkDeleteResult>()).cast(),
            false => stats,
        };
        let removed = or_raise(bulk_delete(&*info, callback, callback_state));
        (*stats).num_index_tuples = removed.kept as f64;
        (*stats).tuples_removed += removed.removed as f64;
        stats
    }
}

/// The pages of the index, whose format this library knows. Their words may have been made with other options than the
/// index has now: no row's words are made here.
///
/// # Safety
/// As of [`ambulkdelete`]; the strategy lives as long as VACUUM.
unsafe fn pages_of(info: &pg_sys::IndexVacuumInfo) -> Result<RelationPages> {
    // SAFETY: by the caller's promise.
    let pages = unsafe { RelationPages::new(info.index, info.heaprel).for_vacuum(info.strategy) };
    meta::read(&pages).map_err(|fault| pages.error_of(fault))?;
    Ok(pages)
}

/// # Safety
/// As of [`ambulkdelete`].
unsafe fn bulk_delete(
    info: &pg_sys::IndexVacuumInfo,
    callback: pg_sys::IndexBulkDeleteCallback,
    callback_state: *mut c_void,
) -> Result<Removed> {
    let _reserve = memory_reserve::hold(memory_reserve::BYTES)?;
    // SAFETY: by the caller's promise.
    let pages = unsafe { pages_of(info) }?;
    let is_dead = |at| {
        let mut tid = place::to_tid(at);
        // SAFETY: by the caller's promise.
        unsafe { table_access::is_dead(callback, &mut tid, callback_state) }
    };
    vacuum::bulk_delete(&pages, |memory| alone(&pages, memory), is_dead).map_err(|fault| pages.error_of(fault))
}

/// The lock that keeps others from sealing a memory, with naps suspended.
fn alone(pages: &RelationPages, memory: MemoryHash) -> (MaintenanceLock, Hurried<'_>) {
    (MaintenanceLock::of_memory(pages.index(), memory), pages.hurried())
}

#[pg_guard]
pub unsafe extern "C-unwind" fn amvacuumcleanup(
    info: *mut pg_sys::IndexVacuumInfo,
    stats: *mut pg_sys::IndexBulkDeleteResult,
) -> *mut pg_sys::IndexBulkDeleteResult {
    // SAFETY: VACUUM hands over an open index, and null where no row was removed.
    unsafe {
        let info = &*info;
        if info.analyze_only {
            return stats;
        }
        let (blocks, free) = or_raise(clean_up(info));
        let stats = match stats.is_null() {
            true => {
                let stats =
                    pg_sys::palloc0(size_of::<pg_sys::IndexBulkDeleteResult>()).cast::<pg_sys::IndexBulkDeleteResult>();
                (*stats).num_index_tuples = info.num_heap_tuples;
                (*stats).estimated_count = info.estimated_count;
                stats
            }
            false => stats,
        };
        (*stats).num_pages = blocks;
        (*stats).pages_free = free;
        stats
    }
}

/// # Safety
/// As of [`amvacuumcleanup`].
unsafe fn clean_up(info: &pg_sys::IndexVacuumInfo) -> Result<(u32, u32)> {
    let _reserve = memory_reserve::hold(memory_reserve::BYTES)?;
    // SAFETY: by the caller's promise.
    let pages = unsafe { pages_of(info) }?;
    vacuum::merge_segments(&pages, |memory| alone(&pages, memory)).map_err(|fault| pages.error_of(fault))?;
    let free = vacuum::free_unlinked(&pages).map_err(|fault| pages.error_of(fault))?;
    // SAFETY: the index is open. Pages that were noted as free are found from here on.
    unsafe { pg_sys::IndexFreeSpaceMapVacuum(info.index) };
    Ok((pages.blocks().map_err(|fault| pages.error_of(fault))?, u32::try_from(free).unwrap_or(u32::MAX)))
}
