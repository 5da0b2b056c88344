//! Text search by the server's functions, called as functions: a statement around one takes as long as the function.

use std::ffi::CString;

use memory_search_core::{Error, ErrorKind, Result};
use memory_search_pgformat::tsvector::TsVector;
use pgrx::{IntoDatum, direct_function_call_as_datum, pg_sys};

use crate::pg::datum::varlena;

/// `to_tsvector(configuration::regconfig, text)`: `read` sees it in place. What it allocates is freed at once.
pub fn with_tsvector<T>(
    configuration: &str,
    text: &str,
    read: impl FnOnce(TsVector<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let Ok(name) = CString::new(configuration) else {
        return Err(Error::new(ErrorKind::Internal, "the name of a text search configuration holds a NUL byte"));
    };
    // SAFETY: regconfigin takes a C string, and to_tsvector a configuration's OID and a text; neither reads more of the
    // call than its arguments. What they refuse leaves as an ERROR, with which the context goes that is above the new one.
    // The tsvector is in the new one, which is deleted when it was read.
    unsafe {
        let before = pg_sys::CurrentMemoryContext;
        let context =
            pg_sys::AllocSetContextCreateInternal(before, c"memory_search words".as_ptr(), 0, 8 << 10, 8 << 20);
        pg_sys::MemoryContextSwitchTo(context);
        let configuration = direct_function_call_as_datum(pg_sys::regconfigin, &[Some(name.as_ptr().into())]);
        let vector = direct_function_call_as_datum(pg_sys::to_tsvector_byid, &[configuration, text.into_datum()]);
        let read = vector.map(|vector| varlena::with_bytes(vector, |bytes| TsVector::new(bytes).and_then(read)));
        pg_sys::MemoryContextSwitchTo(before);
        pg_sys::MemoryContextDelete(context);
        read.transpose()
    }
}
