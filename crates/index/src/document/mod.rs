//! A document, the data of one row in the index, and its form in a record of the tail ([`record`]).

pub mod occurrences;
pub mod record;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
mod wanted;

pub use record::{Codes, DocumentView, encode};
pub use wanted::Wanted;

pub use memory_search_core::text::document::Occurrences;

use crate::fault::{Error, ErrorKind, Fault, Outcome};
use crate::place::Place;

/// The data of one row in the index. The caller sorts hashes, and gives all documents of an index equally many numbers.
/// [`crate::memory::tail::insert`] and [`crate::memory::bulk::Loader::add`] refuse the same documents as
/// [`Document::check`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// The place of the row; its `offset` is 1 or greater.
    pub place: Place,
    /// The values of the number columns (times in microseconds, integers, floats by their bits), in the order of the
    /// index's definition: of each document of an index equally many. `None` is null.
    pub numbers: Vec<Option<i64>>,
    /// Distinct lexemes of the row: |d| of BM25; 0 if its words are null.
    pub length: u32,
    /// Hashes of the values that filters look up, sorted, each once.
    pub terms: Vec<u64>,
    /// Hashes of the lexemes with their occurrences, sorted by hash.
    pub lexemes: Vec<(u64, Occurrences)>,
    /// The codes of its embedding and of its passages ([`crate::quantization`]), in no order; empty if it has none.
    pub codes: Vec<Vec<u8>>,
}

impl Document {
    /// Refuses a document that no index can hold: a place without a row would be taken for the header of its memory,
    /// and unsorted hashes would not be found.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if the offset of its place is 0, or if terms or lexemes do not ascend.
    pub fn check(&self) -> Outcome<()> {
        let refuse = |message: String| Err(Fault::Error(Error::new(ErrorKind::InvalidArgument, message)));
        if !self.place.is_row() {
            return refuse(format!("the place of a document has the offset 0 in block {}", self.place.block));
        }
        if !self.terms.is_sorted_by(|one, next| one < next) {
            return refuse("the terms of a document are not sorted, each once".to_owned());
        }
        if !self.lexemes.is_sorted_by(|(one, _), (next, _)| one < next) {
            return refuse("the lexemes of a document are not sorted by their hashes, each once".to_owned());
        }
        Ok(())
    }
}
