//! Where a search reads what ranking needs of every row that counts. A [`pass::Source`] delivers it: the
//! search index ([`search_index`]) or the rows of a table ([`table`]); which one is chosen in [`path`]. The
//! engine collects ([`memory_search_core::rank::collector`]), and what was chosen by estimates is rescored
//! ([`rescoring`]).

mod candidates;
mod corrected;
mod index_pages;
mod memory_index;
mod pass;
mod path;
pub mod recent;
mod rescoring;
mod search_index;
mod statement;
mod table;

pub use candidates::candidates;
pub use pass::Wanted;
