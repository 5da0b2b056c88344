//! The tail of a memory: documents as records of the tree, in the order of their keys ([`super::tail_key`]).
//!
//! A record begins with a byte that tells where the document is: within the record or, if it is too long for a page, in a
//! blob of its own, whose id u64, root u32 and length u32 then follow.

use super::limits::LIMITS;
use super::tail_key::{key_of, place_of};
use crate::blob::{self, Blob, PagedBytes};
use crate::document::{Document, encode};
use crate::fault::{Outcome, damaged};
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::place::Place;
use crate::tree::{Key, LeafView, MAX_RECORD, Tree, Walk};

/// One insert in so many checks the length of the tail.
const LOOK_EVERY: u32 = 64;

const WITHIN: u8 = 0;
const OUTSIDE: u8 = 1;
const OUTSIDE_BYTES: usize = 17;

/// A document in a blob of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outside {
    /// The id of the blob.
    pub id: u64,
    /// Its root.
    pub root: u32,
    /// Bytes of the document.
    pub length: u32,
}

/// A record of the tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record<'a> {
    /// The document's bytes.
    Within(&'a [u8]),
    /// The address of bytes that are too long for a page.
    Outside(Outside),
}

impl<'a> Record<'a> {
    /// Reads a record of page `block`.
    pub fn read(bytes: &'a [u8], block: u32) -> Outcome<Record<'a>> {
        match bytes.split_first() {
            Some((&WITHIN, document)) => Ok(Record::Within(document)),
            Some((&OUTSIDE, rest)) if rest.len() == OUTSIDE_BYTES - 1 => {
                let u32_at = |at: usize| u32::from_le_bytes([rest[at], rest[at + 1], rest[at + 2], rest[at + 3]]);
                let id = u64::from(u32_at(0)) | u64::from(u32_at(4)) << 32;
                Ok(Record::Outside(Outside { id, root: u32_at(8), length: u32_at(12) }))
            }
            _ => Err(damaged(block, "the record of a document cannot be read")),
        }
    }
}

/// The record of a document; one that is too long for a page is written as a blob first.
pub fn record(pages: &impl Pages, document: &Document) -> Outcome<Vec<u8>> {
    let bytes = encode(document);
    if bytes.len() < MAX_RECORD {
        return Ok([&[WITHIN], &bytes[..]].concat());
    }
    let id = pages.fresh_id()?;
    let root = blob::write(pages, id, &bytes)?;
    let mut record = vec![OUTSIDE];
    record.extend_from_slice(&id.to_le_bytes());
    record.extend_from_slice(&root.to_le_bytes());
    record.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    Ok(record)
}

/// The bytes of a document in a blob of its own.
pub fn read_outside(pages: &impl Pages, outside: Outside, into: &mut Vec<u8>) -> Outcome<()> {
    let blob = Blob::open(pages, outside.root, outside.id)?;
    if blob.len() != u64::from(outside.length) {
        return Err(damaged(outside.root, "it is not as long as the record of its document says"));
    }
    for page in 0..blob.pages() {
        blob.read_page(page, |bytes| {
            into.try_reserve(bytes.len()).map_err(|_| memory_search_core::error::out_of_memory())?;
            into.extend_from_slice(bytes);
            Ok(())
        })?;
    }
    Ok(())
}

/// Adds a document to the tail of a memory; returns whether the caller should check the length of the tail
/// ([`is_long`]).
///
/// # Errors
/// Documents that [`Document::check`] refuses, errors of the pages, and damage.
pub fn insert(pages: &impl Pages, memory: MemoryHash, document: &Document) -> Outcome<bool> {
    document.check()?;
    let record = record(pages, document)?;
    let key = key_of(memory, document.place);
    let tree = Tree::open(pages)?;
    // If the place has a record already, its row is gone and the place belongs to the new row.
    tree.update(&key, |_| Ok(Some(&record)))?;
    let spread = (document.place.block ^ u32::from(document.place.offset) << 16).wrapping_mul(0x9e37_79b9);
    Ok(spread >> 16 & (LOOK_EVERY - 1) == 0)
}

/// Whether a tail should be sealed.
pub fn is_long(pages: &impl Pages, memory: MemoryHash) -> Outcome<bool> {
    let mut documents = 0;
    each(pages, memory, |_, _, _| {
        documents += 1;
        Ok(if documents < LIMITS.long_tail { Walk::Go } else { Walk::Stop })
    })?;
    Ok(documents >= LIMITS.long_tail)
}

/// Calls `each` with the place, the record and the block of every document of a tail, while the page is held.
pub fn each<P: Pages>(
    pages: &P,
    memory: MemoryHash,
    mut each: impl FnMut(Place, &[u8], u32) -> Outcome<Walk>,
) -> Outcome<()> {
    Tree::open(pages)?.leaves(&Key::header(memory), |leaf| each_of_leaf(leaf, memory, &mut each))
}

fn each_of_leaf(
    leaf: &LeafView<'_>,
    memory: MemoryHash,
    each: &mut impl FnMut(Place, &[u8], u32) -> Outcome<Walk>,
) -> Outcome<Walk> {
    for entry in leaf.entries() {
        let (_, key, record) = entry?;
        if key.memory != memory || key.place.is_row() && each(place_of(&key), record, leaf.block())? == Walk::Stop {
            return Ok(Walk::Stop);
        }
    }
    Ok(Walk::Go)
}
