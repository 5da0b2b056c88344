//! What happens to entries, told by triggers of the store: kept as history, or sent to listeners. Both are switched on
//! by store; a store without them has no trigger. Table and functions belong
//! to the store's owner and to no extension, name nothing but `pg_catalog`, and run as whoever writes.

pub mod found;
pub mod functions;
pub mod history;
pub mod notify;
mod triggers;
