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
use pgrx::pg_sys;

/// The OID of a text search configuration, by its name in the server's notation of a regconfig (42704 if there is
/// none).
pub fn configuration_named(name: &str) -> Result<pg_sys::Oid> {
    let Ok(written) = CString::new(name) else {
        return Err(Error::new(ErrorKind::Internal, "the name of a text search configuration holds a NUL byte"));
    };
    // SAFETY: inside a transaction; takes a C string. Text that is no list of names raises an ERROR of the server's.
    let found = unsafe {
        let names = pg_sys::stringToQualifiedNameList(written.as_ptr(), std::ptr::null_mut());
        pg_sys::get_ts_config_oid(names, true)
    };
    if found != pg_sys::InvalidOid {
        return Ok(found);
    }
    Err(Error::new(ErrorKind::UndefinedObject, format!("there is no text search configuration {name}"))
        .hint("Create it again: CREATE TEXT SEARCH CONFIGURATION."))
}
