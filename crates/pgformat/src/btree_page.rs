//! Reads a page of a PostgreSQL B-tree from its bytes (storage/bufpage.h, access/itup.h,
//! access/nbtree.h; version 4 of the index's format, which PostgreSQL 12 to 18 write). Integers are in
//! the machine's byte order; the bit fields are those of little-endian machines, so other machines must
//! not come here.
//!
//! Every offset is checked: bytes that are no such page give `None` and never a wrong read.

use crate::bytes::{u16_at, u32_at};
use crate::index_tuple::IndexTuple;

const LINE_POINTERS_START: usize = 24;
const LINE_POINTER_BYTES: usize = 4;
const IS_LEAF: u16 = 1;
/// A page that was deleted, or is about to be.
const IS_IGNORED: u16 = 4 | 16;
/// The first page says where the root is.
const MAGIC: u32 = 0x0005_3162;
const VERSION: u32 = 4;

/// A page.
#[derive(Debug, Clone, Copy)]
pub struct IndexPage<'a> {
    bytes: &'a [u8],
    line_pointers: &'a [u8],
    special: &'a [u8],
}

/// The root's block by the index's first page; 0 for an empty index. `None` when the index has another
/// format, or tuples that stand for several rows.
pub fn root(first_page: &[u8]) -> Option<u32> {
    let at = |offset: usize| u32_at(first_page, LINE_POINTERS_START + offset);
    let has_lists = *first_page.get(LINE_POINTERS_START + 40)? != 0;
    (at(0)? == MAGIC && at(4)? == VERSION && !has_lists).then(|| at(8)).flatten()
}

impl<'a> IndexPage<'a> {
    /// Checks the frame of a page.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let (lower, special) = (usize::from(u16_at(bytes, 12)?), usize::from(u16_at(bytes, 16)?));
        let (line_pointers, special) = (bytes.get(LINE_POINTERS_START..lower)?, bytes.get(special..)?);
        (special.len() >= 16).then_some(IndexPage { bytes, line_pointers, special })
    }

    /// The page to the right; `None` for the last one of its level.
    pub fn next(&self) -> Option<u32> {
        u32_at(self.special, 4).filter(|&block| block != 0)
    }

    /// Whether it holds rows.
    pub fn is_leaf(&self) -> bool {
        self.flags() & IS_LEAF != 0
    }

    /// Whether what it held has gone to the right.
    pub fn is_ignored(&self) -> bool {
        self.flags() & IS_IGNORED != 0
    }

    fn flags(&self) -> u16 {
        u16_at(self.special, 12).unwrap_or(IS_IGNORED)
    }

    /// The bound of its keys; `None` for the last page of a level.
    pub fn high_key(&self) -> Option<IndexTuple<'a>> {
        self.next().and_then(|_| self.tuple(0))
    }

    /// Its tuples, without the high key; `None` in the place of one that is damaged.
    #[inline]
    pub fn tuples(&self) -> impl Iterator<Item = Option<IndexTuple<'a>>> + use<'a> {
        let page = *self;
        let first = usize::from(page.next().is_some());
        (first..page.line_pointers.len() / LINE_POINTER_BYTES).map(move |index| page.tuple(index))
    }

    #[inline]
    fn tuple(&self, index: usize) -> Option<IndexTuple<'a>> {
        let line_pointer = u32_at(self.line_pointers, index * LINE_POINTER_BYTES)?;
        let (start, length) = ((line_pointer & 0x7fff) as usize, (line_pointer >> 17) as usize);
        self.bytes.get(start..start + length).and_then(IndexTuple::new)
    }
}

#[cfg(all(test, target_endian = "little"))]
mod tests {
    use super::*;

    const PAGE_BYTES: usize = 8192;

    #[test]
    fn only_the_format_that_is_known_has_a_root() {
        let mut page = vec![0; PAGE_BYTES];
        page[24..28].copy_from_slice(&MAGIC.to_ne_bytes());
        page[28..32].copy_from_slice(&VERSION.to_ne_bytes());
        page[32..36].copy_from_slice(&3u32.to_ne_bytes());
        assert_eq!(root(&page), Some(3));
        page[64] = 1;
        assert_eq!(root(&page), None, "tuples may stand for several rows");
        page[64] = 0;
        page[28] = 5;
        assert_eq!(root(&page), None, "another version");
    }
}
