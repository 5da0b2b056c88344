//! The engine of memory_search: everything between a request and a response that needs no
//! database. A request becomes a [`plan::Plan`]; candidates that the caller retrieved become a
//! ranking; the ranking becomes JSON.
//!
//! The crate knows no PostgreSQL, no clock and no I/O: the time of a search and the caller's
//! interrupts are arguments. So its tests run in seconds and every rule can be compared with a
//! naive oracle.

#![forbid(unsafe_code)]

pub mod adoption;
pub mod bm25;
pub mod boost;
pub mod dedup;
pub mod embedding;
pub mod error;
pub mod fields;
pub mod filters;
pub mod fusion;
pub mod ids;
pub mod index_page;
pub mod lexemes;
pub mod limits;
pub mod nearby;
pub mod options;
pub mod plan;
pub mod preset;
pub mod prompt;
pub mod query;
pub mod rank;
pub mod request;
pub mod rescoring;
pub mod response;
pub mod signs;
pub mod timestamp;
pub mod tool_spec;
pub mod tsvector;
pub mod word_finder;

/// Called now and then in loops that may be long: where a server looks for a cancel. It leaves by
/// unwinding when there is one.
pub type Tick<'a> = &'a dyn Fn();

pub use error::{Error, ErrorKind, Result};
