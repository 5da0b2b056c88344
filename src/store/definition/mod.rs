//! The definition of a store. There is no registry: a schema with the relations of a store is one. Everything about it
//! is read from their definitions ([`read`]) and kept until these change ([`cache`]).

pub mod adopted_index;
mod adopted_rows;
mod cache;
mod columns;
mod distribution;
mod find_memory_index;
pub mod key;
pub mod known_aliases;
mod lacking;
mod language;
pub mod lost;
pub mod memory_index;
pub mod own_policy;
mod pgvector;
pub mod placement;
mod read;
mod relations;
mod store;
pub mod tables_of_links;
mod words_from;

pub use adopted_rows::AdoptedRows;
pub use lacking::Lacks;
pub use memory_index::MemoryIndex;
pub use pgvector::schema as vector_schema;
pub use read::{damaged_or_whole, store, without_making};
pub use store::{EmbeddingColumn, IdTypes, Partition, ReadFrom, Store, StoreKind};
pub use tables_of_links::TablesOfLinks;
pub use words_from::WordsFrom;
