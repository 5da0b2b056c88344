//! The base of the program `memory-search`, which is a client of databases with memories. It has:
//!
//! - connections, and statements within the fixed bounds of a call ([`database`])
//! - a listener for clients of the program ([`listening`]), and the token that they need ([`bearer`])
//! - signals to stop ([`stopping`]), and the log ([`log`])
//!
//! It knows no tool, no page and no command line.

#![forbid(unsafe_code)]

pub mod bearer;
pub mod database;
pub mod listening;
pub mod log;
pub mod stopping;
pub mod this_machine;
