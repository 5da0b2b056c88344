//! Contexts that came with an entry that is not present: determined for all contexts of a memory at once, by indexes if
//! possible, because reading the rows of contexts and of entries takes several times as long.

use std::rc::Rc;

use memory_search_core::ids::{IdKind, RowId};
use memory_search_core::place::Place;
use memory_search_core::{Result, error};
use memory_search_index::seek::seek;

use super::Contexts;
use crate::pg::attribute::Attribute;
use crate::pg::interrupt;
use crate::pg::key_index::{Key, KeyColumn, KeyIndex};
use crate::pg::seen_rows::SeenRows;
use crate::search::in_place::present_entries::PresentEntries;
use crate::search::present_documents::PresentDocuments;

/// At least one in this many contexts must be in question for an index of all of them to be read instead of their rows:
/// reading a row takes this many times as long.
const ROWS_INSTEAD_OF_INDEX: usize = 4;

/// An entry with a context, and the number of the context.
type Brought = ([u8; 16], usize);

impl Contexts<'_> {
    /// Among all contexts of the memory, at these places, those that came with an entry that is not present: their
    /// numbers, and their ids. Another entry may have the same context. `None` if a statement must be used.
    /// `documents`: the entries that are present by the memory index.
    pub fn without_their_entries(
        &self,
        places: &[Place],
        all: usize,
        documents: Option<&Rc<PresentDocuments>>,
    ) -> Result<Option<Vec<(usize, RowId)>>> {
        let Some(entry_id) = self.brought_by else { return Ok(Some(Vec::new())) };
        let entries = self.entries.get_or_init(|| PresentEntries::of(self.scope));
        let settled = entries.as_ref().map(|entries| entries.settled(documents)).unwrap_or_default();
        let mut rows = SeenRows::in_active_snapshot(&self.table.rows);
        let by_index = match places.len() >= all / ROWS_INSTEAD_OF_INDEX {
            true => self.brought_by_index(entry_id, places, &settled, &rows)?,
            false => None,
        };
        let mut brought = match by_index {
            Some(brought) => brought,
            None => self.brought_by_rows(entry_id, places, &mut rows)?,
        };
        if brought.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let Some(entries) = entries else { return Ok(None) };
        brought.sort_unstable();
        let mut named: Vec<[u8; 16]> = Vec::new();
        named.try_reserve_exact(brought.len()).map_err(|_| error::out_of_memory())?;
        named.extend(brought.iter().map(|(entry, _)| *entry));
        named.dedup();
        let Some(present) = entries.present_among(self.scope, &named, documents)? else { return Ok(None) };
        let (mut without, mut at) = (Vec::new(), 0);
        for (entry, number) in brought {
            if seek(&present, &mut at, &entry) {
                continue;
            }
            let Some(mut row) = self.table.row(&mut rows, places[number]) else { continue };
            without.extend(row.id(self.context_id, IdKind::Uuid)?.map(|id| (number, id)));
        }
        Ok(Some(without))
    }

    /// The entries with which the contexts at these places came, from the rows.
    fn brought_by_rows(&self, entry_id: Attribute, places: &[Place], rows: &mut SeenRows<'_>) -> Result<Vec<Brought>> {
        let mut brought: Vec<Brought> = Vec::new();
        brought.try_reserve_exact(places.len()).map_err(|_| error::out_of_memory())?;
        for (number, &place) in places.iter().enumerate() {
            interrupt::check();
            let Some(mut row) = self.table.row(rows, place) else { continue };
            if let Some(RowId::Uuid(entry)) = row.id(entry_id, IdKind::Uuid)? {
                brought.push((entry, number));
            }
        }
        Ok(brought)
    }

    /// The same from the index on contexts by their entries, which holds the entries' ids: the rows that the snapshot
    /// sees have the same ones. Settled entries are left out. `None` if there is no such index.
    fn brought_by_index(
        &self,
        entry_id: Attribute,
        places: &[Place],
        settled: &[[u8; 16]],
        rows: &SeenRows<'_>,
    ) -> Result<Option<Vec<Brought>>> {
        let columns = [self.memory_id, entry_id].map(|attribute| KeyColumn { attribute, descends: None });
        let Some(index) = KeyIndex::where_not_null(&self.table.rows, entry_id, &columns) else { return Ok(None) };
        let Some(mut held) = index.held_ids(&[Key::Text(&self.memory)], rows)? else { return Ok(None) };
        let mut at = 0;
        held.retain(|(entry, _)| !seek(settled, &mut at, entry));
        if held.is_empty() {
            return Ok(Some(Vec::new()));
        }
        held.sort_unstable_by_key(|(_, place)| *place);
        let mut numbered: Vec<(Place, usize)> = Vec::new();
        numbered.try_reserve_exact(places.len()).map_err(|_| error::out_of_memory())?;
        numbered.extend(places.iter().copied().zip(0..));
        numbered.sort_unstable();
        let mut brought: Vec<Brought> = Vec::new();
        brought.try_reserve_exact(places.len().min(held.len())).map_err(|_| error::out_of_memory())?;
        let mut held = held.into_iter().peekable();
        for (place, number) in numbered {
            while held.next_if(|(_, at)| *at < place).is_some() {}
            brought.extend(held.next_if(|(_, at)| *at == place).map(|(entry, _)| (entry, number)));
        }
        Ok(Some(brought))
    }
}
