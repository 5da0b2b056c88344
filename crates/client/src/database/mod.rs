//! The database: connections, and statements within the fixed bounds of a call. It knows no protocol of clients.

pub mod connections;
pub mod error;
pub mod own_server;
pub mod reading;
pub mod scope;
pub mod statement;
pub mod transaction;

mod running;
