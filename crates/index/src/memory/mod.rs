//! What a memory is in the index: a header, a tail of documents, sealed segments; and what is done with it.

pub mod bulk;

pub mod contents;
pub mod header;
pub mod sealing;
pub mod tail;
pub mod vacuum;
