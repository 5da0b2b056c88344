//! Reading a blob, and changing bytes of it (marks).

use std::ops::Range;

use memory_search_core::error::out_of_memory;

use super::{BLOB_PAGE_BYTES, LENGTH_BYTES, PagedBytes, Part};
use crate::fault::{Fault, Outcome, damaged, damaged_content};
use crate::page::{self, HEADER_BYTES, Kind, NO_BLOCK, Page, u32_at, u64_at};
use crate::pages::{Change, Pages};

/// A blob to read from.
pub struct Blob<'p, P: Pages> {
    pages: &'p P,
    id: u64,
    length: u64,
    blocks: Vec<u32>,
    roots: Vec<u32>,
}

impl<'p, P: Pages> Blob<'p, P> {
    /// Reads the list of a blob's pages. [`Fault::Moved`] if the blob was freed meanwhile. A reader that then begins
    /// again and finds the same address has found damage: nothing points to a blob that is freed.
    pub fn open(pages: &'p P, root: u32, id: u64) -> Outcome<Blob<'p, P>> {
        let mut blob = Blob { pages, id, length: 0, blocks: Vec::new(), roots: Vec::new() };
        if root == NO_BLOCK {
            return Err(damaged_content("a reference to a part of it names no page"));
        }
        let mut next = root;
        while next != NO_BLOCK {
            pages.tick()?;
            let part = Part { block: next, kind: Kind::BlobRoot, id, position: blob.roots.len() as u32 };
            // A circle would come to a page of another position.
            next = pages.read(next, |page| blob.read_root(page, part))?;
            blob.roots.push(part.block);
        }
        match blob.length.div_ceil(BLOB_PAGE_BYTES as u64) == blob.blocks.len() as u64 {
            true => Ok(blob),
            false => Err(damaged(root, "it does not list as many pages as the length says")),
        }
    }

    fn read_root(&mut self, page: &Page, part: Part) -> Outcome<u32> {
        let special = part.special(page)?;
        let (lower, _) = page::bounds(page, part.block)?;
        let bytes = (lower - HEADER_BYTES).checked_sub(LENGTH_BYTES).filter(|bytes| bytes.is_multiple_of(4));
        let listed = bytes.ok_or_else(|| damaged(part.block, "its list is cut off"))? / 4;
        let length = u64_at(page, HEADER_BYTES);
        if part.position > 0 && length != self.length {
            return Err(damaged(part.block, "it gives another length than the first of its chain"));
        }
        self.length = length;
        self.blocks.try_reserve(listed).and(self.roots.try_reserve(1)).map_err(|_| Fault::Error(out_of_memory()))?;
        self.blocks.extend((0..listed).map(|index| u32_at(page, HEADER_BYTES + LENGTH_BYTES + 4 * index)));
        Ok(special.next)
    }

    /// Calls `change` with each of some pages, which ascend, and its bytes, to write over some of them. All of the pages
    /// are locked meanwhile, and change together. If it returns false for all of them, or an error, nothing changes.
    pub fn change_pages(
        &self,
        pages: &[u32],
        mut change: impl FnMut(u32, &mut [u8]) -> Outcome<bool>,
    ) -> Outcome<bool> {
        let mut changing = self.pages.change();
        let mut is_changed = false;
        for &page in pages {
            let part = self.part(page)?;
            let slot = changing.lock(part.block)?;
            let end = self.content_end(changing.page(slot), part)?;
            is_changed |= change(page, &mut changing.page_mut(slot)?[HEADER_BYTES..end])?;
        }
        if is_changed {
            changing.commit()?;
        }
        Ok(is_changed)
    }

    /// The number of pages for its bytes.
    pub fn pages(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// The number of its pages, including the pages of the list.
    pub fn all_pages(&self) -> u64 {
        (self.blocks.len() + self.roots.len()) as u64
    }

    /// All its pages, the list last.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        let part =
            |kind, id| move |(position, &block): (usize, &u32)| Part { block, kind, id, position: position as u32 };
        let listed = self.blocks.iter().enumerate().map(part(Kind::Blob, self.id));
        listed.chain(self.roots.iter().enumerate().map(part(Kind::BlobRoot, self.id)))
    }

    fn part(&self, page: u32) -> Outcome<Part> {
        match self.blocks.get(page as usize) {
            Some(&block) => Ok(Part { block, kind: Kind::Blob, id: self.id, position: page }),
            None => Err(damaged(self.roots[0], "it lists fewer pages than are read of it")),
        }
    }

    /// The end of the bytes on a page, which must be this blob's.
    fn content_end(&self, page: &Page, part: Part) -> Outcome<usize> {
        part.special(page)?;
        let (lower, _) = page::bounds(page, part.block)?;
        let before = u64::from(part.position) * BLOB_PAGE_BYTES as u64;
        match (lower - HEADER_BYTES) as u64 == self.length.saturating_sub(before).min(BLOB_PAGE_BYTES as u64) {
            true => Ok(lower),
            false => Err(damaged(part.block, "it does not hold as many bytes as the length of the whole says")),
        }
    }
}

impl<P: Pages> PagedBytes for Blob<'_, P> {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_page<T>(&self, page: u32, look: impl FnOnce(&[u8]) -> Outcome<T>) -> Outcome<T> {
        let part = self.part(page)?;
        self.pages.read(part.block, |bytes| look(&bytes[HEADER_BYTES..self.content_end(bytes, part)?]))
    }

    fn expect_page(&self, page: u32) {
        if let Some(&block) = self.blocks.get(page as usize) {
            self.pages.expect(block);
        }
    }

    fn prefetch(&self, page: u32, bytes: Range<usize>) {
        if let Some(&block) = self.blocks.get(page as usize) {
            self.pages.prefetch(block, HEADER_BYTES + bytes.start..HEADER_BYTES + bytes.end);
        }
    }

    fn tick(&self) -> Outcome<()> {
        self.pages.tick()
    }
}
