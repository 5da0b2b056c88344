//! A PostgreSQL of this program's own: its files come with the Python package, and its data are in a folder of the
//! user. A command without a database uses it: it starts the server, and the last one to end stops it again.

mod backup;
mod configuration;
mod data_folder;
mod installation;
mod lease;
mod programs;
mod server;
mod stores;
mod upgrade;

pub mod commands;

pub use lease::Lease;

/// An error of this module: one sentence, followed by a hint if there is something to do.
pub(crate) fn with_hint(message: impl std::fmt::Display, hint: impl std::fmt::Display) -> String {
    format!("{message}\nHint: {hint}")
}
