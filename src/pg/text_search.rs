//! Text search by the server's functions, called as functions: a statement around one takes as long as the function.

use std::ffi::CString;

use memory_search_core::{Error, ErrorKind, Result};
use memory_search_pgformat::tsvector::TsVector;
use pgrx::{IntoDatum, direct_function_call_as_datum, pg_sys};

use crate::pg::datum::varlena;

/// `to_tsvector(configuration::regconfig, text)`: `read` sees it in place.
pub fn with_tsvector<T>(
    configuration: &str,
    text: &str,
    read: impl FnOnce(TsVector<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let Ok(name) = CString::new(configuration) else {
        return Err(Error::new(ErrorKind::Internal, "the name of a text search configuration holds a NUL byte"));
    };
    // SAFETY: regconfigin takes a C string, and to_tsvector a configuration's OID and a text; neither reads more of the
    // call than its arguments. What they refuse leaves as an ERROR. The tsvector is in the current memory context.
    unsafe {
        let configuration = direct_function_call_as_datum(pg_sys::regconfigin, &[Some(name.as_ptr().into())]);
        let vector = direct_function_call_as_datum(pg_sys::to_tsvector_byid, &[configuration, text.into_datum()]);
        vector.map(|vector| varlena::with_bytes(vector, |bytes| TsVector::new(bytes).and_then(read))).transpose()
    }
}
