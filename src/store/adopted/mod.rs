//! Tables that are no store's: adopted, so that a store reads entries from them, or imported into a store.

pub mod adopt;
pub mod import_table;
mod mapped_relation;
