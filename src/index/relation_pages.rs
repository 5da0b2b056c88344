//! The pages of an index in the server's buffers, changed by generic WAL records: replay does not need this library.
//!
//! Locks and pins are released by guards whose `Drop` follows [`unwinding::release`]: after an ERROR they leave this to
//! the abort, and an uncommitted change is a copy that nobody sees.

use std::cell::Cell;
use std::ops::Range;
use std::ptr::null_mut;
use std::rc::Rc;

use memory_search_core::{Error, ErrorKind};
use memory_search_index::fault::{Fault, Outcome, damaged};
use memory_search_index::page::{self, Kind, Page};
use memory_search_index::pages::{Change, PAGES_A_CHANGE, Pages, Root, Slot};
use pgrx::pg_sys;

use super::kept_state::State;
use super::named_error::{name_of, naming, without_restart};
use super::pinned_pages::{PageOf, PinnedPages};
use super::taken_page::Taken;
use crate::pg::{interrupt, recent_buffers, unwinding};

/// An index that is open and locked as long as this lives.
pub struct RelationPages {
    index: pg_sys::Relation,
    /// The table whose snapshots decide when a transaction is old enough to be forgotten; null for reading only.
    table: pg_sys::Relation,
    /// The number of blocks when it was last read, because reading it is a call to the operating system.
    blocks: Cell<u32>,
    /// Whether VACUUM reads them: at its pace, and by its strategy.
    is_vacuum: bool,
    /// The strategy by which VACUUM takes buffers; null for the normal way.
    strategy: pg_sys::BufferAccessStrategy,
    /// Whether others wait for the end of the current work: then VACUUM does not nap.
    is_hurried: Cell<bool>,
    /// Pages that stay pinned, perhaps together with those of other indexes.
    pinned: Rc<PinnedPages>,
}

impl RelationPages {
    /// # Safety
    /// Both relations must stay open and locked while this lives; `table` may be null.
    pub unsafe fn new(index: pg_sys::Relation, table: pg_sys::Relation) -> RelationPages {
        RelationPages {
            index,
            table,
            blocks: Cell::new(0),
            is_vacuum: false,
            strategy: null_mut(),
            is_hurried: Cell::new(false),
            pinned: Rc::new(PinnedPages::within_limit()),
        }
    }

    /// These pages for a caller that reads other indexes too: pages of all of them share one budget.
    pub fn with_pinned(self, pinned: &Rc<PinnedPages>) -> RelationPages {
        RelationPages { pinned: Rc::clone(pinned), ..self }
    }

    /// The same pages for VACUUM: read at its pace, and with its strategy, which is null for `BUFFER_USAGE_LIMIT 0`.
    ///
    /// # Safety
    /// The strategy must live as long.
    pub unsafe fn for_vacuum(self, strategy: pg_sys::BufferAccessStrategy) -> RelationPages {
        RelationPages { is_vacuum: true, strategy, pinned: Rc::new(PinnedPages::at_most(0)), ..self }
    }

    /// Suspends naps until the returned guard is dropped; they are made up for later.
    pub fn hurried(&self) -> Hurried<'_> {
        self.is_hurried.set(true);
        Hurried(self)
    }

    /// The error for a fault of this index in a case in which nothing can have moved.
    pub fn error_of(&self, fault: Fault) -> Error {
        naming(&self.name(), without_restart(fault))
    }

    /// The name of the index with its schema.
    pub fn name(&self) -> String {
        // SAFETY: the relation is open by the promise of `new`.
        unsafe { name_of(self.index) }
    }

    /// The index.
    pub fn index(&self) -> pg_sys::Relation {
        self.index
    }

    fn page_of(&self, block: u32) -> PageOf {
        // SAFETY: the relation is open.
        (unsafe { (*self.index).rd_id }, block)
    }

    fn pin(&self, block: u32) -> Outcome<Taken> {
        if block >= self.blocks.get() && block >= self.blocks()? {
            return Err(damaged(block, "it lies behind the index's end"));
        }
        // SAFETY: the relation is open by the promise of `new`; gives a pinned buffer or an ERROR.
        let buffer = unsafe {
            match self.is_vacuum {
                false => recent_buffers::read(self.index, block),
                true => pg_sys::ReadBufferExtended(
                    self.index,
                    pg_sys::ForkNumber::MAIN_FORKNUM,
                    block,
                    pg_sys::ReadBufferMode::RBM_NORMAL,
                    self.strategy,
                ),
            }
        };
        Ok(Taken::pinned(buffer))
    }
}

