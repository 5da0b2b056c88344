//! The tables `links` and `aliases`. A store that an older version made lacks them until somebody makes them
//! (`memory_doctor()` has the statement). Only code that works with them requires them.

use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use super::Store;
use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::sql_text::filled;

const FIND: &str = include_str!("tables_of_links.sql");

/// Their names.
pub const NAMES: [&str; 2] = ["links", "aliases"];

/// The OIDs of the existing ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TablesOfLinks {
    /// The OID of `links`.
    pub links: Option<u32>,
    /// The OID of `aliases`.
    pub aliases: Option<u32>,
}

/// A table with one of the names that differs from what a store makes.
pub struct Unlike {
    /// Its name.
    pub name: String,
    /// The columns that it lacks.
    pub missing: Vec<String>,
    /// The columns that have another type.
    pub of_other_types: Vec<String>,
}

impl TablesOfLinks {
    /// The tables of a schema.
    pub fn find(reader: &Reader<'_>, schema: &QuotedIdentifier) -> Result<Self> {
        Ok(Self::with_unlike(reader, schema)?.0)
    }

    /// The tables of a schema, and those with one of their names that are none of them.
    pub fn with_unlike(reader: &Reader<'_>, schema: &QuotedIdentifier) -> Result<(Self, Vec<Unlike>)> {
        let mut statement = Statement::default();
        let schema = statement.bind(Param::text(&**schema));
        let statement = statement.with(filled(FIND, &[("{schema}", &schema)]));
        let (mut found, mut unlike) = (TablesOfLinks::default(), Vec::new());
        spi::with_catalogs_as_they_stand(|| {
            reader.rows(&statement, |row| {
                let oid = row.integer(2).and_then(|oid| u32::try_from(oid).ok());
                let name = row.required_text(1)?;
                let (missing, of_other_types) = (row.texts(3), row.texts(4));
                if !missing.is_empty() || !of_other_types.is_empty() {
                    unlike.push(Unlike { name, missing, of_other_types });
                    return Ok(());
                }
                match name.as_str() {
                    "links" => found.links = oid,
                    _ => found.aliases = oid,
                }
                Ok(())
            })
        })?;
        Ok((found, unlike))
    }

    /// The names of the existing ones.
    pub fn names(self) -> Vec<&'static str> {
        NAMES.into_iter().zip([self.links, self.aliases]).filter_map(|(name, oid)| oid.map(|_| name)).collect()
    }

    /// Their OIDs.
    pub fn oids(self) -> Vec<u32> {
        [self.links, self.aliases].into_iter().flatten().collect()
    }

    /// Whether both exist.
    pub fn are_both(self) -> bool {
        self.links.is_some() && self.aliases.is_some()
    }
}

/// One of the tables, which the store must have (55000).
pub fn required(reader: &Reader<'_>, store: &Store, name: &StoreName, table: &'static str) -> Result<QualifiedName> {
    if TablesOfLinks::find(reader, &store.schema)?.names().contains(&table) {
        return Ok(store.relation(table));
    }
    let message = format!("store \"{name}\" has no table {table}: it was made by an older version");
    Err(Error::new(ErrorKind::WrongState, message).hint(format!(
        "SELECT fix FROM memory_doctor('{}') WHERE name = 'links'; has the statement that makes it.",
        name.replace('\'', "''")
    )))
}
