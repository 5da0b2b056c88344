//! Pages of relations, read without the executor.

use memory_search_pgformat::index_tuple::Tid;
use pgrx::pg_sys;

use crate::pg::open_relation::OpenRelation;
use crate::pg::unwinding;

const PAGE_BYTES: usize = pg_sys::BLCKSZ as usize;
/// `visibilitymap_get_status`: every row of a block is visible to everybody.
const ALL_VISIBLE: u8 = 1;

/// A buffer that is pinned.
pub struct Pinned(pg_sys::Buffer);

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: pinned once by ReadBuffer, and released only here.
        unwinding::release(|| unsafe { pg_sys::ReleaseBuffer(self.0) });
    }
}

impl Pinned {
    fn read(relation: &OpenRelation, block: u32) -> Pinned {
        // SAFETY: the relation is open and has storage; gives a pinned buffer or an ERROR.
        Pinned(unsafe { pg_sys::ReadBuffer(relation.raw(), block) })
    }
}

/// A page's bytes, aligned as in a buffer: the server's functions read values in it.
#[repr(align(8))]
pub struct PageCopy([u8; PAGE_BYTES]);

impl PageCopy {
    /// A page of zeros, to copy others into.
    pub fn new() -> Box<PageCopy> {
        Box::new(PageCopy([0; PAGE_BYTES]))
    }

    /// The page.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Copies a page into this one; its buffer stays pinned.
    pub fn read(&mut self, relation: &OpenRelation, block: u32) -> Pinned {
        let pin = Pinned::read(relation, block);
        // SAFETY: the buffer is pinned. Its page has PAGE_BYTES bytes, which do not change while it is locked.
        unsafe {
            pg_sys::LockBuffer(pin.0, pg_sys::BUFFER_LOCK_SHARE as i32);
            let page = pg_sys::BufferGetPage(pin.0).cast::<u8>();
            std::ptr::copy_nonoverlapping(page, self.0.as_mut_ptr(), PAGE_BYTES);
            pg_sys::LockBuffer(pin.0, pg_sys::BUFFER_LOCK_UNLOCK as i32);
        }
        pin
    }
}

/// A page of the visibility map that may be pinned: 0 or a buffer, which `visibilitymap_get_status` exchanges.
struct MapPage(pg_sys::Buffer);

impl Drop for MapPage {
    fn drop(&mut self) {
        if self.0 != 0 {
            // SAFETY: the server pinned it when it put it here, and takes back what it exchanges.
            unwinding::release(|| unsafe { pg_sys::ReleaseBuffer(self.0) });
        }
    }
}

/// Whether rows of a heap are visible: by the visibility map where it says so of their block, else by the row.
pub struct Visibility<'a> {
    table: &'a OpenRelation,
    snapshot: pg_sys::Snapshot,
    /// The page of the map that was looked at last.
    map: MapPage,
    /// The page of the table that was looked at last, and its block.
    rows: Option<(u32, Pinned)>,
}

impl<'a> Visibility<'a> {
    /// To the active snapshot, which a running statement has and keeps. The table is a heap.
    pub fn in_active_snapshot(table: &'a OpenRelation) -> Self {
        // SAFETY: a statement is running, so a snapshot is active, and stays so while it runs.
        let snapshot = unsafe { pg_sys::GetActiveSnapshot() };
        Visibility { table, snapshot, map: MapPage(0), rows: None }
    }

    /// Where the version of the row is that the snapshot sees; `None` without one.
    pub fn visible(&mut self, tid: Tid) -> Option<Tid> {
        // Asked anew for each row, after its index page was copied: a row that is inserted into the same block
        // clears the mark before its tuple is in the index, so what was read for an earlier page says nothing.
        // SAFETY: the table is open; the buffer is 0 or the one that the call pinned before, which it releases,
        // and forgets here, before it reads another.
        let status = unsafe { pg_sys::visibilitymap_get_status(self.table.raw(), tid.block, &mut self.map.0) };
        if status & ALL_VISIBLE != 0 { Some(tid) } else { self.by_row(tid) }
    }

    fn by_row(&mut self, tid: Tid) -> Option<Tid> {
        // Given back before the next one is asked for: the server's call that exchanges them fails half done.
        self.rows.take_if(|(block, _)| *block != tid.block);
        let (_, page) = self.rows.get_or_insert_with(|| (tid.block, Pinned::read(self.table, tid.block)));
        let mut found = pg_sys::ItemPointerData {
            ip_blkid: pg_sys::BlockIdData { bi_hi: (tid.block >> 16) as u16, bi_lo: tid.block as u16 },
            ip_posid: tid.offset,
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
            is_visible.then_some(Tid { block: tid.block, offset: found.ip_posid })
        }
    }
}
