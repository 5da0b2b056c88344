//! Errors of the database, as a model and its user read them: the extension's message with its hint.

use std::error::Error as _;
use std::fmt;

use tokio_postgres::error::SqlState;

/// The reason why a statement gave no answer.
#[derive(Debug)]
pub enum DatabaseError {
    /// There is no connection; nothing was done.
    Unreachable(String),
    /// The server refused the statement; nothing was done.
    Refused(Box<Refusal>),
    /// The connection ended during the commit: it is not known whether the transaction was committed.
    Uncertain,
    /// The caller no longer wants an answer; the transaction is rolled back, unless its commit was sent before.
    Cancelled,
}

/// The server's error.
#[derive(Debug)]
pub struct Refusal {
    /// The SQLSTATE.
    pub code: String,
    /// The message.
    pub message: String,
    /// Further facts.
    pub detail: Option<String>,
    /// A hint what to do.
    pub hint: Option<String>,
}

impl DatabaseError {
    /// A refusal of this program, in the form of the server's.
    pub fn refused(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        DatabaseError::Refused(Box::new(Refusal {
            code: code.to_owned(),
            message: message.into(),
            detail: None,
            hint: Some(hint.into()),
        }))
    }

    /// A word for the log: never a text of the memory.
    pub fn code(&self) -> &str {
        match self {
            DatabaseError::Unreachable(_) => "unreachable",
            DatabaseError::Refused(refusal) => &refusal.code,
            DatabaseError::Uncertain => "uncertain",
            DatabaseError::Cancelled => "cancelled",
        }
    }

    /// Whether the connection is at fault, and another one may work.
    pub(crate) fn is_of_connection(&self) -> bool {
        matches!(self, DatabaseError::Unreachable(_))
    }
}

impl From<tokio_postgres::Error> for DatabaseError {
    fn from(error: tokio_postgres::Error) -> Self {
        let ends_connection = [&SqlState::ADMIN_SHUTDOWN, &SqlState::CRASH_SHUTDOWN, &SqlState::CANNOT_CONNECT_NOW];
        match error.as_db_error() {
            Some(said) if ends_connection.contains(&said.code()) => {
                DatabaseError::Unreachable(said.message().to_owned())
            }
            Some(said) => DatabaseError::Refused(Box::new(Refusal {
                code: said.code().code().to_owned(),
                message: said.message().to_owned(),
                detail: said.detail().map(str::to_owned),
                hint: said.hint().map(str::to_owned),
            })),
            // The source has the system's message; neither has the password.
            None => DatabaseError::Unreachable(match error.source() {
                Some(source) => format!("{error}: {source}"),
                None => error.to_string(),
            }),
        }
    }
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatabaseError::Unreachable(reason) => {
                write!(out, "The database cannot be reached: {reason}\nNothing was done. Try again later.")
            }
            DatabaseError::Uncertain => out.write_str(
                "The connection to the database ended while the change was being committed: it may have been made or \
                 not.\nHint: Look with memory_list before trying again.",
            ),
            DatabaseError::Cancelled => out.write_str(
                "The call was cancelled. Nothing was done, unless it had just been committed: then the change stays.",
            ),
            DatabaseError::Refused(refusal) => {
                out.write_str(&refusal.message)?;
                if let Some(detail) = &refusal.detail {
                    write!(out, "\nDetail: {detail}")?;
                }
                if let Some(hint) = &refusal.hint {
                    write!(out, "\nHint: {hint}")?;
                }
                write!(out, "\nSQLSTATE: {}", refusal.code)
            }
        }
    }
}

impl std::error::Error for DatabaseError {}
