//! The visibility map of a heap: which of its blocks hold rows only that everybody sees.
//!
//! It may be asked while a page of an index is locked on which the row's place stands, and then only: VACUUM takes the
//! place off that page before it gives the line pointer to another row, and marks no block as visible that holds a dead
//! one. Of other blocks the rows are asked (`seen_rows`).

use memory_search_index::page::PAGE_BYTES;
use pgrx::pg_sys;

use crate::pg::open_relation::OpenRelation;
use crate::pg::unwinding;

/// Bytes of a page's header (MAXALIGN(SizeOfPageHeaderData)).
const HEADER_BYTES: usize = 24;
/// Blocks of the table by a byte of the map: two bits each (visibilitymapdefs.h).
const BLOCKS_A_BYTE: u32 = 4;
/// Blocks of the table by a page of the map (visibilitymap.c, HEAPBLOCKS_PER_PAGE).
const BLOCKS_A_PAGE: u32 = (PAGE_BYTES - HEADER_BYTES) as u32 * BLOCKS_A_BYTE;
/// Pages of the map that are pinned at once: those of 4 GB of a table.
const PINNED_PAGES: usize = 16;
/// VISIBILITYMAP_ALL_VISIBLE, the lower of a block's two bits.
const ALL_VISIBLE: u8 = 1;

/// The visibility map of a table.
pub struct VisibilityMap<'a> {
    table: &'a OpenRelation,
    /// Pages of the map that are pinned, each at the place that its number says: documents in the order of time go to and
    /// fro between the pages of a large table.
    pages: [Pinned; PINNED_PAGES],
}

/// A page of the map.
#[derive(Clone, Copy)]
struct Pinned {
    /// 0 before it is pinned.
    buffer: pg_sys::Buffer,
    /// Its number, and its bits.
    bits: Option<(u32, *const u8)>,
}

impl Drop for VisibilityMap<'_> {
    fn drop(&mut self) {
        for page in self.pages.iter().filter(|page| page.buffer != 0) {
            // SAFETY: the server pinned it when it put it here, and takes back what it exchanges.
            unwinding::release(|| unsafe { pg_sys::ReleaseBuffer(page.buffer) });
        }
    }
}

impl<'a> VisibilityMap<'a> {
    /// The map of a heap.
    pub fn new(table: &'a OpenRelation) -> Self {
        VisibilityMap { table, pages: [Pinned { buffer: 0, bits: None }; PINNED_PAGES] }
    }

    /// Whether every row of a block is visible to everybody.
    #[inline]
    pub fn is_visible_to_all(&mut self, block: u32) -> bool {
        let page = block / BLOCKS_A_PAGE;
        match self.pages[page as usize % PINNED_PAGES].bits {
            Some((pinned, bits)) if pinned == page => {
                let within = block % BLOCKS_A_PAGE;
                // SAFETY: the page is pinned, and the byte lies in it. Others may set and clear bits meanwhile, as when
                // the server's own function reads them.
                let byte = unsafe { bits.add((within / BLOCKS_A_BYTE) as usize).read_volatile() };
                byte >> (2 * (within % BLOCKS_A_BYTE)) & ALL_VISIBLE != 0
            }
            _ => self.ask(block),
        }
    }

    #[inline(never)]
    fn ask(&mut self, block: u32) -> bool {
        let page = &mut self.pages[(block / BLOCKS_A_PAGE) as usize % PINNED_PAGES];
        page.bits = None;
        // SAFETY: the table is open; the buffer is 0 or the one that the call pinned before, which it exchanges. Pinned,
        // the page is that of the block.
        unsafe {
            let status = pg_sys::visibilitymap_get_status(self.table.raw(), block, &mut page.buffer);
            if page.buffer != 0 {
                let bytes = pg_sys::BufferGetPage(page.buffer).cast::<u8>().cast_const();
                page.bits = Some((block / BLOCKS_A_PAGE, bytes.add(HEADER_BYTES)));
            }
            status & ALL_VISIBLE != 0
        }
    }
}
