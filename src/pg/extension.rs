//! Extensions in the database's catalogs.

use std::ffi::CStr;

use memory_search_core::{Error, ErrorKind, Result};

use pgrx::pg_sys;

use crate::pg::identifier::QuotedIdentifier;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};

/// The schema of an extension's functions and types; `None` if it is not installed.
pub fn schema_of(reader: &Reader<'_>, name: &str) -> Result<Option<QuotedIdentifier>> {
    let mut statement = Statement::default();
    let name = statement.bind(Param::text(name));
    let statement = statement.with(format!(
        "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension x \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) x.extnamespace \
         WHERE x.extname OPERATOR(pg_catalog.=) {name}::pg_catalog.name"
    ));
    reader.first(&statement, |row| QuotedIdentifier::read(row, 1))
}

/// The name of a function of this extension with its schema, for a statement. Raises 42704 if somebody has dropped the
/// extension meanwhile.
pub fn function(name: &str) -> String {
    // SAFETY: reads the catalogs inside a transaction. An existing extension has a schema with a name, which is a C
    // string in the current memory context.
    let schema = unsafe {
        let extension = pg_sys::get_extension_oid(c"memory_search".as_ptr(), false);
        let schema = pg_sys::get_namespace_name(pg_sys::get_extension_schema(extension));
        CStr::from_ptr(pg_sys::quote_identifier(schema)).to_string_lossy().into_owned()
    };
    format!("{schema}.{name}")
}

/// The schema of this extension's functions.
pub fn schema(reader: &Reader<'_>) -> Result<QuotedIdentifier> {
    schema_of(reader, "memory_search")?
        .ok_or_else(|| Error::new(ErrorKind::Internal, "the extension memory_search is not installed"))
}
