//! The definitions of stores, kept per session. Without the cache every search would begin with a catalog query that
//! takes longer than searching a small memory. The server reports changes, by this session or another, of the catalog
//! rows that a definition was read from; then the definition is read again.

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::rc::Rc;

use lru::LruCache;
use memory_search_core::Result;

use super::{Store, placement};
use crate::pg::invalidation::{self, Change};

/// Stores kept in a session, about a kilobyte each; beyond this number the least recently used one is dropped.
const MAX_STORES: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

thread_local! {
    static STORES: RefCell<LruCache<String, Rc<Store>>> = RefCell::new(LruCache::new(MAX_STORES));
    /// Changes with every invalidation, so that a definition that became stale while it was read is not kept.
    static GENERATION: Cell<u64> = const { Cell::new(0) };
}

/// The most readings of a definition whose catalogs change meanwhile. The last reading is used, and not kept.
const MOST_READINGS: u32 = 10;

/// The store `name` from the cache, or from `read`, which is repeated if the catalogs changed while it read. Only
/// existing stores are kept.
pub fn get_or_read(name: &str, read: impl Fn() -> Result<Store>) -> Result<Rc<Store>> {
    invalidation::listen(hear);
    invalidation::accept();
    if let Some(store) = STORES.with_borrow_mut(|stores| stores.get(name).cloned()) {
        return Ok(store);
    }
    let mut readings = 1;
    loop {
        let before = GENERATION.get();
        let store = Rc::new(read()?);
        invalidation::accept();
        if GENERATION.get() == before {
            // Nothing reports that the table was made of which the store lacks the OID.
            if store.read_from.entry_access == 0 {
                return Ok(store);
            }
            STORES.with_borrow_mut(|stores| stores.push(name.to_owned(), Rc::clone(&store)));
            return Ok(store);
        }
        if readings == MOST_READINGS {
            return Ok(store);
        }
        readings += 1;
    }
}

/// Drops the stores that a change affects, and the placements of their memories.
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
                // Its option `ranking` may change.
                let is_memory_index = store.memory_index.as_ref().is_some_and(|index| index.oid == oid);
                own.contains(&oid) || is_memory_index || read_from.indexes_in_the_making.contains(&oid)
            }
        }
    });
}

/// Drops the stores that changed, and any definition that is being read.
fn forget(is_stale: impl Fn(&Store) -> bool) {
    GENERATION.set(GENERATION.get().wrapping_add(1));
    // No borrow is held while the server runs, so this never fails. If it did, a panic inside an invalidation would be
    // worse than a stale name.
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
