//! The place of a row in its table.

pub use memory_search_core::place::{PLACE_BYTES, Place};
