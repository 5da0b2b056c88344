//! A search index in pages: the words, numbers, filters and embeddings of the rows of many memories, kept so that a
//! search of one memory reads little of it. A *memory* is the scope of a search, such as all rows of one user.
//!
//! The crate knows no server. It reads and changes pages through [`pages::Pages`], which the extension memory_search
//! makes of PostgreSQL's buffers and write-ahead log. [`memory_pages::MemoryPages`] has pages in memory.
//!
//! ```text
//! page 0            metapage: format, secret key of the hashes, root of the tree
//! tree              a B-link tree over (memory, row): of each memory a header, and the documents of its tail
//! blobs             bytes over many pages: sealed segments, and documents too long for a page of the tree
//! ```
//!
//! A *document* is the data of one row in the index: its place in the table, its numbers (times, importance), hashed
//! terms (the values that filters look up), hashed lexemes with their occurrences, and the codes of its embedding and
//! of the embeddings of its passages. New documents go to the *tail* of their memory, whose records a search reads one
//! by one. A long tail is *sealed* into a *segment*: columns, a dictionary of hashes, postings and codes, which never
//! change except for the mark that a document is dead.
//!
//! Each change of pages is one record of the write-ahead log, of at most four pages, and takes effect whole or not at
//! all. New blobs are written before anything points to them. Each page of a blob carries the blob's id: a reader that
//! comes to a page by an outdated address notices it, and begins again from the header ([`fault::Fault::Moved`]).
//!
//! # Where to begin
//!
//! | to | use |
//! |---|---|
//! | make an index | [`tree::create`], then [`meta::read`] for the key of its hashes |
//! | fill a new index with sorted rows | [`memory::bulk::Loader`] |
//! | add a row | [`memory::tail::insert`]; if it says so and [`memory::tail::is_long`], [`memory::sealing::seal`] |
//! | read a memory | [`memory::contents::Contents`]: its tail, and [`segment::Segment`]s with postings and columns |
//! | find the nearest by meaning | [`quantization::Nearest`], filled by `Contents::add_near` |
//! | filter | [`filter`], by conditions of the crate `memory-search-core` |
//! | remove rows | [`memory::vacuum::bulk_delete`], then `merge_segments` and `free_unlinked` there |
//! | prove an index | [`memory::check()`] |
//!
//! # Format
//!
//! Pages have [`page::PAGE_BYTES`] bytes and the layout that PostgreSQL gives every page. The first 24 bytes of a page
//! are in the machine's byte order, all else is little-endian. The metapage names [`meta::FORMAT_VERSION`]; another
//! version is refused, never guessed at. The index holds hashes and no texts: words and values of filters are hashed
//! with a secret key of 16 bytes by SipHash, in 64 bits, memories in 128. In a memory of a million words, two have the
//! same hash with a probability of 3 in 10^8, and without the key an attacker cannot look for such words. An embedding
//! becomes a code of 12 bytes and four bits a dimension, with its error bound; the exact vectors stay with the caller.
//!
//! # Guarantees
//!
//! - **Damage is an error.** Every operation ends without a panic, in a result or in an error of the kind
//!   [`fault::ErrorKind::IndexCorrupted`], with any bytes in the pages. Bytes have no checksum: a damage that leaves a
//!   page well-formed may give a wrong result.
//! - **A crash loses nothing that was committed**, if the pages make each change happen whole or not at all. Readers
//!   understand the state that an interrupted operation leaves, and the next operation completes it.
//! - **Readers and writers** may be many at once, if the pages lock each other out as [`pages`] describes. The caller
//!   lets only one of [`memory::sealing`] and [`memory::vacuum`] be at a memory.
//! - **Bounds**: [`quantization::MAX_DIMENSIONS`] dimensions, 128 number columns, 2^32 pages (32 TiB),
//!   2^32 documents a memory.
//! - **Arithmetic is the same on all machines**: codes and estimates do not depend on the processor's instructions.
//!
//! # What the caller does
//!
//! The index relies on the caller for facts that it cannot check: each document of an index has equally many numbers, a
//! row is put in once, and a memory is searched under the hash that it was filled under. Functions that take the number
//! of a document, a column or a group panic if there is none with that number, where their documentation names no other
//! result. [`document::Document::check`] describes the documents that are refused.

#![deny(missing_docs)]
// Only what computes with vectors of the processor may.
#![deny(unsafe_code)]

pub mod bitset;
pub mod blob;
pub mod document;
pub mod fault;
pub mod filter;
pub mod hashing;
pub mod memory;
pub mod memory_pages;
pub mod meta;
pub mod page;
pub mod pages;
pub mod place;
pub mod quantization;
pub mod seek;
pub mod segment;
pub mod tree;
mod varint;

// The examples of README.md are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
