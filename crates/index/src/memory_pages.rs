//! Pages in memory, for tests, and for an index without a server. One thread uses them.
//!
//! For tests they crash on request, and let other code run between two page visits. Uses of pages that would harm a
//! server panic here: an operation that takes a page twice, a fifth page in a change, a read of a page while another is
//! held, bounds outside of a page. No operation of this crate does so, even if the pages have wrong bytes.
//!
//! ```
//! use memory_search_index::memory_pages::MemoryPages;
//! use memory_search_index::pages::Pages;
//! use memory_search_index::{meta, tree};
//!
//! let pages = MemoryPages::new();
//! tree::create(&pages, [7; 16], b"made by an example")?;
//! assert_eq!(pages.blocks()?, 2);
//! assert_eq!(meta::read(&pages)?.options, b"made by an example");
//! # Ok::<(), memory_search_index::fault::Fault>(())
//! ```

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use memory_search_core::{Error, ErrorKind};

use crate::fault::{Fault, Outcome, damaged};
use crate::page::{self, Kind, PAGE_BYTES, Page};
use crate::pages::{Change, PAGES_A_CHANGE, Pages, Slot};

type Between = Box<dyn FnMut(&MemoryPages)>;

/// Pages in memory. No two threads may use them at once, which the compiler checks.
#[derive(Default)]
pub struct MemoryPages {
    pages: RefCell<Vec<Page>>,
    locked: RefCell<HashSet<u32>>,
    free: RefCell<Vec<u32>>,
    between: RefCell<Option<Between>>,
    reading: Cell<bool>,
    commits: Cell<u64>,
    logged: Cell<u64>,
    crash_at: Cell<Option<u64>>,
    crashed: Cell<bool>,
    ids: Cell<u64>,
    has_no_ids: Cell<bool>,
    transaction: Cell<u64>,
    ended_before: Cell<u64>,
}

impl MemoryPages {
    /// No pages; transaction 1 is the next, and all before it have ended.
    pub fn new() -> MemoryPages {
        let pages = MemoryPages::default();
        pages.transaction.set(1);
        pages.ended_before.set(1);
        pages
    }

    /// The number of changes that took effect.
    pub fn commits(&self) -> u64 {
        self.commits.get()
    }

    /// Bytes of pages that changes altered, about what a server writes to its log.
    pub fn logged_bytes(&self) -> u64 {
        self.logged.get()
    }

    /// After `commits` more commits, the next one and all later ones fail, and have no effect.
    pub fn crash_after(&self, commits: u64) {
        self.crash_at.set(Some(self.commits.get() + commits));
    }

    /// From now on there is no fresh id, or there is again.
    pub fn deny_ids(&self, denied: bool) {
        self.has_no_ids.set(denied);
    }

    /// Whether it has crashed.
    pub fn has_crashed(&self) -> bool {
        self.crashed.get()
    }

    /// Recovers from a crash, and forgets what a crash forgets.
    pub fn restart(&self) {
        self.crash_at.set(None);
        self.crashed.set(false);
        self.free.borrow_mut().clear();
    }

    /// Calls `act` before each read, and before each first lock of a change, but not for the operations of `act`
    /// itself.
    pub fn between(&self, act: impl FnMut(&MemoryPages) + 'static) {
        *self.between.borrow_mut() = Some(Box::new(act));
    }

    /// Ends [`MemoryPages::between`].
    pub fn alone(&self) {
        *self.between.borrow_mut() = None;
    }

    /// Sets the transaction that is the next to begin, and the one before which all have ended.
    pub fn set_transactions(&self, next: u64, ended_before: u64) {
        self.transaction.set(next);
        self.ended_before.set(ended_before);
    }

    /// Damages a page, outside of any change.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn damage(&self, block: u32, how: impl FnOnce(&mut Page)) {
        how(&mut self.pages.borrow_mut()[block as usize]);
    }

    /// All pages in their present state.
    pub fn copy(&self) -> MemoryPages {
        let copy = MemoryPages::new();
        *copy.pages.borrow_mut() = self.pages.borrow().clone();
        copy.ids.set(self.ids.get());
        copy.set_transactions(self.transaction.get(), self.ended_before.get());
        copy
    }

    fn let_others_act(&self) {
        if !self.locked.borrow().is_empty() {
            return;
        }
        let act = self.between.borrow_mut().take();
        if let Some(mut act) = act {
            act(self);
            self.between.borrow_mut().get_or_insert(act);
        }
    }

    fn get(&self, block: u32) -> Outcome<Box<Page>> {
        let pages = self.pages.borrow();
        pages.get(block as usize).map(|page| Box::new(*page)).ok_or_else(|| damaged(block, "it lies past the end"))
    }
}

impl Pages for MemoryPages {
    type Change<'a> = MemoryChange<'a>;

    fn blocks(&self) -> Outcome<u32> {
        Ok(self.pages.borrow().len() as u32)
    }

