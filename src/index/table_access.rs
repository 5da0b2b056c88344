//! Functions that the server's headers define inline over a table's access method. pgrx does not guard calls through
//! its pointers: an ERROR in one would jump over Rust frames, so each has a guard here, with nothing in it to drop.

use std::ffi::c_void;

use pgrx::pg_sys;

/// The callback of a scan that builds an index.
pub type EachRow = unsafe extern "C-unwind" fn(
    index: pg_sys::Relation,
    tid: pg_sys::ItemPointer,
    values: *mut pg_sys::Datum,
    nulls: *mut bool,
    is_alive: bool,
    state: *mut c_void,
);

/// `table_index_build_scan`: calls `each` for every row that an index must hold, and returns the number of rows that it
/// saw.
///
/// # Safety
/// Relations must be open, `info` the index's; `each` must be a guarded callback that takes `state`.
pub unsafe fn scan_for_index(
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    info: *mut pg_sys::IndexInfo,
    each: EachRow,
    state: *mut c_void,
) -> f64 {
    // SAFETY: every table access method has this function; the rest by the caller's promise.
    unsafe {
        let Some(scan) = (*(*table).rd_tableam).index_build_range_scan else { return 0.0 };
        pg_sys::ffi::pg_guard_ffi_boundary(|| {
            scan(
                table,
                index,
                info,
                true,
                false,
                true,
                0,
                pg_sys::InvalidBlockNumber,
                Some(each),
                state,
                std::ptr::null_mut(),
            )
        })
    }
}

/// Asks VACUUM's callback whether a row is dead.
///
/// # Safety
/// Both as VACUUM handed them over.
pub unsafe fn is_dead(
    callback: pg_sys::IndexBulkDeleteCallback,
    tid: &mut pg_sys::ItemPointerData,
    state: *mut c_void,
) -> bool {
    let Some(callback) = callback else { return false };
    let tid = &raw mut *tid;
    // SAFETY: by the caller's promise.
    unsafe { pg_sys::ffi::pg_guard_ffi_boundary(|| callback(tid, state)) }
}
