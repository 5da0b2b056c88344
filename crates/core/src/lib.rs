//! The engine of memory_search: everything between a request and a response that needs no
//! database. A request becomes a [`request::plan::Plan`]; candidates that the caller retrieved
//! become a ranking; the ranking becomes JSON.
//!
//! The crate knows no PostgreSQL, no clock and no I/O: the time of a search and the caller's
//! interrupts are arguments. So its tests run in seconds and every rule can be compared with a
//! naive oracle.

#![forbid(unsafe_code)]

pub mod bounds_and_defaults;
pub mod entities;
pub mod entry_fields;
pub mod error;
pub mod filter;
pub mod ids;
pub mod interrupt;
pub mod json_fields;
pub mod json_scalars;
pub mod json_text;
pub mod learn;
pub mod output;
pub mod place;
pub mod rank;
pub mod request;
pub mod text;
pub mod timestamp;
pub mod vector;

pub use error::{Error, ErrorKind, Result};
pub use interrupt::Tick;
