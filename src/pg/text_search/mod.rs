//! Text search: words of texts by the analyzer and the server's dictionaries ([`words`]), and the analyzer as a
//! PostgreSQL parser ([`parser`]).

pub mod accents;
mod configuration;
mod dictionary;
pub mod indexed_texts;
mod letter_case;
mod pairs;
pub mod parser;
mod phrases;
mod scratch;
mod server_words;
mod token;
pub mod words;

use std::ffi::CString;

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::{direct_function_call_as_datum, pg_sys};

/// The OID of a text search configuration, by its name in the server's notation of a regconfig.
pub fn configuration_named(name: &str) -> Result<pg_sys::Oid> {
    let Ok(written) = CString::new(name) else {
        return Err(Error::new(ErrorKind::Internal, "the name of a text search configuration holds a NUL byte"));
    };
    // SAFETY: regconfigin takes a C string, and reads no more of the call; a name that is none raises an ERROR.
    let oid = unsafe { direct_function_call_as_datum(pg_sys::regconfigin, &[Some(written.as_ptr().into())]) };
    Ok(oid.map_or(pg_sys::InvalidOid, |oid| pg_sys::Oid::from(oid.value() as u32)))
}
