//! The base of the program `memory-search`, which is a client of databases with memories: connections, and statements
//! within the fixed bounds of a call ([`database`]); a listener for clients of the program and its token, signals and the log. It
//! knows no tool, no page and no command line.

#![forbid(unsafe_code)]

pub mod bearer;
pub mod database;
pub mod listening;
pub mod log;
pub mod stopping;
pub mod this_machine;
