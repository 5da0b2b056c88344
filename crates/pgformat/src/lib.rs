//! PostgreSQL's own byte formats, read without a server: `tsvector`, arrays in their binary form, and positions in the
//! write-ahead log. Every length and offset is checked, so damaged bytes give an error or `None`, and never a wrong
//! read.

#![forbid(unsafe_code)]

pub mod array_message;
pub mod lsn;
pub mod tsvector;