/// Suspends naps while it lives.
pub struct Hurried<'a>(&'a RelationPages);

impl Drop for Hurried<'_> {
    fn drop(&mut self) {
        self.0.is_hurried.set(false);
    }
}

impl Pages for RelationPages {
    type Change<'a> = PageChange<'a>;

    fn blocks(&self) -> Outcome<u32> {
        // SAFETY: the relation is open.
        let blocks = unsafe { pg_sys::RelationGetNumberOfBlocksInFork(self.index, pg_sys::ForkNumber::MAIN_FORKNUM) };
        self.blocks.set(blocks);
        Ok(blocks)
    }

    fn read<T>(&self, block: u32, look: impl FnOnce(&Page) -> Outcome<T>) -> Outcome<T> {
        self.pinned.look(self.page_of(block), || self.pin(block), look)
    }

    fn expect(&self, block: u32) {
        // A block after the end is reported as damage when it is read.
        if block < self.blocks.get()
            && let Ok(taken) = self.pin(block)
        {
            // The processor needs both ends of a page, whichever bytes between them are read.
            taken.prefetch(0..page::HEADER_BYTES);
            taken.prefetch(page::SPECIAL..page::PAGE_BYTES);
            self.pinned.expect(self.page_of(block), taken);
        }
    }

    fn prefetch(&self, block: u32, bytes: Range<usize>) {
        self.pinned.prefetch(self.page_of(block), bytes);
    }

    fn known_root(&self) -> Option<Root> {
        // SAFETY: the relation is open by the promise of `new`.
        unsafe { State::kept(self.index) }.map(|kept| kept.root)
    }

    fn note_root(&self, root: Root) {
        // SAFETY: as above.
        unsafe { State::note_root(self.index, root) }
    }

    fn change(&self) -> PageChange<'_> {
        PageChange { pages: self, taken: [const { None }; PAGES_A_CHANGE], count: 0, record: null_mut() }
    }

    fn note_free(&self, block: u32) -> Outcome<()> {
        // SAFETY: the relation is open; the map is a hint that need not be right.
        unsafe { pg_sys::RecordFreeIndexPage(self.index, block) };
        Ok(())
    }

    fn fresh_id(&self) -> Outcome<u64> {
        random_bytes().map(u64::from_ne_bytes).ok_or_else(|| no_random_numbers().into())
    }

    fn next_transaction(&self) -> u64 {
        // SAFETY: reads shared memory under its lock.
        unsafe { pg_sys::ReadNextFullTransactionId().value }
    }

    fn has_ended(&self, transaction: u64) -> bool {
        // SAFETY: the table is open, or null, which asks for all tables.
        unsafe { pg_sys::GlobalVisCheckRemovableFullXid(self.table, pg_sys::FullTransactionId { value: transaction }) }
    }

    fn tick(&self) -> Outcome<()> {
        match self.is_vacuum && !self.is_hurried.get() {
            false => interrupt::check(),
            // SAFETY: called by VACUUM, where no page is held; naps as vacuum_cost_delay says, and lets interrupts in.
            true => unsafe {
                #[cfg(feature = "pg18")]
                pg_sys::vacuum_delay_point(false);
                #[cfg(not(feature = "pg18"))]
                pg_sys::vacuum_delay_point();
            },
        }
        Ok(())
    }
}

/// The error if [`random_bytes`] returns none.
pub fn no_random_numbers() -> Error {
    Error::new(ErrorKind::Internal, "the server has no random numbers")
}

/// Unpredictable bytes; `None` if the server has none.
pub fn random_bytes<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    // SAFETY: writes N bytes.
    unsafe { pg_sys::pg_strong_random(bytes.as_mut_ptr().cast(), N) }.then_some(bytes)
}

/// A change of pages: one generic WAL record.
pub struct PageChange<'a> {
    pages: &'a RelationPages,
    taken: [Option<Taken>; PAGES_A_CHANGE],
    count: usize,
    /// The record; null until the first page is changed.
    record: *mut pg_sys::GenericXLogState,
}

impl Drop for PageChange<'_> {
    fn drop(&mut self) {
        if !self.record.is_null() {
            // SAFETY: begun by GenericXLogStart and not finished.
            unwinding::release(|| unsafe { pg_sys::GenericXLogAbort(self.record) });
        }
    }
}

