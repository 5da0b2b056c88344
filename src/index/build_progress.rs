//! The progress of a build, for `pg_stat_progress_create_index`.

use std::ffi::{c_char, c_int};

use pgrx::pg_sys;
use pgrx::prelude::*;

/// The number of rows between two reports.
const ROWS_A_REPORT: i64 = 256;

/// Phases of a build, in this order, by the numbers that the view translates. The server itself sets 1, "initializing".
#[derive(Clone, Copy)]
pub enum Phase {
    Scanning = 2,
    Sorting = 3,
    Writing = 4,
}

#[pg_guard]
pub unsafe extern "C-unwind" fn ambuildphasename(phase: i64) -> *mut c_char {
    let name = match phase {
        1 => c"initializing",
        2 => c"scanning table",
        3 => c"sorting rows",
        4 => c"writing segments",
        _ => return std::ptr::null_mut(),
    };
    name.as_ptr().cast_mut()
}

fn report(what: u32, value: i64) {
    // SAFETY: sets a number of the session's own entry.
    unsafe { pg_sys::pgstat_progress_update_param(what as c_int, value) };
}

/// Reports that a phase begins.
pub fn begin(phase: Phase) {
    report(pg_sys::PROGRESS_CREATEIDX_SUBPHASE, phase as i64);
}

/// The number of rows that are written.
pub struct Written(i64);

impl Written {
    /// No rows yet, of a total.
    pub fn of(rows: u64) -> Written {
        begin(Phase::Writing);
        report(pg_sys::PROGRESS_CREATEIDX_TUPLES_TOTAL, rows.cast_signed());
        report(pg_sys::PROGRESS_CREATEIDX_TUPLES_DONE, 0);
        Written(0)
    }

    /// Adds one.
    pub fn add_one(&mut self) {
        self.0 += 1;
        if self.0 % ROWS_A_REPORT == 0 {
            report(pg_sys::PROGRESS_CREATEIDX_TUPLES_DONE, self.0);
        }
    }
}
