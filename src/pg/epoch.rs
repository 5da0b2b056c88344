//! Conversion of times: the engine's epoch differs from PostgreSQL's.

use memory_search_core::timestamp::Micros;

/// Microseconds from 1970-01-01, the engine's epoch, to 2000-01-01, PostgreSQL's.
const POSTGRES_EPOCH: Micros = 946_684_800_000_000;

/// To microseconds since PostgreSQL's epoch; the infinities stay.
pub fn to_postgres(micros: Micros) -> i64 {
    match micros {
        i64::MAX | i64::MIN => micros,
        finite => finite.saturating_sub(POSTGRES_EPOCH),
    }
}

/// From microseconds since PostgreSQL's epoch; the infinities stay.
pub fn from_postgres(micros: i64) -> Micros {
    match micros {
        i64::MAX | i64::MIN => micros,
        finite => finite.saturating_add(POSTGRES_EPOCH),
    }
}
