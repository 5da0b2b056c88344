//! Pages that stay pinned after they were read: one budget for who reads, however many indexes that takes.

use std::cell::{Cell, RefCell};

use memory_search_index::fault::Outcome;
use memory_search_index::page::Page;
use pgrx::pg_sys;

use super::taken_page::Taken;
use crate::pg::pin_limit;

/// Pages that stay pinned. The server finds eight pins of a session at once; for each more it keeps a table, which costs
/// more than to pin a page again where it was.
const MOST_READ: usize = 2;

/// A page of an index, by the index's OID and the page's block.
pub(super) type PageOf = (pg_sys::Oid, u32);

/// Pages that one reader keeps pinned.
pub struct PinnedPages {
    /// Pages that will be read soon: the next one, and the one after it.
    expected: Cell<[Option<(PageOf, Taken)>; 2]>,
    /// Pages that were read.
    read: RefCell<Vec<(PageOf, Taken)>>,
    /// How many these are at most, and which of them goes next.
    most_read: usize,
    oldest: Cell<usize>,
}

impl PinnedPages {
    /// None yet; within one reader's share of the buffers.
    pub fn within_limit() -> PinnedPages {
        PinnedPages::at_most(pin_limit::of_one_reader().min(MOST_READ))
    }

    /// None yet; `most` of those that were read stay.
    pub(super) fn at_most(most: usize) -> PinnedPages {
        PinnedPages { expected: Cell::default(), read: RefCell::default(), most_read: most, oldest: Cell::new(0) }
    }

    /// Calls `look` with a page, which `pin` pins where it is not.
    pub(super) fn look<T>(
        &self,
        page: PageOf,
        pin: impl FnOnce() -> Outcome<Taken>,
        look: impl FnOnce(&Page) -> Outcome<T>,
    ) -> Outcome<T> {
        let mut read = self.read.borrow_mut();
        if let Some((_, kept)) = read.iter_mut().find(|(kept, _)| *kept == page) {
            return kept.look(look);
        }
        let mut expected = self.expected.take();
        let taken = expected.iter_mut().find_map(|one| one.take_if(|(expected, _)| *expected == page));
        self.expected.set(expected);
        let mut taken = match taken {
            Some((_, taken)) => taken,
            None => pin()?,
        };
        let found = taken.look(look);
        if read.len() < self.most_read {
            read.push((page, taken));
        } else if let Some(oldest) = read.get_mut(self.oldest.get()) {
            *oldest = (page, taken);
            self.oldest.set((self.oldest.get() + 1) % self.most_read);
        }
        found
    }

    /// Keeps a page that will be read soon.
    pub(super) fn expect(&self, page: PageOf, taken: Taken) {
        let [_, before] = self.expected.take();
        self.expected.set([before, Some((page, taken))]);
    }
}
