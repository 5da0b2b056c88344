//! Errors of an index with its name: the crate of the memory index knows no names, and a person repairs an index by it.

use std::ffi::CStr;

use memory_search_core::{Error, ErrorKind};
use memory_search_index::fault::Fault;
use pgrx::pg_sys;

/// The words for the index in hints of that crate.
const THE_INDEX: &str = "the index";

/// The error for a fault in a case in which nothing can have moved.
pub fn without_restart(fault: Fault) -> Error {
    match fault {
        Fault::Error(error) => error,
        Fault::Moved => Error::new(ErrorKind::Internal, "a page of a memory index moved")
            .hint("Repeat the statement. If it fails again, REINDEX INDEX CONCURRENTLY the index."),
    }
}

/// The error whose hint says which index is meant.
pub fn naming(name: &str, mut error: Error) -> Error {
    error.hint = error.hint.map(|hint| hint.replace(THE_INDEX, name));
    error
}

/// The name of an index with its schema, each part quoted if necessary.
///
/// # Safety
/// The index must be open, inside a transaction.
pub unsafe fn name_of(index: pg_sys::Relation) -> String {
    // SAFETY: an open index has a name; the server gives C strings in the current memory context, and takes null for a
    // schema that is gone.
    unsafe {
        let definition = &*(*index).rd_rel;
        let schema = pg_sys::get_namespace_name(definition.relnamespace);
        let name = pg_sys::quote_qualified_identifier(schema, definition.relname.data.as_ptr());
        CStr::from_ptr(name).to_string_lossy().into_owned()
    }
}
