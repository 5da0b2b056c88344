//! Which rows of a heap a snapshot sees: by the visibility map where it says so of their block, else by the row.
//!
//! The map may be asked while a page of an index is locked on which the row's place stands, and then only: VACUUM takes
//! the place off that page before it gives the line pointer to another row, and marks no block as visible that holds a
//! dead one. The row itself may be asked at any time: what took its line pointer meanwhile is too new for a snapshot
//! that was there before.

use memory_search_index::page::PAGE_BYTES;
use memory_search_index::place::Place;
use pgrx::pg_sys;

use crate::pg::open_relation::OpenRelation;
use crate::pg::unwinding;

/// Bytes of a page's header (MAXALIGN(SizeOfPageHeaderData)).
const HEADER_BYTES: usize = 24;
/// Blocks of the table by a byte of the map: two bits each (visibilitymapdefs.h).
const BLOCKS_A_BYTE: u32 = 4;
/// Blocks of the table by a page of the map (visibilitymap.c, HEAPBLOCKS_PER_PAGE).
const BLOCKS_A_PAGE: u32 = (PAGE_BYTES - HEADER_BYTES) as u32 * BLOCKS_A_BYTE;
/// VISIBILITYMAP_ALL_VISIBLE, the lower of a block's two bits.
const ALL_VISIBLE: u8 = 1;

/// The visibility map of a table.
pub struct VisibilityMap<'a> {
    table: &'a OpenRelation,
    /// The page of the map that is pinned, or 0.
    buffer: pg_sys::Buffer,
    /// Its bits, and its number.
    bits: Option<(u32, *const u8)>,
}

impl Drop for VisibilityMap<'_> {
    fn drop(&mut self) {
        if self.buffer != 0 {
            // SAFETY: the server pinned it when it put it here, and takes back what it exchanges.
            unwinding::release(|| unsafe { pg_sys::ReleaseBuffer(self.buffer) });
        }
    }
}

impl<'a> VisibilityMap<'a> {
    /// The map of a heap.
    pub fn new(table: &'a OpenRelation) -> Self {
        VisibilityMap { table, buffer: 0, bits: None }
    }

    /// Whether every row of a block is visible to everybody.
    #[inline]
    pub fn is_visible_to_all(&mut self, block: u32) -> bool {
        match self.bits {
            Some((page, bits)) if page == block / BLOCKS_A_PAGE => {
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
        self.bits = None;
        // SAFETY: the table is open; the buffer is 0 or the one that the call pinned before, which it exchanges. Pinned,
        // the page is that of the block.
        unsafe {
            let status = pg_sys::visibilitymap_get_status(self.table.raw(), block, &mut self.buffer);
            if self.buffer != 0 {
                let page = pg_sys::BufferGetPage(self.buffer).cast::<u8>().cast_const();
                self.bits = Some((block / BLOCKS_A_PAGE, page.add(HEADER_BYTES)));
            }
            status & ALL_VISIBLE != 0
        }
    }
}

/// A page of the table that is pinned.
struct Pinned(pg_sys::Buffer);

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: pinned once by ReadBuffer, and released only here.
        unwinding::release(|| unsafe { pg_sys::ReleaseBuffer(self.0) });
    }
}

/// Rows of a heap as the active snapshot sees them.
pub struct SeenRows<'a> {
    table: &'a OpenRelation,
    snapshot: pg_sys::Snapshot,
    /// The page that was looked at last, and its block.
    page: Option<(u32, Pinned)>,
}

impl<'a> SeenRows<'a> {
    /// To the active snapshot, which a running statement has and keeps.
    pub fn in_active_snapshot(table: &'a OpenRelation) -> Self {
        // SAFETY: a statement is running, so a snapshot is active, and stays so while it runs.
        SeenRows { table, snapshot: unsafe { pg_sys::GetActiveSnapshot() }, page: None }
    }

    /// Where the version of a row lies that the snapshot sees; `None` without one.
    pub fn version(&mut self, place: Place) -> Option<Place> {
        // Given back before the next one is asked for: the server's call that exchanges them fails half done.
        self.page.take_if(|(block, _)| *block != place.block);
        let (_, page) = self.page.get_or_insert_with(|| {
            // SAFETY: the relation is open and has storage; gives a pinned buffer or an ERROR.
            (place.block, Pinned(unsafe { pg_sys::ReadBuffer(self.table.raw(), place.block) }))
        });
        let mut found = pg_sys::ItemPointerData {
            ip_blkid: pg_sys::BlockIdData { bi_hi: (place.block >> 16) as u16, bi_lo: place.block as u16 },
            ip_posid: place.offset,
        };
        // SAFETY: the table is a heap and open; the buffer is pinned, and locked while the row is looked for. An
        // ERROR leaves the lock to the abort. The tuple's header is filled and not used.
        unsafe {
            let mut tuple = pg_sys::HeapTupleData::default();
            pg_sys::LockBuffer(page.0, pg_sys::BUFFER_LOCK_SHARE as i32);
            let is_visible = pg_sys::heap_hot_search_buffer(
                &mut found,
                self.table.raw(),
                page.0,
                self.snapshot,
                &mut tuple,
                std::ptr::null_mut(),
                true,
            );
            pg_sys::LockBuffer(page.0, pg_sys::BUFFER_LOCK_UNLOCK as i32);
            is_visible.then_some(Place { block: place.block, offset: found.ip_posid })
        }
    }
}
