//! The access method `memory_search`: what the server calls to build, fill, read and vacuum a memory index. What an
//! index is, is in the crate `memory-search-index`; here it meets buffers, the write-ahead log and rows.
//!
//! An ERROR unwinds through these frames: what is held is released by the abort, and what was being changed is a copy.

mod build;
mod build_progress;
mod check;
mod configuration;
mod cost;
mod definition;
mod embedding_code;
mod handler;
mod insert;
mod kept_state;
mod maintenance_lock;
mod open;
mod operator_class;
pub mod options;
mod pinned_pages;
mod relation_pages;
mod row;
mod scan;
mod sorted_rows;
mod state;
mod table_access;
mod taken_page;
mod vacuum;

pub use check::prove;
pub use open::Index;
pub use pinned_pages::PinnedPages;
pub use relation_pages::RelationPages;
