//! PostgreSQL's own byte formats, read without a server: `tsvector`, values of variable length, pages
//! and tuples of a B-tree. Every length and offset is checked, so bytes that are damaged give an error
//! or `None`, and never a wrong read.

#![forbid(unsafe_code)]

pub mod btree_page;
mod bytes;
pub mod entries_scan;
pub mod index_tuple;
pub mod tsquery;
pub mod tsvector;
pub mod varlena;
