//! timestamptz: its epoch, and as a column of a result.

use memory_search_core::timestamp::Micros;
use pgrx::datum::TimestampWithTimeZone;

/// Microseconds from 1970-01-01, the engine's epoch, to 2000-01-01, PostgreSQL's.
pub const POSTGRES_EPOCH: Micros = 946_684_800_000_000;

/// The instant as a timestamptz, infinities included.
pub fn from_micros(micros: Micros) -> TimestampWithTimeZone {
    match TimestampWithTimeZone::try_from(to_postgres(micros)) {
        Ok(instant) => instant,
        Err(_) if micros > 0 => TimestampWithTimeZone::positive_infinity(),
        Err(_) => TimestampWithTimeZone::negative_infinity(),
    }
}

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
