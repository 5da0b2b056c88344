//! Values on their way into a statement. Values never become SQL text.

use memory_search_core::timestamp::Micros;
use memory_search_index::place::Place;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::{self, PgOid};

use crate::pg::datum;
use crate::pg::epoch::to_postgres;

/// A typed parameter; `None` is NULL.
#[derive(Debug, Clone)]
pub enum Param {
    /// text
    Text(Option<String>),
    /// text[]
    Texts(Vec<String>),
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
}

impl Param {
    /// A text that is not null.
    pub fn text(value: impl Into<String>) -> Self {
        Param::Text(Some(value.into()))
    }

    /// The parameter's SQL type.
    pub fn type_oid(&self) -> PgOid {
        PgOid::from(match self {
            Param::Text(_) => pg_sys::TEXTOID,
            Param::Texts(_) => pg_sys::TEXTARRAYOID,
            Param::Places(_) => pg_sys::TIDARRAYOID,
            Param::Reals(_) => pg_sys::FLOAT4ARRAYOID,
            Param::Integer(_) => pg_sys::INT8OID,
            Param::Number(_) => pg_sys::FLOAT8OID,
            Param::Timestamp(_) => pg_sys::TIMESTAMPTZOID,
        })
    }

    /// The parameter as SPI takes it.
    pub fn datum(&self) -> DatumWithOid<'_> {
        match self {
            Param::Text(value) => value.as_deref().into(),
            Param::Texts(values) => values.iter().map(|text| Some(text.as_str())).collect::<Vec<_>>().into(),
            Param::Places(places) => {
                // SAFETY: an array of item pointers, in the connection's memory context.
                unsafe { DatumWithOid::new(datum::place::array(places), pg_sys::TIDARRAYOID) }
            }
            Param::Reals(Some(values)) => values.as_slice().to_vec().into(),
            Param::Reals(None) => DatumWithOid::null_oid(pg_sys::FLOAT4ARRAYOID),
            Param::Integer(value) => (*value).into(),
            Param::Number(value) => (*value).into(),
            Param::Timestamp(None) => DatumWithOid::null_oid(pg_sys::TIMESTAMPTZOID),
            Param::Timestamp(Some(micros)) => {
                let datum = to_postgres(*micros);
                // SAFETY: a timestamptz datum is its 64-bit count, passed by value.
                unsafe { DatumWithOid::new(datum, pg_sys::TIMESTAMPTZOID) }
            }
        }
    }
}
