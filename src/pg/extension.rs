//! The extension as the database has it.

use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::identifier::QuotedIdentifier;
use crate::pg::spi::{Reader, Statement};

/// The schema that its functions are in.
pub fn schema(reader: &Reader<'_>) -> Result<QuotedIdentifier> {
    let statement = Statement::default().with(
        "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension x \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) x.extnamespace \
         WHERE x.extname OPERATOR(pg_catalog.=) 'memory_search'"
            .to_owned(),
    );
    let found = reader.first(&statement, |row| QuotedIdentifier::read(row, 1))?;
    found.ok_or_else(|| Error::new(ErrorKind::Internal, "the extension memory_search is not installed"))
}
