//! Where a search reads what ranking needs of every row that counts: the pages of the search index, a query
//! over that index, or the rows of the table.

mod collector;
mod index_pages;
pub mod memory_scan;
pub mod recent;
