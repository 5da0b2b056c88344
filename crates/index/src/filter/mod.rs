//! The documents that pass a condition, by the data of the index: numbers, and hashes of texts and tags.
//!
//! A text column that is not null gives its document two terms, [`Hashes::presence`](crate::hashing::Hashes::presence)
//! and [`Hashes::value`](crate::hashing::Hashes::value); a column of tags the presence and the value of each tag. A
//! condition reads the fields that a [`Layout`] knows. If the layout does not know all of them ([`Layout::knows`]), the
//! value is that of a row whose fields are null, and must not be taken for the row's.

mod layout;
mod over_segment;
#[cfg(test)]
mod tests;
mod weakening;

pub use layout::{DocumentRow, Layout, NumberForm};
pub use over_segment::{Verdicts, over_segment, terms_of_names};
