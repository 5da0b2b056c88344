//! The SQL functions, a file per topic. They take arguments apart and call the layer below; no SQL
//! stands here.

mod embed;
mod search;
mod store;
mod write;
