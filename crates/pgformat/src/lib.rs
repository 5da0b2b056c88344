//! PostgreSQL's own byte formats, read without a server: `tsvector` and `tsquery`. Every length and offset is
//! checked, so bytes that are damaged give an error or `None`, and never a wrong read.

#![forbid(unsafe_code)]

pub mod tsquery;
pub mod tsvector;
