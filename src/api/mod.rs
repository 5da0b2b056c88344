//! The SQL functions, one file for each topic. They unpack arguments and call the layer below; they contain no SQL.

mod arguments;
mod bulk;
mod doctor;
mod embed;
mod entities;
mod explain;
mod index_check;
mod learn;
mod lifecycle;
mod links;
mod overview;
mod passages;
mod privileges;
mod prompt_context;
mod read;
mod recording;
mod search;
mod search_several;
mod store;
mod tool_spec;
mod transfer;
mod write;
