//! The SQL functions, a file per topic. They take arguments apart and call the layer below; no SQL
//! stands here.

mod arguments;
mod bulk;
mod context;
mod doctor;
mod embed;
mod entities;
mod explain;
mod index_check;
mod lifecycle;
mod links;
mod overview;
mod privileges;
mod read;
mod recording;
mod search;
mod search_several;
mod store;
mod tool_spec;
mod transfer;
mod write;