    fn read<T>(&self, block: u32, look: impl FnOnce(&Page) -> Outcome<T>) -> Outcome<T> {
        assert!(!self.reading.get(), "page {block} is read while another is held");
        assert!(!self.locked.borrow().contains(&block), "page {block} is read by who has locked it");
        self.let_others_act();
        let pages = self.pages.borrow();
        let page = pages.get(block as usize).ok_or_else(|| damaged(block, "it lies past the end"))?;
        self.reading.set(true);
        let looked = look(page);
        self.reading.set(false);
        looked
    }

    fn change(&self) -> MemoryChange<'_> {
        MemoryChange { pages: self, taken: Vec::new() }
    }

    fn note_free(&self, block: u32) -> Outcome<()> {
        self.free.borrow_mut().push(block);
        Ok(())
    }

    fn fresh_id(&self) -> Outcome<u64> {
        if self.has_no_ids.get() {
            return Err(Fault::Error(Error::new(ErrorKind::Internal, "there are no random numbers")));
        }
        self.ids.set(self.ids.get() + 1);
        Ok(self.ids.get())
    }

    fn next_transaction(&self) -> u64 {
        self.transaction.get()
    }

    fn has_ended(&self, transaction: u64) -> bool {
        transaction <= self.ended_before.get()
    }

    fn tick(&self) -> Outcome<()> {
        assert!(self.locked.borrow().is_empty() && !self.reading.get(), "a page is held while interrupts are let in");
        Ok(())
    }
}

/// A change of [`MemoryPages`].
pub struct MemoryChange<'a> {
    pages: &'a MemoryPages,
    taken: Vec<Taken>,
}

struct Taken {
    block: u32,
    bytes: Box<Page>,
    is_changed: bool,
    is_held: bool,
}

impl MemoryChange<'_> {
    fn take(&mut self, block: u32, bytes: Box<Page>) -> Slot {
        assert!(self.pages.locked.borrow_mut().insert(block), "page {block} is locked twice");
        self.taken.push(Taken { block, bytes, is_changed: false, is_held: true });
        let held = self.taken.iter().filter(|page| page.is_held).count();
        assert!(held <= PAGES_A_CHANGE, "a change takes more than {PAGES_A_CHANGE} pages");
        Slot(self.taken.len() - 1)
    }

    /// A page that is free by the hints, and is really free.
    fn hinted(&self) -> Option<u32> {
        let mut free = self.pages.free.borrow_mut();
        while let Some(block) = free.pop() {
            let pages = self.pages.pages.borrow();
            let Some(page) = pages.get(block as usize) else { continue };
            let is_free = page::is_new(page) || page::special(page, block).is_ok_and(|page| page.kind == Kind::Free);
            if is_free && !self.pages.locked.borrow().contains(&block) {
                return Some(block);
            }
        }
        None
    }
}

impl Change for MemoryChange<'_> {
    fn lock(&mut self, block: u32) -> Outcome<Slot> {
        assert!(!self.pages.reading.get(), "page {block} is locked while another is read");
        self.pages.let_others_act();
        let bytes = self.pages.get(block)?;
        Ok(self.take(block, bytes))
    }

    fn allocate(&mut self) -> Outcome<(u32, Slot)> {
        let block = self.hinted().unwrap_or_else(|| {
            let mut pages = self.pages.pages.borrow_mut();
            pages.push([0; PAGE_BYTES]);
            pages.len() as u32 - 1
        });
        Ok((block, self.take(block, Box::new([0xa5; PAGE_BYTES]))))
    }

    fn page(&self, slot: Slot) -> &Page {
        &self.taken[slot.0].bytes
    }

    fn page_mut(&mut self, slot: Slot) -> Outcome<&mut Page> {
        let page = &mut self.taken[slot.0];
        assert!(page.is_held, "page {} is changed after it was given up", page.block);
        page.is_changed = true;
        Ok(&mut page.bytes)
    }

    fn unlock(&mut self, slot: Slot) -> Outcome<()> {
        let page = &mut self.taken[slot.0];
        assert!(page.is_held && !page.is_changed, "page {} is given up after it was changed", page.block);
        page.is_held = false;
        self.pages.locked.borrow_mut().remove(&page.block);
        Ok(())
    }

    fn commit(mut self) -> Outcome<()> {
        let pages = self.pages;
        if pages.crashed.get() || pages.crash_at.get() == Some(pages.commits.get()) {
            pages.crashed.set(true);
            return Err(Fault::Error(Error::new(ErrorKind::Internal, "the server has crashed")));
        }
        for taken in self.taken.iter_mut().filter(|page| page.is_changed) {
            let (lower, upper) = page::bounds(&taken.bytes, taken.block)?;
            page::special(&taken.bytes, taken.block)?;
            taken.bytes[lower..upper].fill(0);
            let before = std::mem::replace(&mut pages.pages.borrow_mut()[taken.block as usize], *taken.bytes);
            let altered = before.iter().zip(taken.bytes.iter()).filter(|(before, now)| before != now).count();
            pages.logged.set(pages.logged.get() + altered as u64);
        }
        pages.commits.set(pages.commits.get() + 1);
        Ok(())
    }
}

impl Drop for MemoryChange<'_> {
    fn drop(&mut self) {
        for page in self.taken.iter().filter(|page| page.is_held) {
            self.pages.locked.borrow_mut().remove(&page.block);
        }
    }
}
