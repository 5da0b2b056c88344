//! Functions that the server's headers define inline over a table's access method. pgrx does not guard calls through
//! its pointers: an ERROR in one would jump over Rust frames, so each has a guard here, with nothing in it to drop.

use std::ffi::c_void;

use pgrx::pg_sys;
use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;

use crate::pg::unwinding;

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
        pg_guard_ffi_boundary(|| {
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
    unsafe { pg_guard_ffi_boundary(|| callback(tid, state)) }
}

/// Reads single rows by their places in an index, exactly as the executor does (`table_index_fetch_tuple`).
pub struct RowFetch {
    table: pg_sys::Relation,
    fetch: *mut pg_sys::IndexFetchTableData,
    slot: *mut pg_sys::TupleTableSlot,
}

impl Drop for RowFetch {
    fn drop(&mut self) {
        // SAFETY: made by `of`, and ended only here; every table access method has this function.
        unwinding::release(|| unsafe {
            pg_sys::ExecDropSingleTupleTableSlot(self.slot);
            if let Some(end) = (*(*self.table).rd_tableam).index_fetch_end {
                pg_guard_ffi_boundary(|| end(self.fetch));
            }
        });
    }
}

impl RowFetch {
    /// A reader in the current memory context.
    ///
    /// # Safety
    /// The table must be open, as long as the reader lives.
    pub unsafe fn of(table: pg_sys::Relation) -> RowFetch {
        // SAFETY: by the caller's promise; every table access method has this function.
        unsafe {
            let slot = pg_sys::table_slot_create(table, std::ptr::null_mut());
            let begin = (*(*table).rd_tableam).index_fetch_begin;
            let fetch = begin.map_or(std::ptr::null_mut(), |begin| pg_guard_ffi_boundary(|| begin(table)));
            RowFetch { table, fetch, slot }
        }
    }

    /// The row that was read last.
    pub fn slot(&self) -> *mut pg_sys::TupleTableSlot {
        self.slot
    }

    /// Reads the version of a row that a snapshot sees; false if it sees none.
    ///
    /// # Safety
    /// An MVCC snapshot that the scan of the index holds: it sees one version of a row at most.
    pub unsafe fn fetch(&mut self, tid: &mut pg_sys::ItemPointerData, snapshot: pg_sys::Snapshot) -> bool {
        let (tid, mut again, mut all_dead) = (&raw mut *tid, false, false);
        let (again, all_dead) = (&raw mut again, &raw mut all_dead);
        // SAFETY: by the caller's promise; every table access method has this function.
        unsafe {
            let Some(read) = (*(*self.table).rd_tableam).index_fetch_tuple else { return false };
            pg_guard_ffi_boundary(|| read(self.fetch, tid, snapshot, self.slot, again, all_dead))
        }
    }
}
