//! The input and the result of a check of a store.

use std::rc::Rc;

use memory_search_core::request::names::StoreName;

use crate::store::definition::Store;

/// The severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Everything is as it should be.
    Ok,
    /// Searches are right, but slower than they could be, or without some information.
    Warning,
    /// Something is broken.
    Error,
}

impl Status {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Warning => "warning",
            Status::Error => "error",
        }
    }
}

/// The result of one check.
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
    pub fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Check { name, status: Status::Ok, detail: detail.into(), fix: None }
    }

    pub fn warning(name: &'static str, detail: impl Into<String>, fix: impl Into<Option<String>>) -> Self {
        Check { name, status: Status::Warning, detail: detail.into(), fix: fix.into() }
    }

    pub fn error(name: &'static str, detail: impl Into<String>, fix: impl Into<Option<String>>) -> Self {
        Check { name, status: Status::Error, detail: detail.into(), fix: fix.into() }
    }
}

/// The store under examination.
pub struct Patient {
    pub name: StoreName,
    pub store: Rc<Store>,
    /// The OIDs of the tables with the rows of `entries`.
    pub tables: Vec<u32>,
    /// These tables, and the tables of contexts, access counts, links and aliases.
    pub all_tables: Vec<u32>,
    /// The names of relations of the store that are tables of another server.
    pub foreign: Vec<String>,
    /// The dimension of the vectors that the session's embedder makes, `None` without an embedder; or its error.
    pub embedder: std::result::Result<Option<usize>, String>,
}

/// The reason for which the definition of a foreign table is not checked.
pub const FOREIGN: &str = "not checked: it is a table of another server, where its indexes and constraints are";

impl Patient {
    /// Whether a relation of the store is a table of another server.
    pub fn is_foreign(&self, relation: &str) -> bool {
        self.foreign.iter().any(|name| name == relation)
    }

    /// Whether the session's embedder makes vectors that the store takes.
    pub fn has_fitting_embedder(&self) -> bool {
        matches!(self.embedder, Ok(Some(made)) if self.store.takes(made))
    }

    /// `store => '...'`, the last argument of a call in a fix.
    pub fn argument(&self) -> String {
        format!("store => '{}'", self.name.replace('\'', "''"))
    }
}
