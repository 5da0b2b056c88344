//! What the index holds of one row, and its form in a record of the tail ([`record`]).

pub mod occurrences;
pub mod record;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
mod wanted;

pub use record::{DocumentView, encode};
pub use wanted::Wanted;

use memory_search_core::text::document::Occurrences;

use crate::place::Place;

/// What the index holds of one row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// Where the row lies.
    pub place: Place,
    /// The values of the number columns (times in microseconds, integers, floats by their bits), in the order of the
    /// index's definition. `None` is null.
    pub numbers: Vec<Option<i64>>,
    /// Distinct lexemes of the row: |d| of BM25; 0 where its words are null.
    pub length: u32,
    /// Hashes of what filters ask for, sorted, each once.
    pub terms: Vec<u64>,
    /// Hashes of the lexemes with their occurrences, sorted by hash.
    pub lexemes: Vec<(u64, Occurrences)>,
    /// The code of the embedding ([`crate::quantization`]), if it has one.
    pub code: Option<Vec<u8>>,
}
