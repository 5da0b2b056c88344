//! What a check of a store looks at, and what it gives.

use std::rc::Rc;

use memory_search_core::request::names::StoreName;

use crate::store::definition::Store;

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
    /// The OIDs of the tables whose rows `entries` shows.
    pub tables: Vec<u32>,
    /// The same with contexts, access counts, links and aliases.
    pub all_tables: Vec<u32>,
}

impl Patient {
    /// `store => '...'`, to end a call in a fix.
    pub fn argument(&self) -> String {
        format!("store => '{}'", self.name.replace('\'', "''"))
    }
}
