//! The source of the data that ranking needs of every row that counts: entries and contexts from their memory indexes
//! ([`memory_index`]) if these may be read, else from the rows of the relation ([`table`]), which the engine collects
//! ([`memory_search_core::rank::collector`]). The rows are the oracle: both give the same bytes.

mod candidates;
mod contexts;
mod corrected;
pub mod distance;
mod memory_index;
mod pass;
pub mod recent;
mod sharing;
mod table;

pub use candidates::candidates;
pub use pass::{FoundBySignals, LookFurther, Wanted};
