//! The form of statements over a store's rows: memory by memory if the rows are in shards, and with locks that every
//! session takes in one order.

pub mod by_memory;
pub mod row_locks;
