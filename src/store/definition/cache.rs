//! The definitions of stores, kept per session. A search would otherwise begin with a catalog query
//! that takes longer than searching a small memory. The server tells when a catalog row changes that
//! a definition was read from, in this session or another; then it is read again.

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::rc::Rc;

use lru::LruCache;
use memory_search_core::Result;

use super::{Store, placement};
use crate::pg::invalidation::{self, Change};

/// Stores kept in a session, about a kilobyte each; of more than these the one that was not used for longest goes.
const MAX_STORES: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

thread_local! {
    static STORES: RefCell<LruCache<String, Rc<Store>>> = RefCell::new(LruCache::new(MAX_STORES));
    /// Changes with every invalidation, so that a definition that became stale while it was being
    /// read is not kept.
    static GENERATION: Cell<u64> = const { Cell::new(0) };
}

/// The store `name` as it is kept, or as `read` finds it. Only what exists is kept.
pub fn get_or_read(name: &str, read: impl FnOnce() -> Result<Store>) -> Result<Rc<Store>> {
    invalidation::listen(hear);
    invalidation::accept();
    if let Some(store) = STORES.with_borrow_mut(|stores| stores.get(name).cloned()) {
        return Ok(store);
    }
    let before = GENERATION.get();
    let store = Rc::new(read()?);
    if GENERATION.get() == before {
        STORES.with_borrow_mut(|stores| stores.push(name.to_owned(), Rc::clone(&store)));
    }
    Ok(store)
}

/// Drops the stores that a change concerns, and where their memories lie.
fn hear(change: Change) {
    if let Change::Relation(oid) = change {
        placement::hear(oid);
    }
    forget(|store| {
        let read_from = store.read_from;
        match change {
            Change::Name => true,
            Change::Type { .. } => change.is_of_type(read_from.embedding_type),
            Change::Relation(0) => true,
            Change::Relation(oid) => {
                let own = [read_from.entries, read_from.contexts, read_from.entry_access, read_from.source];
                own.contains(&oid) || read_from.indexes_in_the_making.contains(&oid)
            }
        }
    });
}

/// Drops the stores that changed, and what is just being read.
fn forget(is_stale: impl Fn(&Store) -> bool) {
    GENERATION.set(GENERATION.get().wrapping_add(1));
    // No borrow is held while the server runs, so this never fails; if it did, panicking inside an
    // invalidation would be worse than a stale name.
    STORES.with(|stores| {
        if let Ok(mut stores) = stores.try_borrow_mut() {
            let stale: Vec<String> =
                stores.iter().filter(|(_, store)| is_stale(store)).map(|(name, _)| name.clone()).collect();
            for name in stale {
                stores.pop(&name);
            }
        }
    });
}
