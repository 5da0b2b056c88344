//! Where a row lies in its table.

pub use memory_search_core::place::{PLACE_BYTES, Place};
