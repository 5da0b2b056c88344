//! A memory in the index: a header, a tail of documents, sealed segments; and the operations on it.

pub mod bulk;
pub mod check;
pub mod contents;
mod estimates;
pub mod header;
pub mod limits;
mod linking;
mod merging;
pub mod restart;
pub mod sealing;
pub mod tail;
pub mod tail_key;
pub mod vacuum;

#[cfg(test)]
mod tests;

pub use check::{Checked, check, for_each_document};
pub use limits::{LIMITS, Limits};
