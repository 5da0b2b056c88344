//! Data for pages and figures: JSON from a statement in its own read-only transaction.

use std::sync::Arc;

use memory_search_core::error::{Error, shown};
use serde_json::Value;

use crate::database::connections::Connections;
use crate::database::error::{DatabaseError, Refusal};
use crate::database::scope::{Bounds, Caller};
use crate::database::statement::Statement;
use crate::database::transaction;

/// The database, with the privileges of the user who started the program; its copies share everything.
#[derive(Clone)]
pub struct Reading(Arc<Shared>);

struct Shared {
    connections: Connections,
    bounds: Bounds,
    caller: Caller,
}

impl Reading {
    /// A reading on behalf of `caller`.
    pub fn new(connections: Connections, bounds: Bounds, caller: Caller) -> Self {
        Reading(Arc::new(Shared { connections, bounds, caller }))
    }

    /// The only store that is read; `None` means all of them.
    pub fn only_store(&self) -> Option<&str> {
        self.0.caller.store.as_deref()
    }

    /// The result of a statement about a store; null if the object of the statement does not exist.
    pub async fn of_store(&self, store: &str, statement: &Statement) -> Result<Value, DatabaseError> {
        if let Some(only) = self.only_store().filter(|only| *only != store) {
            return Err(DatabaseError::refused(
                "42501",
                format!("store \"{}\" is not shown here: the program was started with --store {only}", shown(store)),
                "Start the program without --store, or with the wanted one.",
            ));
        }
        self.ask(&Caller { store: Some(store.to_owned()), ..self.0.caller.clone() }, statement).await
    }

    /// The result of a statement about the catalogs. It sees no rows of users, so that no policy has to bind them.
    pub async fn of_catalogs(&self, statement: &Statement) -> Result<Value, DatabaseError> {
        self.ask(&Caller { user: None, ..self.0.caller.clone() }, statement).await
    }

    async fn ask(&self, caller: &Caller, statement: &Statement) -> Result<Value, DatabaseError> {
        let answer = transaction::run(&self.0.connections, caller, &self.0.bounds, statement).await?;
        match answer {
            Some(text) => serde_json::from_str(&text).map_err(|error| {
                DatabaseError::refused(
                    "XX000",
                    format!("the answer of the database is no JSON: {error}"),
                    "Install this program and the extension in the same version. If they are, please report it.",
                )
            }),
            None => Ok(Value::Null),
        }
    }
}

impl From<Error> for DatabaseError {
    /// An error in an address is shown like a refusal of the database.
    fn from(error: Error) -> Self {
        DatabaseError::Refused(Box::new(Refusal {
            code: "22023".to_owned(),
            message: error.message,
            detail: error.detail,
            hint: error.hint,
        }))
    }
}
