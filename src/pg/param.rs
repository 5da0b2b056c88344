//! Values for a statement. Values never become SQL text.

use memory_search_core::place::Place;
use memory_search_core::timestamp::Micros;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::{IntoDatum, pg_sys};

use crate::pg::datum::{array, timestamp};
use crate::pg::epoch::to_postgres;

/// A typed parameter; `None` is NULL.
#[derive(Debug, Clone)]
pub enum Param {
    /// text
    Text(Option<String>),
    /// text[]
    Texts(Vec<String>),
    /// text[] that may contain nulls
    NullableTexts(Vec<Option<String>>),
    /// timestamptz[] that may contain nulls
    NullableTimestamps(Vec<Option<Micros>>),
    /// tid[]
    Places(Vec<Place>),
    /// real[]
    Reals(Option<Vec<f32>>),
    /// bigint
    Integer(Option<i64>),
    /// double precision
    Number(f64),
    /// timestamptz
    Timestamp(Option<Micros>),
    /// timestamptz in the server's units, microseconds since 2000
    ServerTimestamp(i64),
}

impl Param {
    /// A text that is not null.
    pub fn text(value: impl Into<String>) -> Self {
        Param::Text(Some(value.into()))
    }

    /// The parameter's SQL type.
    pub fn type_oid(&self) -> pg_sys::Oid {
        match self {
            Param::Text(_) => pg_sys::TEXTOID,
            Param::Texts(_) | Param::NullableTexts(_) => pg_sys::TEXTARRAYOID,
            Param::NullableTimestamps(_) => pg_sys::TIMESTAMPTZARRAYOID,
            Param::Places(_) => pg_sys::TIDARRAYOID,
            Param::Reals(_) => pg_sys::FLOAT4ARRAYOID,
            Param::Integer(_) => pg_sys::INT8OID,
            Param::Number(_) => pg_sys::FLOAT8OID,
            Param::Timestamp(_) | Param::ServerTimestamp(_) => pg_sys::TIMESTAMPTZOID,
        }
    }

    /// The parameter for SPI, in the current memory context.
    pub fn datum(&self) -> Option<pg_sys::Datum> {
        match self {
            Param::Text(value) => value.as_deref().and_then(IntoDatum::into_datum),
            Param::Texts(values) => Some(array::of_texts(values)),
            Param::NullableTexts(values) => {
                values.iter().map(Option::as_deref).collect::<Vec<Option<&str>>>().into_datum()
            }
            Param::NullableTimestamps(values) => values
                .iter()
                .map(|value| value.map(timestamp::from_micros))
                .collect::<Vec<Option<TimestampWithTimeZone>>>()
                .into_datum(),
            Param::Places(values) => {
                Some(array::of_fixed(pg_sys::TIDOID, values.iter().map(|place| tid_bytes(*place))))
            }
            Param::Reals(values) => values
                .as_ref()
                .map(|values| array::of_fixed(pg_sys::FLOAT4OID, values.iter().map(|value| value.to_ne_bytes()))),
            Param::Integer(value) => value.map(pg_sys::Datum::from),
            Param::Number(value) => Some(pg_sys::Datum::from(value.to_bits())),
            Param::ServerTimestamp(micros) => Some(pg_sys::Datum::from(*micros)),
            Param::Timestamp(value) => value.map(|micros| pg_sys::Datum::from(to_postgres(micros))),
        }
    }
}

/// A tid in its memory layout: the halves of its block's number, the higher first, and its line pointer.
fn tid_bytes(place: Place) -> [u8; 6] {
    let halves = [(place.block >> 16) as u16, place.block as u16, place.offset].map(u16::to_ne_bytes);
    let [[a, b], [c, d], [e, f]] = halves;
    [a, b, c, d, e, f]
}
