//! Reads the data of an open index when they are first needed.

use memory_search_core::Result;
use memory_search_core::text::made_words::Weight;
use memory_search_index::fault::damaged;
use memory_search_index::hashing::Hashes;
use memory_search_index::meta::{self, META_BLOCK};
use pgrx::pg_sys;

use super::built_with::BuiltWith;
use super::configuration;
use super::definition::{Definition, MAX_COLUMNS};
pub use super::kept_state::{State, Texts};
use super::operator_class;
use super::relation_pages::RelationPages;
use crate::pg::text_search::indexed_texts::Options;

impl State {
    /// Whether the index can hold the types that its columns have by now ([`indexed_types::refusal_of`]).
    ///
    /// [`indexed_types::refusal_of`]: crate::pg::indexed_types::refusal_of
    ///
    /// # Safety
    /// The index must be open and locked.
    pub unsafe fn is_possible(index: pg_sys::Relation) -> bool {
        // SAFETY: by the caller's promise.
        unsafe { State::kept(index).is_some() || Definition::of(index).is_ok() }
    }

    /// The data of a finished index.
    ///
    /// # Safety
    /// The index must be open and locked.
    pub unsafe fn of(index: pg_sys::Relation) -> Result<State> {
        // SAFETY: the relation is open.
        unsafe {
            if let Some(kept) = State::kept(index) {
                return Ok(kept);
            }
            let pages = RelationPages::new(index, std::ptr::null_mut());
            let meta = meta::read(&pages).map_err(|fault| pages.error_of(fault))?;
            let definition = Definition::of(index)?;
            operator_class::check_all(index, &definition)?;
            // Until a REINDEX, words are made as when the index was built, also if ALTER INDEX changed its options.
            let texts = match definition.texts().next() {
                None => None,
                Some(_) => {
                    let with = BuiltWith::from_bytes(&meta.options).ok_or_else(|| {
                        pages.error_of(damaged(META_BLOCK, "the parameters of its build cannot be read"))
                    })?;
                    Some(Texts::of(&with.options, &definition, configuration::built(index, &with)?)?)
                }
            };
            let state = State { definition, hashes: Hashes::new(meta.key), texts, root: meta.root };
            state.keep(index);
            Ok(state)
        }
    }

    /// The data of an index that is being built: its recorded dependencies are not visible before
    /// the statement ends.
    ///
    /// # Safety
    /// The index must be open, its pages begun, and nothing be kept of it.
    pub unsafe fn begun(index: pg_sys::Relation, definition: Definition, texts: Option<Texts>) -> Result<State> {
        // SAFETY: by the caller's promise.
        unsafe {
            let pages = RelationPages::new(index, std::ptr::null_mut());
            let meta = meta::read(&pages).map_err(|fault| pages.error_of(fault))?;
            let state = State { definition, hashes: Hashes::new(meta.key), texts, root: meta.root };
            state.keep(index);
            Ok(state)
        }
    }
}

impl Texts {
    /// The way in which words are made by the options of an index.
    pub fn of(options: &Options, definition: &Definition, configuration: pg_sys::Oid) -> Result<Texts> {
        let mut weights = [Weight::D; MAX_COLUMNS];
        for (place, weight) in weights.iter_mut().zip(options.weights(definition.texts())?) {
            *place = weight;
        }
        Ok(Texts { configuration, weights })
    }
}
