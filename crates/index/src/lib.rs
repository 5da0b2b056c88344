//! The memory index: what a search needs of every row of a memory, kept so that a search reads little of it.
//!
//! The crate knows no server. It reads and changes pages through [`pages::Pages`], which `src/index` of the extension
//! makes of the server's buffers and write-ahead log, and the tests of memory, with crashes at every record.
//!
//! ```text
//! page 0            metapage: format, secret key of the hashes, root of the tree
//! tree              a B-link tree over (memory, row): of each memory a header, and the documents of its tail
//! blobs             bytes over many pages: sealed segments, and documents too long for a page of the tree
//! ```
//!
//! A *document* is what the index holds of one row: its place in the table, its numbers (times, importance), hashed
//! terms (what filters ask for), hashed lexemes with their occurrences, and the code of its embedding. New documents
//! go to the *tail* of their memory, whose records a search reads one by one. A long tail is *sealed* into a *segment*:
//! columns, a dictionary of hashes, postings and codes, which never change but for the mark that a document is dead.
//!
//! Each change of pages is one record of the write-ahead log, of at most four pages, and takes effect whole or not at
//! all. New blobs are written before anything points to them. Each page of a blob carries the blob's id: who comes to a
//! page by an address that has become stale notices it, and begins again from the header ([`fault::Fault::Moved`]).

// Only what computes with vectors of the processor may.
#![deny(unsafe_code)]

pub mod bitset;
pub mod blob;
pub mod document;
pub mod fault;
pub mod filter;
pub mod hashing;
pub mod memory;
#[cfg(test)]
mod memory_pages;
pub mod meta;
pub mod page;
pub mod pages;
pub mod place;
pub mod quantization;
pub mod seek;
pub mod segment;
pub mod tree;
pub mod varint;
