//! The server's clock.

use memory_search_core::timestamp::Micros;
use pgrx::pg_sys;

use crate::pg::epoch::from_postgres;
use crate::pg::replay;

/// The beginning of the current transaction, as in `now()`: the same for every search in it. If reads wait for the
/// writes of a primary, it is not earlier than those.
pub fn transaction_start() -> Micros {
    // SAFETY: reads a timestamp of this backend's transaction state; always set inside a query.
    let start = from_postgres(unsafe { pg_sys::GetCurrentTransactionStartTimestamp() });
    replay::latest_commit().map_or(start, |latest| latest.max(start))
}

/// The current time, as in `clock_timestamp()`: rows that were written a moment ago, in this transaction too, are not
/// later.
pub fn now() -> Micros {
    // SAFETY: reads the clock.
    from_postgres(unsafe { pg_sys::GetCurrentTimestamp() })
}
