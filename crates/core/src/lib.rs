//! The engine of memory_search: everything between a request and a response that needs no
//! database. A request becomes a [`request::plan::Plan`]; candidates that the caller retrieved
//! become a ranking; the ranking becomes JSON.
//!
//! The crate knows no PostgreSQL, no clock and no I/O: the time of a search and the caller's
//! interrupts are arguments. So its tests run in seconds and every rule can be compared with a
//! naive oracle.

#![forbid(unsafe_code)]

pub mod error;
pub mod filter;
pub mod ids;
pub mod output;
pub mod rank;
pub mod request;
pub mod text;
pub mod timestamp;
pub mod vector;

/// Called now and then in loops that may be long: where a server looks for a cancel. It leaves by
/// unwinding when there is one.
pub type Tick<'a> = &'a dyn Fn();

pub use error::{Error, ErrorKind, Result};
