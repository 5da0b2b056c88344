//! The SQL functions, a file per topic. They take arguments apart and call the layer below; no SQL
//! stands here.

mod arguments;
mod context;
mod embed;
mod explain;
mod search;
mod store;
mod tool_spec;
mod write;
