//! The frame of every page: PostgreSQL's header, which has the bounds of free space, and at the end the kind of the
//! page. The server zeroes the bytes between `lower` and `upper` when it logs a page, so both must be right.
//!
//! ```text
//! 0        24                lower        upper            8160      8192
//! | header | grows upwards ... |   free   | ... downwards  | special |
//! ```
//!
//! The special space, little-endian: next block u32, position u32, owner u64, made at u64, unused u32, kind u16, magic
//! u16; its length is a multiple of 8, as MAXALIGN asks. The header is PageHeaderData of bufpage.h, in the machine's
//! byte order, unchanged since PostgreSQL 8.3.

use crate::fault::{Outcome, damaged};

/// Bytes of a page (BLCKSZ; another size is refused when an index is made).
pub const PAGE_BYTES: usize = 8192;
/// Bytes of PostgreSQL's header.
pub const HEADER_BYTES: usize = 24;
/// Bytes at the end.
pub const SPECIAL_BYTES: usize = 32;
/// The beginning of the special space.
pub const SPECIAL: usize = PAGE_BYTES - SPECIAL_BYTES;
/// Bytes between header and special space.
pub const CONTENT_BYTES: usize = SPECIAL - HEADER_BYTES;
/// No block (InvalidBlockNumber).
pub const NO_BLOCK: u32 = u32::MAX;

/// pd_lsn.
pub(crate) const LSN_BYTES: usize = 8;
const MAGIC: u16 = 0x4d53;
/// pd_pagesize_version: the size with layout version 4.
const SIZE_AND_VERSION: u16 = PAGE_BYTES as u16 | 4;

/// The bytes of a page.
pub type Page = [u8; PAGE_BYTES];

/// The purpose of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Kind {
    /// The metapage, block 0 ([`crate::meta`]).
    Meta = 1,
    /// A page of the tree with downlinks, of level 1 or above.
    Inner = 2,
    /// A page of the tree with records, of level 0.
    Leaf = 3,
    /// The list of a blob's pages.
    BlobRoot = 4,
    /// Bytes of a blob.
    Blob = 5,
    /// A page that belongs to nothing and may be given out again.
    Free = 6,
}

/// The special space of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Special {
    /// The purpose of the page.
    pub kind: Kind,
    /// The page to the right, or the next of a list; [`NO_BLOCK`] at the end.
    pub next: u32,
    /// The level of a page of the tree, from 0 for leaves; the number of a page within its blob.
    pub position: u32,
    /// The blob that it belongs to; for a free page the transaction by which it became free.
    pub owner: u64,
    /// For a page of a blob, the transaction that was the next to begin when the page was written. When all
    /// transactions before it have ended, the writer has ended too, and a blob without a link will never get one. Else
    /// 0.
    pub made_at: u64,
}

/// Whether nothing was ever written to it: a crash after the file grew leaves such pages.
pub fn is_new(page: &Page) -> bool {
    u16_at(page, 14) == 0
}

/// Makes it an empty page. The LSN of its last change stays: without it the server would log a full image of the page,
/// of which the log has one already.
pub fn init(page: &mut Page, special: Special) {
    page[LSN_BYTES..].fill(0);
    put_u16(page, 18, SIZE_AND_VERSION);
    put_u16(page, 16, SPECIAL as u16);
    set_bounds(page, HEADER_BYTES, SPECIAL);
    set_special(page, special);
}

/// Sets the bounds of free space, from `lower` up to `upper`.
pub fn set_bounds(page: &mut Page, lower: usize, upper: usize) {
    debug_assert!(HEADER_BYTES <= lower && lower <= upper && upper <= SPECIAL);
    put_u16(page, 12, lower as u16);
    put_u16(page, 14, upper as u16);
}

/// The beginning and the end of free space, checked to be within the page.
pub fn bounds(page: &Page, block: u32) -> Outcome<(usize, usize)> {
    let (lower, upper) = (usize::from(u16_at(page, 12)), usize::from(u16_at(page, 14)));
    match HEADER_BYTES <= lower && lower <= upper && upper <= SPECIAL {
        true => Ok((lower, upper)),
        false => Err(damaged(block, "its free space lies outside of it")),
    }
}

/// Writes the special space.
pub fn set_special(page: &mut Page, special: Special) {
    page[SPECIAL..SPECIAL + 4].copy_from_slice(&special.next.to_le_bytes());
    page[SPECIAL + 4..SPECIAL + 8].copy_from_slice(&special.position.to_le_bytes());
    page[SPECIAL + 8..SPECIAL + 16].copy_from_slice(&special.owner.to_le_bytes());
    page[SPECIAL + 16..SPECIAL + 24].copy_from_slice(&special.made_at.to_le_bytes());
    page[SPECIAL + 28..SPECIAL + 30].copy_from_slice(&(special.kind as u16).to_le_bytes());
    page[SPECIAL + 30..SPECIAL + 32].copy_from_slice(&MAGIC.to_le_bytes());
}

/// Reads the special space.
pub fn special(page: &Page, block: u32) -> Outcome<Special> {
    let magic = u16::from_le_bytes([page[SPECIAL + 30], page[SPECIAL + 31]]);
    let kind = match u16::from_le_bytes([page[SPECIAL + 28], page[SPECIAL + 29]]) {
        1 => Kind::Meta,
        2 => Kind::Inner,
        3 => Kind::Leaf,
        4 => Kind::BlobRoot,
        5 => Kind::Blob,
        6 => Kind::Free,
        _ => return Err(damaged(block, "it is of no known kind")),
    };
    if magic != MAGIC {
        return Err(damaged(block, "it belongs to another kind of index"));
    }
    Ok(Special {
        kind,
        next: u32_at(page, SPECIAL),
        position: u32_at(page, SPECIAL + 4),
        owner: u64_at(page, SPECIAL + 8),
        made_at: u64_at(page, SPECIAL + 16),
    })
}

/// The special space of a page that must be of a kind.
pub fn expect(page: &Page, block: u32, kind: Kind) -> Outcome<Special> {
    if is_new(page) {
        return Err(damaged(block, "it is empty"));
    }
    let special = special(page, block)?;
    match special.kind == kind {
        true => Ok(special),
        false => Err(damaged(block, "its kind differs from the kind that the reference to it names")),
    }
}

/// Four bytes of the content, little-endian.
pub(crate) fn u32_at(page: &Page, at: usize) -> u32 {
    u32::from_le_bytes([page[at], page[at + 1], page[at + 2], page[at + 3]])
}

/// Eight bytes of the content, little-endian.
pub(crate) fn u64_at(page: &Page, at: usize) -> u64 {
    u64::from(u32_at(page, at)) | u64::from(u32_at(page, at + 4)) << 32
}

fn u16_at(page: &Page, at: usize) -> u16 {
    u16::from_ne_bytes([page[at], page[at + 1]])
}

fn put_u16(page: &mut Page, at: usize, value: u16) {
    page[at..at + 2].copy_from_slice(&value.to_ne_bytes());
}
