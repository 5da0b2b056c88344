//! Pages that stay pinned after they were read: one budget for a reader, over any number of indexes.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use memory_search_index::fault::Outcome;
use memory_search_index::page::Page;
use pgrx::pg_sys;

use super::taken_page::Taken;
use crate::pg::pin_limit;

/// The number of pages that stay pinned. The server keeps eight pins of a session in an array; for more it uses a hash
/// table, which costs more than pinning a page again.
const MOST_READ: usize = 2;

/// A page of an index, by the index's OID and the page's block.
pub(super) type PageOf = (pg_sys::Oid, u32);

/// The pages that one reader keeps pinned.
pub struct PinnedPages {
    /// Pages that will be read soon: the next one, and the one after it.
    expected: RefCell<[Option<(PageOf, Taken)>; 2]>,
    /// Pages that were read before.
    read: RefCell<Vec<(PageOf, Taken)>>,
    /// The most of these, and the one to release next.
    most_read: usize,
    oldest: Cell<usize>,
}

impl PinnedPages {
    /// No pages yet; the limit is one reader's share of the buffers.
    pub fn within_limit() -> PinnedPages {
        PinnedPages::at_most(pin_limit::of_one_reader().min(MOST_READ))
    }

    /// No pages yet; at most `most` of those that were read stay pinned.
    pub(super) fn at_most(most: usize) -> PinnedPages {
        PinnedPages { expected: RefCell::default(), read: RefCell::default(), most_read: most, oldest: Cell::new(0) }
    }

    /// Calls `look` with a page, which `pin` pins unless it is pinned already.
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
        let expected = self.expected.borrow_mut().iter_mut().find_map(|one| one.take_if(|(of, _)| *of == page));
        let mut taken = match expected {
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
        self.expected.replace([before, Some((page, taken))]);
    }

    /// Lets the processor fetch some bytes of an expected page.
    pub(super) fn prefetch(&self, page: PageOf, bytes: Range<usize>) {
        let expected = self.expected.borrow();
        if let Some((_, taken)) = expected.iter().flatten().find(|(of, _)| *of == page) {
            taken.prefetch(bytes);
        }
    }
}
