//! The definition of a store. There is no registry: a schema with the relations of a store is one. Everything about it
//! is read from their definitions ([`read`]) and kept until these change ([`cache`]).

pub mod adopted_index;
mod adopted_rows;
mod cache;
mod distribution;
pub mod key;
pub mod known_aliases;
pub mod lost;
pub mod memory_index;
pub mod own_policy;
pub mod placement;
mod read;
mod store;
pub mod tables_of_links;
mod words_from;

pub use adopted_rows::AdoptedRows;
pub use memory_index::MemoryIndex;
pub use read::{FIND_KEY, damaged_or_whole, store, vector_schema};
pub use store::{EmbeddingColumn, IdTypes, Lacks, Partition, ReadFrom, Store, StoreKind};
pub use tables_of_links::TablesOfLinks;
pub use words_from::WordsFrom;
