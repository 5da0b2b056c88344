//! The type of the data that a backend keeps of an open index: its definition, its key and the root of its tree.

use memory_search_core::text::made_words::Weight;
use memory_search_index::hashing::Hashes;
use memory_search_index::pages::Root;
use pgrx::pg_sys;

use super::definition::{Definition, MAX_COLUMNS};

/// The way in which words are made of texts.
#[derive(Debug, Clone, Copy)]
pub struct Texts {
    /// The text search configuration.
    pub configuration: pg_sys::Oid,
    /// The weights of the words of each column with text; the other elements are not used.
    pub weights: [Weight; MAX_COLUMNS],
}

/// The data of an open index that a backend keeps. They live in the relation's cache, which the server drops when the
/// index changes, so they contain no pointers.
#[derive(Debug, Clone, Copy)]
pub struct State {
    /// The data that are kept of its columns.
    pub definition: Definition,
    /// Hashes with its key.
    pub hashes: Hashes,
    /// The way in which the words of its texts are made, if it has columns with text.
    pub texts: Option<Texts>,
    /// The root of its tree when it was last read.
    pub root: Root,
}

impl State {
    /// A copy of the kept data of an index.
    ///
    /// # Safety
    /// The index must be open and locked.
    pub unsafe fn kept(index: pg_sys::Relation) -> Option<State> {
        // SAFETY: the relation is open; rd_amcache is this access method's own, null or what `keep` put there.
        unsafe { (*index).rd_amcache.cast::<State>().as_ref().copied() }
    }

    /// Notes a new root in the kept data, if there are any.
    ///
    /// # Safety
    /// The index must be open and locked.
    pub unsafe fn note_root(index: pg_sys::Relation, root: Root) {
        // SAFETY: as of `kept`; the reference is gone when this returns, and nobody else has one.
        if let Some(kept) = unsafe { (*index).rd_amcache.cast::<State>().as_mut() } {
            kept.root = root;
        }
    }

    /// Drops the kept data. The server does this when an index gets another file. But it keeps them if it empties the
    /// file in place (a TRUNCATE in the transaction that made the table, ON COMMIT DELETE ROWS) and rebuilds the index,
    /// with another key.
    ///
    /// # Safety
    /// The index must be open and locked.
    pub unsafe fn forget(index: pg_sys::Relation) {
        // SAFETY: as of `kept`; readers take a copy of the kept state, so nothing points to it.
        unsafe {
            let kept = std::mem::replace(&mut (*index).rd_amcache, std::ptr::null_mut());
            if !kept.is_null() {
                pg_sys::pfree(kept);
            }
        }
    }

    /// Keeps the data.
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
