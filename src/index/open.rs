//! An index, open for the reads of a search.

use std::rc::Rc;

use memory_search_core::Result;
use memory_search_core::text::made_words::Weight;
use memory_search_index::fault::Outcome;
use memory_search_index::hashing::{Hashes, MemoryHash};
use memory_search_index::memory::restart::until_settled;
use pgrx::pg_sys;

use super::definition::{IdType, Kept};
use super::named_error::{naming, without_restart};
use super::pinned_pages::PinnedPages;
use super::relation_pages::RelationPages;
use super::state::State;
use crate::pg::key_index;
use crate::pg::open_relation::OpenRelation;
use crate::pg::text_search::indexed_texts::TextType;

/// A memory index, open with the lock that a query takes.
pub struct Index {
    state: State,
    pages: RelationPages,
    /// Keeps the index open.
    _relation: OpenRelation,
}

impl Index {
    /// An index of a table; `None` if it was dropped, is not complete, is not yet valid for every snapshot, or has
    /// columns of types that no index holds. Its pages that stay pinned share a budget with those of the other indexes
    /// that are read.
    pub fn open(oid: u32, table: &OpenRelation, pinned: &Rc<PinnedPages>) -> Result<Option<Index>> {
        table.lock_indexes();
        let Some(relation) = OpenRelation::new(oid).filter(|index| key_index::serves(index, table)) else {
            return Ok(None);
        };
        let index = relation.raw();
        // SAFETY: the relation is open, and an index.
        unsafe {
            if !State::is_possible(index) {
                return Ok(None);
            }
            count_scan(index);
            let state = State::of(index)?;
            let pages = RelationPages::new(index, std::ptr::null_mut()).with_pinned(pinned);
            Ok(Some(Index { state, pages, _relation: relation }))
        }
    }

    /// Hashes with its key.
    pub fn hashes(&self) -> &Hashes {
        &self.state.hashes
    }

    /// The position, from 0, of a column among the number columns, if it is one.
    pub fn number_of(&self, column: usize) -> Option<usize> {
        self.state.definition.number_of(column)
    }

    /// Whether a column, from 0, is kept as terms.
    pub fn is_term(&self, column: usize) -> bool {
        let kept = self.state.definition.columns().nth(column);
        matches!(kept, Some(Kept::Terms(_) | Kept::Text(TextType::Texts | TextType::Json)))
    }

    /// Whether it makes words by this configuration, with these weights for its texts; whether it holds words at all is
    /// not tested.
    pub fn makes_words_so(&self, configuration: pg_sys::Oid, weights: &[Weight]) -> bool {
        self.state.texts.is_none_or(|texts| {
            texts.configuration == configuration && texts.weights.get(..weights.len()) == Some(weights)
        })
    }

    /// The memory of an id as the server writes it; `None` if no value of the column's type has this text.
    pub fn memory(&self, id: &str) -> Option<MemoryHash> {
        let hashes = &self.state.hashes;
        Some(match self.state.definition.memory() {
            IdType::Text => hashes.memory(id.as_bytes()),
            IdType::Uuid => hashes.memory(&uuid_bytes(id)?),
            IdType::Int8 | IdType::Int4 | IdType::Int2 => hashes.memory(&id.parse::<i64>().ok()?.to_be_bytes()),
        })
    }

    /// Runs work that reads at least one index, and repeats it if another session rebuilt a part that it was reading.
    pub fn read_all<'a, T>(
        indexes: impl Iterator<Item = &'a Index>,
        mut work: impl FnMut(&[&'a RelationPages]) -> Outcome<T>,
    ) -> Result<T> {
        let pages: Vec<&RelationPages> = indexes.map(|index| &index.pages).collect();
        until_settled(pages[0], |_| work(&pages)).map_err(|fault| {
            // An index may be open several times, for memories with conditions of their own.
            let mut names: Vec<String> = pages.iter().map(|pages| pages.name()).collect();
            names.sort_unstable();
            names.dedup();
            if let [_] = names[..] {
                pages[0].error_of(fault)
            } else {
                let one_of_them = format!("the one of {} that memory_index_check() refuses", names.join(", "));
                naming(&one_of_them, without_restart(fault))
            }
        })
    }
}

/// The bytes of a uuid as the server writes it.
fn uuid_bytes(text: &str) -> Option<[u8; 16]> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| *byte != b'-')
        .map(|byte| char::from(byte).to_digit(16).map(|d| d as u8))
        .collect::<Option<_>>()?;
    let mut bytes = [0; 16];
    if digits.len() != 32 {
        return None;
    }
    bytes.iter_mut().zip(digits.chunks_exact(2)).for_each(|(byte, pair)| *byte = pair[0] << 4 | pair[1]);
    Some(bytes)
}

/// Counts the scan, so that pg_stat_user_indexes shows that the index is used (pgstat_count_index_scan).
///
/// # Safety
/// The index must be open.
pub unsafe fn count_scan(index: pg_sys::Relation) {
    // SAFETY: by the caller's promise.
    unsafe {
        if (*index).pgstat_info.is_null() && (*index).pgstat_enabled {
            pg_sys::pgstat_assoc_relation(index);
        }
        if let Some(counts) = (*index).pgstat_info.as_mut() {
            counts.counts.numscans += 1;
        }
    }
}
