//! Health checks of a store, with the SQL that would repair what they find. They only look.

mod indexes;
mod older;
mod recall;
mod rows;
mod settings;

use std::rc::Rc;

use memory_search_core::Result;

use crate::pg::spi::{self, Reader, Writer};
use crate::store::definition::{self, Store};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// As it should be.
    Ok,
    /// Searches are right, but slower, or know less than they could.
    Warning,
    /// Something is broken.
    Error,
}

impl Status {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Warning => "warning",
            Status::Error => "error",
        }
    }
}

/// What one check found.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Check {
    pub name: &'static str,
    pub status: Status,
    pub detail: String,
    /// SQL that would repair it.
    pub fix: Option<String>,
}

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Check { name, status: Status::Ok, detail: detail.into(), fix: None }
    }

    fn warning(name: &'static str, detail: impl Into<String>, fix: impl Into<Option<String>>) -> Self {
        Check { name, status: Status::Warning, detail: detail.into(), fix: fix.into() }
    }

    fn error(name: &'static str, detail: impl Into<String>, fix: impl Into<Option<String>>) -> Self {
        Check { name, status: Status::Error, detail: detail.into(), fix: fix.into() }
    }
}

/// The store under examination.
struct Patient {
    name: String,
    store: Rc<Store>,
    /// The OIDs of the tables whose rows `entries` shows.
    tables: Vec<u32>,
    /// The same with contexts and access counts.
    all_tables: Vec<u32>,
}

impl Patient {
    /// `store => '...'`, to end a call in a fix.
    fn argument(&self) -> String {
        format!("store => '{}'", self.name.replace('\'', "''"))
    }
}

/// Examines a store: a row a check, always the same checks in the same order.
pub fn examine(store_name: &str) -> Result<Vec<Check>> {
    let patient = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        let tables = settings::tables_of_entries(reader, &store)?;
        let all_tables = settings::all_tables(reader, &store)?;
        Ok(Patient { name: store_name.to_owned(), store, tables, all_tables })
    })?;
    let mut checks = Vec::new();
    let is_bound = spi::read(|reader| settings::is_bound(reader, &patient))?;
    // EXPLAIN counts as writing to SPI, although it is none.
    spi::write(|writer: &mut Writer<'_>| {
        checks.extend(indexes::examine(writer, &patient, is_bound)?);
        Ok(())
    })?;
    spi::read(|reader: &Reader<'_>| {
        checks.extend(settings::examine(reader, &patient)?);
        checks.extend(older::examine(reader, &patient)?);
        checks.extend(rows::examine(reader, &patient, is_bound)?);
        Ok(())
    })?;
    spi::write(|writer| {
        checks.push(recall::of_searches(writer, &patient)?);
        checks.push(recall::of_vector_index(writer, &patient)?);
        Ok(())
    })?;
    Ok(checks)
}
