//! A row that a call adds to the entries of a memory.

use memory_search_core::request::entry_rows::EntryRow;
use memory_search_core::timestamp::Micros;

use crate::store::writing::stored_embedding::Embedded;

/// An entry with the values that are stored with it.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct NewRow {
    pub entry: EntryRow,
    pub embedding: Option<Embedded>,
    pub past: Past,
}

/// The past of an entry.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Past {
    pub deletion_scheduled_time: Option<Micros>,
    pub superseded_by: Option<String>,
    pub superseded_time: Option<Micros>,
    /// The entry keeps its time of expiry; its time to live does not start again.
    pub keeps_expiry: bool,
}
