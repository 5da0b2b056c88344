//! timestamptz as a column of a result.

use memory_search_core::timestamp::Micros;
use pgrx::datum::TimestampWithTimeZone;

use crate::pg::epoch::to_postgres;

/// The instant as a timestamptz, infinities included.
pub fn from_micros(micros: Micros) -> TimestampWithTimeZone {
    match TimestampWithTimeZone::try_from(to_postgres(micros)) {
        Ok(instant) => instant,
        Err(_) if micros > 0 => TimestampWithTimeZone::positive_infinity(),
        Err(_) => TimestampWithTimeZone::negative_infinity(),
    }
}