impl PageChange<'_> {
    fn keep(&mut self, taken: Taken) -> Outcome<Slot> {
        let slot = self.count;
        match self.taken.get_mut(slot) {
            Some(place) => *place = Some(taken),
            None => return Err(damaged(0, "a change of more pages than a record takes")),
        }
        self.count += 1;
        Ok(Slot(slot))
    }

    fn taken(&self, slot: Slot) -> &Taken {
        self.taken[slot.0].as_ref().expect("a page that was taken and not given up")
    }

    /// A page from the free space map, if it has one.
    fn recycled(&mut self) -> Outcome<Option<Taken>> {
        loop {
            // SAFETY: the relation is open; the map takes the page off its list.
            let block = unsafe { pg_sys::GetFreeIndexPage(self.pages.index) };
            if block == page::NO_BLOCK {
                return Ok(None);
            }
            if block >= self.pages.blocks.get() && block >= self.pages.blocks()? {
                continue;
            }
            let mut taken = self.pages.pin(block)?;
            // If another backend has locked the page, it took it, or the page is no longer free: the map is a hint.
            // SAFETY: the buffer is pinned, and not locked by us: a page of this change is never free.
            if !unsafe { pg_sys::ConditionalLockBuffer(taken.buffer) } {
                continue;
            }
            taken.is_locked = true;
            let is_free = page::is_new(taken.page())
                || page::special(taken.page(), block).is_ok_and(|special| special.kind == Kind::Free);
            if is_free {
                return Ok(Some(taken));
            }
        }
    }
}

impl Change for PageChange<'_> {
    fn lock(&mut self, block: u32) -> Outcome<Slot> {
        let mut taken = self.pages.pin(block)?;
        taken.lock(pg_sys::BUFFER_LOCK_EXCLUSIVE);
        self.keep(taken)
    }

    fn allocate(&mut self) -> Outcome<(u32, Slot)> {
        let mut taken = match self.recycled()? {
            Some(taken) => taken,
            None => {
                let relation =
                    pg_sys::BufferManagerRelation { rel: self.pages.index, smgr: null_mut(), relpersistence: 0 };
                // SAFETY: the relation is open; takes the lock on its end by itself, gives a new page pinned and locked.
                let buffer = unsafe {
                    pg_sys::ExtendBufferedRel(
                        relation,
                        pg_sys::ForkNumber::MAIN_FORKNUM,
                        null_mut(),
                        pg_sys::ExtendBufferedFlags::EB_LOCK_FIRST,
                    )
                };
                let mut taken = Taken::pinned(buffer);
                taken.is_locked = true;
                taken
            }
        };
        taken.is_new = true;
        // SAFETY: the buffer is pinned.
        let block = unsafe { pg_sys::BufferGetBlockNumber(taken.buffer) };
        Ok((block, self.keep(taken)?))
    }

    fn page(&self, slot: Slot) -> &Page {
        self.taken(slot).page()
    }

    fn page_mut(&mut self, slot: Slot) -> Outcome<&mut Page> {
        if self.record.is_null() {
            // SAFETY: the relation is open; the record is freed by Finish or Abort.
            self.record = unsafe { pg_sys::GenericXLogStart(self.pages.index) };
        }
        let record = self.record;
        let taken = self.taken[slot.0].as_mut().expect("a page that was taken and not given up");
        if taken.image.is_null() {
            let flags = if taken.is_new { pg_sys::GENERIC_XLOG_FULL_IMAGE as i32 } else { 0 };
            // SAFETY: the buffer is pinned and locked exclusively; at most PAGES_A_CHANGE are registered.
            taken.image = unsafe { pg_sys::GenericXLogRegisterBuffer(record, taken.buffer, flags) }.cast();
        }
        // SAFETY: the copy has PAGE_BYTES bytes, lives until the record ends, and nobody else has it.
        Ok(unsafe { &mut *taken.image })
    }

    fn unlock(&mut self, slot: Slot) -> Outcome<()> {
        let is_changed = |taken: &Taken| !taken.image.is_null();
        if self.taken[slot.0].as_ref().is_some_and(is_changed) {
            let what = "a page of a memory index was to be given up before its change is logged";
            return Err(Error::new(ErrorKind::Internal, what).into());
        }
        self.taken[slot.0] = None;
        // A walk to the right along a level then does not use up the slots.
        if slot.0 + 1 == self.count {
            self.count -= 1;
        }
        Ok(())
    }

    fn commit(mut self) -> Outcome<()> {
        let record = std::mem::replace(&mut self.record, null_mut());
        if !record.is_null() {
            // SAFETY: begun by GenericXLogStart; its buffers are pinned and locked until the guards go.
            unsafe { pg_sys::GenericXLogFinish(record) };
        }
        Ok(())
    }
}
