//! Changes of entries, recorded by triggers of the store as history, or sent to listeners. Each is switched on for a
//! store; a store without them has no trigger. Table and functions belong to the store's owner and to no extension,
//! refer only to `pg_catalog`, and run with the privileges of the writer.

pub mod found;
pub mod functions;
pub mod history;
pub mod notify;
mod triggers;
