//! The words of queries and documents.

pub mod document;
pub mod query_lexemes;
pub mod query_syntax;
pub mod word_finder;
