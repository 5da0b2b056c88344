//! The access method `memory_search`: the functions that the server calls to build, fill, read and vacuum a memory
//! index. The crate `memory-search-index` defines the index itself; this module connects it with buffers, the
//! write-ahead log and rows.
//!
//! An ERROR unwinds through these frames: the abort of the transaction releases locks and pins, and changes that were
//! being made are only in a copy.

mod build;
mod build_progress;
mod built_with;
mod check;
mod configuration;
mod cost;
mod definition;
mod embedding_code;
mod exact_distances;
mod handler;
mod insert;
mod kept_state;
mod maintenance_lock;
mod named_error;
mod open;
mod operator_class;
pub mod options;
pub mod options_of_partition;
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
