//! What a backend keeps of an open index: its definition, its key and the root of its tree.

use memory_search_index::hashing::Hashes;
use memory_search_index::pages::Root;
use pgrx::pg_sys;

use super::definition::Definition;

/// What a backend keeps of an open index. It lives in the relation's cache, which the server drops when the index
/// changes: so it holds no pointers.
#[derive(Debug, Clone, Copy)]
pub struct State {
    /// What is kept of its columns.
    pub definition: Definition,
    /// Hashes under its key.
    pub hashes: Hashes,
    /// The root of its tree as it was last seen.
    pub root: Root,
}

impl State {
    /// What is kept of an index.
    ///
    /// # Safety
    /// The index must be open and locked, and the reference be gone before another is taken.
    pub unsafe fn kept<'a>(index: pg_sys::Relation) -> Option<&'a mut State> {
        // SAFETY: the relation is open; rd_amcache is this access method's own, null or what `keep` put there.
        unsafe { (*index).rd_amcache.cast::<State>().as_mut() }
    }

    /// Keeps it.
    ///
    /// # Safety
    /// The index must be open and locked, and nothing be kept of it.
    pub unsafe fn keep(self, index: pg_sys::Relation) {
        // SAFETY: the relation's own memory context lives as long as its cache does.
        unsafe {
            let place = pg_sys::MemoryContextAlloc((*index).rd_indexcxt, size_of::<State>()).cast::<State>();
            place.write(self);
            (*index).rd_amcache = place.cast();
        }
    }
}
