//! One error type for every mistake of a caller. The extension maps [`ErrorKind`] to an SQLSTATE in one place; a person
//! reads the text in psql.

use std::fmt;

/// The sort of mistake, which decides the SQLSTATE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A value outside its range or of the wrong form (22023).
    InvalidArgument,
    /// A literal that cannot be read as its type (22P02).
    InvalidText,
    /// A binary message that is not of its type (22P03).
    InvalidBinary,
    /// NULL where a value is required (22004).
    NullArgument,
    /// A vector whose dimension does not fit the store's (22000, as pgvector reports it).
    DimensionMismatch,
    /// A program limit was exceeded (54000).
    LimitExceeded,
    /// The system gives no more memory (53200).
    OutOfMemory,
    /// A named object does not exist (42704).
    UndefinedObject,
    /// A named column does not exist (42703).
    UndefinedColumn,
    /// A store's relation does not exist (42P01).
    UndefinedTable,
    /// The object exists but is not in a state that allows the operation (55000).
    WrongState,
    /// Rows changed after the snapshot was taken: another try sees them (40001).
    ChangedMeanwhile,
    /// The object to create exists already (42710).
    DuplicateObject,
    /// A row to add exists already (23505).
    DuplicateRow,
    /// The caller may not do it, or had better not (42501).
    InsufficientPrivilege,
    /// An object of the wrong kind: a table where a store is meant (42809).
    WrongObjectType,
    /// A value of a type that cannot be used there (42804).
    WrongType,
    /// The operation is not supported (0A000).
    Unsupported,
    /// Stored bytes are not what their type promises (XX001).
    Corrupted,
    /// Pages of an index are not what they should be (XX002).
    IndexCorrupted,
    /// A bug of ours (XX000).
    Internal,
}

/// A refusal, with the information that a person needs to correct the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Decides the SQLSTATE.
    pub kind: ErrorKind,
    /// Names the argument and its value.
    pub message: String,
    /// Facts beyond the message, if there are any.
    pub detail: Option<String>,
    /// The remedy.
    pub hint: Option<String>,
}

/// The result of everything that can refuse.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of `kind` with its message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), detail: None, hint: None }
    }

    /// A value outside its range or of the wrong form (22023).
    pub fn invalid(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::InvalidArgument, message)
    }

    /// NULL given for `argument`, which needs a value (22004).
    pub fn null(argument: &str) -> Self {
        Error::new(ErrorKind::NullArgument, format!("{argument} must not be null"))
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds facts beyond the message.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// `value` cut to a length fit for a message, on a character boundary.
pub fn shown(value: &str) -> String {
    const SHOWN_CHARACTERS: usize = 60;
    match value.char_indices().nth(SHOWN_CHARACTERS) {
        None => value.to_owned(),
        Some((end, _)) => format!("{}...", &value[..end]),
    }
}

/// Refuses data that do not fit into memory (54000).
pub fn out_of_memory() -> Error {
    Error::new(ErrorKind::LimitExceeded, "too many entries match the query to rank them in memory")
        .hint("Narrow the search with filters, or split the memory.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_cut_between_characters() {
        let cut = shown(&"ü".repeat(100));
        assert_eq!(cut, format!("{}...", "ü".repeat(60)));
        assert_eq!(shown("short"), "short");
    }
}
