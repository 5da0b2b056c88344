//! The store that rows are copied into: an existing one, or a new one that fits their embeddings.

use std::rc::Rc;

use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::store::adopted::mapped_relation::{MappedColumn, MappedRelation};
use crate::store::definition::{self, Store, lost, vector_schema};
use crate::store::schema::create;

/// The caller's arguments about the store.
#[derive(Debug)]
pub struct Target {
    /// The text search configuration; English for a new store.
    pub language: Option<String>,
    /// The dimension of embeddings; for a new store, the dimension of the rows.
    pub dimensions: Option<i64>,
}

impl Target {
    /// The store, which matches the caller's arguments.
    pub fn find_or_make(&self, name: &StoreName, from: &MappedRelation, mapped: &[MappedColumn]) -> Result<Rc<Store>> {
        let find = || spi::with_catalogs_as_they_stand(|| spi::read(|reader| definition::store(reader, name)));
        let store = match find() {
            Ok(store) => {
                self.check(name, &store)?;
                store
            }
            Err(refusal) if is_to_be_made(name, &refusal)? => {
                let dimensions = match self.dimensions {
                    None => spi::read(|reader| dimensions_of_rows(reader, from, mapped))?,
                    given => given,
                };
                create::create_store(name, dimensions, self.language.as_deref().unwrap_or("english"), None)?;
                find()?
            }
            Err(refusal) => return Err(refusal),
        };
        store.require_own_entries("memory_import_table")?;
        Ok(store)
    }

    /// Refuses arguments that an existing store does not match (22023).
    fn check(&self, name: &StoreName, store: &Store) -> Result<()> {
        if let Some(given) = self.dimensions
            && store.embedding.dimensions.is_some_and(|own| i64::try_from(own) != Ok(given))
        {
            let own = store.embedding.dimensions.unwrap_or_default();
            return Err(Error::invalid(format!("dimensions is {given}, but store \"{name}\" has {own}"))
                .hint("Leave it out for a store that exists."));
        }
        let Some(given) = &self.language else { return Ok(()) };
        let is_same = spi::read(|reader| {
            let given = create::language_literal(reader, given)?;
            let statement = Statement::default().with(format!(
                "SELECT {given}::pg_catalog.regconfig OPERATOR(pg_catalog.=) '{}'::pg_catalog.regconfig",
                store.language
            ));
            reader.first(&statement, |row| Ok(row.boolean(1)))
        })?;
        if is_same.flatten() == Some(true) {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "language is \"{given}\", but store \"{name}\" has \"{}\"",
            store.language.trim_start_matches("pg_catalog.")
        ))
        .hint("Leave it out for a store that exists."))
    }
}

/// Whether nothing of the store exists.
fn is_to_be_made(name: &StoreName, refusal: &Error) -> Result<bool> {
    let is_missing = [ErrorKind::UndefinedObject, ErrorKind::UndefinedTable].contains(&refusal.kind);
    Ok(is_missing && spi::read(|reader| lost::find(reader, name))?.is_none())
}

/// The dimension of the first embedding; if there is none, the dimension of the column.
fn dimensions_of_rows(reader: &Reader<'_>, from: &MappedRelation, mapped: &[MappedColumn]) -> Result<Option<i64>> {
    let Some(embedding) = mapped.iter().find(|mapped| mapped.column.name == "embedding" && mapped.is_mapped) else {
        return Ok(None);
    };
    let statement = Statement::default().with(format!(
        "SELECT {}.vector_dims({expression})::pg_catalog.int8 FROM {} WHERE ({expression}) IS NOT NULL LIMIT 1",
        vector_schema(reader)?,
        from.name,
        expression = embedding.expression
    ));
    match reader.first(&statement, |row| row.required_integer(1))? {
        None => dimensions_of_column(reader, from, &embedding.expression),
        found => Ok(found),
    }
}

fn dimensions_of_column(reader: &Reader<'_>, from: &MappedRelation, column: &str) -> Result<Option<i64>> {
    let mut statement = Statement::default();
    let relation = statement.bind(Param::text(&from.name));
    let column = statement.bind(Param::text(column));
    let statement = statement.with(format!(
        "SELECT a.atttypmod::pg_catalog.int8 FROM pg_catalog.pg_attribute a \
         WHERE a.attrelid OPERATOR(pg_catalog.=) {relation}::pg_catalog.regclass \
           AND pg_catalog.quote_ident(a.attname) OPERATOR(pg_catalog.=) {column} \
           AND a.atttypmod OPERATOR(pg_catalog.>) 0"
    ));
    reader.first(&statement, |row| row.required_integer(1))
}
