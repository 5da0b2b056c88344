//! The reasons for which an operation on an index ends early.

use std::fmt;

pub use memory_search_core::{Error, ErrorKind};

/// The reason for which an operation ended early.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// An address is outdated, because others rebuilt its target meanwhile: begin again.
    Moved,
    /// A refusal, or damage.
    Error(Error),
}

/// The result of an operation that reads or changes an index.
pub type Outcome<T> = std::result::Result<T, Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Error(error)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Moved => out.write_str("what was read lies elsewhere by now: begin again"),
            Fault::Error(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for Fault {}

/// A page has contents that no page of a sound index has (XX002). `what` describes them.
pub fn damaged(block: u32, what: &str) -> Fault {
    Fault::Error(
        Error::new(ErrorKind::IndexCorrupted, format!("page {block} of the memory index is damaged: {what}"))
            .hint("REINDEX INDEX CONCURRENTLY the index: it is rebuilt from the table, and no memory is lost."),
    )
}

/// The damage of bytes that do not know their page: a record of a document, a segment.
pub fn damaged_content(what: &str) -> Fault {
    Fault::Error(
        Error::new(ErrorKind::IndexCorrupted, format!("the memory index is damaged: {what}"))
            .hint("REINDEX INDEX CONCURRENTLY the index: it is rebuilt from the table, and no memory is lost."),
    )
}
