//! Tables outside of stores. A store reads its entries from an adopted table. The rows of an imported table are copied
//! into a store.

pub mod adopt;
pub mod import_table;
mod mapped_relation;
