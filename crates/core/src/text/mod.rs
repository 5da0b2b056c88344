//! The words of queries and documents.

pub mod author;
pub mod demands;
pub mod document;
pub mod entity_key;
pub mod hit;
pub mod long_text;
pub mod made_words;
mod name;
mod name_words;
pub mod named_author;
pub mod named_period;
pub mod names_in_text;
mod ordinary_words;
pub mod passage;
pub mod phrase;
pub mod query_lexemes;
pub mod query_syntax;
pub mod typo;
pub mod word_finder;
