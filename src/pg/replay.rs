//! Reads that include one's own writes on a standby: a read waits until the standby has replayed the write-ahead log up
//! to a position, and then takes a new snapshot, because that of the calling statement is older than the wait.
//!
//! The calling statement's snapshot is held meanwhile, as in any function that waits: if the standby may not remove
//! rows that this snapshot sees, replay waits for it as for any query, and PostgreSQL's rules for such conflicts
//! decide.

use std::ffi::c_long;

use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use crate::pg::epoch;
use crate::pg::interrupt;
use crate::pg::settings;
use crate::pg::snapshot;

/// The sleep between two checks: the server does not announce that it has replayed something. Short at first, because a
/// standby is usually some milliseconds behind.
const FIRST_SLEEP_MS: c_long = 1;
const LONGEST_SLEEP_MS: c_long = 16;

/// Runs `work`, which reads; on a standby, in a snapshot that includes the position in the setting
/// `memory_search.wait_for_lsn`.
pub fn awaited<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let Some(lsn) = settings::wait_for_lsn()? else { return work() };
    if !is_standby() {
        return work();
    }
    if snapshot::level_that_keeps_one().is_some() {
        return Err(Error::new(
            ErrorKind::WrongState,
            "memory_search.wait_for_lsn cannot be applied in a REPEATABLE READ transaction, which keeps its snapshot",
        )
        .hint("Search in a READ COMMITTED transaction, or set memory_search.wait_for_lsn to ''."));
    }
    wait(lsn);
    // SAFETY: what a VOLATILE function in SQL does before each of its statements: READ COMMITTED takes a new snapshot,
    // which is copied when it is pushed. It is popped in pairs, by an ERROR in between with the (sub)transaction.
    unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot()) };
    let result = work();
    // SAFETY: as above.
    unsafe { pg_sys::PopActiveSnapshot() };
    result
}

/// The time, by the primary's clock, of the latest commit that a standby has replayed, if reads wait for the primary's
/// writes. By the standby's clock, or at the beginning of this transaction, that commit may not have happened yet.
pub fn latest_commit() -> Option<Micros> {
    if !settings::awaits_replay() || !is_standby() {
        return None;
    }
    // SAFETY: reads shared memory.
    let time = unsafe { pg_sys::GetLatestXTime() };
    (time != 0).then(|| epoch::from_postgres(time))
}

fn is_standby() -> bool {
    // SAFETY: reads shared memory.
    unsafe { pg_sys::RecoveryInProgress() }
}

/// Returns when everything before `lsn` is replayed, or the server has become a primary; raises an ERROR if the
/// statement is cancelled.
fn wait(lsn: u64) {
    let mut sleep_ms = FIRST_SLEEP_MS;
    loop {
        interrupt::check();
        // SAFETY: reads shared memory; without a pointer the timeline is not told.
        if unsafe { pg_sys::GetXLogReplayRecPtr(std::ptr::null_mut()) } >= lsn || !is_standby() {
            return;
        }
        let events = pg_sys::WL_LATCH_SET | pg_sys::WL_TIMEOUT | pg_sys::WL_EXIT_ON_PM_DEATH;
        // SAFETY: a backend's own latch, which a cancel and a timeout set; what set it is looked at above.
        unsafe {
            pg_sys::WaitLatch(pg_sys::MyLatch, events as i32, sleep_ms, wait_event());
            pg_sys::ResetLatch(pg_sys::MyLatch);
        }
        sleep_ms = (sleep_ms * 2).min(LONGEST_SLEEP_MS);
    }
}

/// The `wait_event` to show in `pg_stat_activity`.
#[cfg(not(feature = "pg16"))]
fn wait_event() -> u32 {
    // SAFETY: the name is a C string that lives for ever; the server gives the same number for the same name.
    unsafe { pg_sys::WaitEventExtensionNew(c"MemorySearchWaitForLsn".as_ptr()) }
}

/// PostgreSQL 16 has no names for extensions' waits.
#[cfg(feature = "pg16")]
fn wait_event() -> u32 {
    pg_sys::PG_WAIT_EXTENSION
}
