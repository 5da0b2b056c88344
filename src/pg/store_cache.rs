//! The definitions of stores, kept per session. A search would otherwise begin with a catalog query
//! that takes longer than searching a small memory. The server tells when a catalog row changes that
//! a definition was read from, in this session or another; then it is read again.

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::rc::Rc;

use lru::LruCache;
use memory_search_core::Result;
use pgrx::pg_sys;

use crate::pg::catalog::Store;

/// Stores kept in a session, about a kilobyte each; of more than these the one that was not used for longest goes.
const MAX_STORES: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

thread_local! {
    static STORES: RefCell<LruCache<String, Rc<Store>>> = RefCell::new(LruCache::new(MAX_STORES));
    /// Changes with every invalidation, so that a definition that became stale while it was being
    /// read is not kept.
    static GENERATION: Cell<u64> = const { Cell::new(0) };
    static IS_LISTENING: Cell<bool> = const { Cell::new(false) };
}

/// The store `name` as it is kept, or as `read` finds it. Only what exists is kept.
pub fn get_or_read(name: &str, read: impl FnOnce() -> Result<Store>) -> Result<Rc<Store>> {
    listen();
    // What other sessions committed arrives with the locks that a statement takes; a kept
    // definition is used before the first one.
    // SAFETY: called inside a transaction, as every SQL function is.
    unsafe { pg_sys::AcceptInvalidationMessages() };
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

/// Registers for the catalogs' changes, once a session: the server has no way to unregister.
fn listen() {
    if IS_LISTENING.replace(true) {
        return;
    }
    let nothing = pg_sys::Datum::from(0usize);
    // SAFETY: the callbacks are functions of this library, which is never unloaded.
    unsafe {
        pg_sys::CacheRegisterRelcacheCallback(Some(relation_changed), nothing);
        // A renamed schema or configuration, a type that moved to another schema with its extension.
        for cache in [
            pg_sys::SysCacheIdentifier::NAMESPACEOID,
            pg_sys::SysCacheIdentifier::TSCONFIGOID,
            pg_sys::SysCacheIdentifier::TYPEOID,
        ] {
            pg_sys::CacheRegisterSyscacheCallback(cache as i32, Some(catalog_row_changed), nothing);
        }
    }
}

/// An OID of 0 means any relation.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn relation_changed(_argument: pg_sys::Datum, relation: pg_sys::Oid) {
    let relation = relation.to_u32();
    forget(|store| {
        let read_from = store.read_from;
        relation == 0 || [read_from.entries, read_from.contexts, read_from.source].contains(&relation)
    });
}

/// Types come and go with every temporary table, so a change of one is compared with the hash of the
/// types in use; a hash of 0 means any row.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn catalog_row_changed(_argument: pg_sys::Datum, cache: i32, hash: u32) {
    let is_type = cache == pg_sys::SysCacheIdentifier::TYPEOID as i32;
    forget(|store| {
        // SAFETY: only computes a hash of its keys; reads no catalog.
        !is_type
            || hash == 0
            || hash
                == unsafe {
                    pg_sys::GetSysCacheHashValue(
                        cache,
                        pg_sys::Datum::from(store.read_from.embedding_type),
                        pg_sys::Datum::from(0usize),
                        pg_sys::Datum::from(0usize),
                        pg_sys::Datum::from(0usize),
                    )
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
