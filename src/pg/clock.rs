//! The server's clock.

use memory_search_core::timestamp::Micros;
use pgrx::pg_sys;

use crate::pg::epoch::from_postgres;
use crate::pg::replay;

/// When the current transaction began, as `now()` says: the same for every search in it. Where reads wait for what a
/// primary wrote, not before that.
pub fn transaction_start() -> Micros {
    // SAFETY: reads a timestamp of this backend's transaction state; always set inside a query.
    let start = from_postgres(unsafe { pg_sys::GetCurrentTransactionStartTimestamp() });
    replay::latest_commit().map_or(start, |latest| latest.max(start))
}

/// What the clock says, as `clock_timestamp()` does: what was written a moment ago, in this transaction too, is
/// not later.
pub fn now() -> Micros {
    // SAFETY: reads the clock.
    from_postgres(unsafe { pg_sys::GetCurrentTimestamp() })
}
