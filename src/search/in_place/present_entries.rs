//! The entries of a memory that are present, by their ids: for contexts that came with entries.

use std::rc::Rc;

use memory_search_core::filter::condition::{Condition, Field, NumberField, Row, TextField, TimeField};
use memory_search_core::filter::visibility;
use memory_search_core::ids::{IdKind, RowId};
use memory_search_core::place::Place;
use memory_search_core::timestamp::Micros;
use memory_search_core::{Result, error};
use pgrx::pg_sys;

use super::table::Table;
use super::{known_places, settled_entries};
use crate::pg::attribute::Attribute;
use crate::pg::interrupt;
use crate::pg::key_index::{HeldId, Key, KeyColumn, KeyIndex};
use crate::pg::seen_rows::{SeenRow, SeenRows};
use crate::search::present_documents::PresentDocuments;
use crate::search::scope::Scope;

/// Entries that are looked up by one scan of their key's index.
const ENTRIES_AT_ONCE: usize = 4096;

/// Entries of the memory, to test whether they are present.
pub struct PresentEntries {
    table: Table,
    by_key: KeyIndex,
    memory_id: Attribute,
    entry_id: Attribute,
    created: Attribute,
    deleted: Attribute,
    expires: Attribute,
    present: Condition,
}

impl PresentEntries {
    /// `None` if a statement must be used.
    pub fn of(scope: &Scope<'_>) -> Option<PresentEntries> {
        let table = Table::entries(scope.store)?;
        let memory_id = table.column(c"memory_id", pg_sys::TEXTOID)?;
        let entry_id = table.column(c"entry_id", pg_sys::UUIDOID)?;
        let time = |name| table.column(name, pg_sys::TIMESTAMPTZOID);
        let keys = [memory_id, entry_id].map(|attribute| KeyColumn { attribute, descends: None });
        Some(PresentEntries {
            by_key: KeyIndex::by(&table.rows, &keys)?,
            memory_id,
            entry_id,
            created: time(c"creation_time")?,
            deleted: time(c"deletion_scheduled_time")?,
            expires: time(c"expires_at")?,
            present: visibility::present(scope.when()),
            table,
        })
    }

    /// Whether an entry is present and the caller sees it.
    pub fn has(&self, scope: &Scope<'_>, entry_id: [u8; 16]) -> bool {
        let mut rows = SeenRows::in_active_snapshot(&self.table.rows);
        let keys = [Key::Text(scope.memory_id), Key::Uuid(entry_id)];
        let Some(scan) = self.by_key.rows_with(&keys, &rows) else { return false };
        for place in scan {
            let Some(mut row) = self.table.row(&mut rows, place) else { continue };
            return self.is_present(&mut row);
        }
        false
    }

    /// Entries that are certainly present, in order, by the documents that the memory index has in this search.
    pub fn settled(&self, documents: Option<&Rc<PresentDocuments>>) -> Rc<Vec<[u8; 16]>> {
        // For the entries of one user the index may not know whether they are present.
        let documents = documents.filter(|_| self.table.user().is_none());
        documents.map(|now| settled_entries::of(now)).unwrap_or_default()
    }

    /// The same test for many entries, in order, each once, which are looked up together; returns the present ones, in
    /// order. `None` if a statement must be used.
    pub fn present_among(
        &self,
        scope: &Scope<'_>,
        entries: &[[u8; 16]],
        documents: Option<&Rc<PresentDocuments>>,
    ) -> Result<Option<Vec<[u8; 16]>>> {
        let mut rows = SeenRows::in_active_snapshot(&self.table.rows);
        let known = known_places::of(self.table.rows.oid(), scope.memory_id);
        let (mut there, unknown) = self.at_known_places(scope, &known, entries, &mut rows)?;
        there.try_reserve_exact(unknown.len()).map_err(|_| error::out_of_memory())?;
        let mut found: Vec<HeldId> = Vec::new();
        found.try_reserve_exact(unknown.len()).map_err(|_| error::out_of_memory())?;
        for some in unknown.chunks(ENTRIES_AT_ONCE) {
            let keys = [Key::Text(scope.memory_id), Key::AnyUuid(some)];
            let Some(scan) = self.by_key.rows_with(&keys, &rows) else { return Ok(None) };
            // Their rows in the order of pages, because ids have no order of time.
            let mut places: Vec<Place> = scan.collect();
            places.sort_unstable();
            for place in places {
                interrupt::check();
                let Some(mut row) = self.table.row(&mut rows, place) else { continue };
                let Some(RowId::Uuid(id)) = row.id(self.entry_id, IdKind::Uuid)? else { continue };
                found.push((id, place));
                if self.is_present(&mut row) {
                    there.push((id, place));
                }
            }
        }
        there.sort_unstable();
        if !found.is_empty() {
            known_places::learn(self.table.rows.oid(), scope.memory_id, &known, found);
        }
        if let Some(documents) = documents.filter(|_| self.table.user().is_none()) {
            settled_entries::learn(documents, &there);
        }
        Ok(Some(there.into_iter().map(|(id, _)| id).collect()))
    }

    /// Reads the rows at the places where entries were found before. Returns the entries that are present, and those
    /// that are no longer there or were never looked up. If the snapshot sees a row with the key, it is the only one.
    fn at_known_places(
        &self,
        scope: &Scope<'_>,
        known: &[HeldId],
        entries: &[[u8; 16]],
        rows: &mut SeenRows<'_>,
    ) -> Result<(Vec<HeldId>, Vec<[u8; 16]>)> {
        let (mut present, mut unknown) = (Vec::new(), Vec::new());
        present.try_reserve_exact(entries.len()).map_err(|_| error::out_of_memory())?;
        // A table may have become shorter since.
        let blocks = self.table.rows.blocks();
        let mut known = known.iter().filter(|(_, place)| place.block < blocks).peekable();
        for entry in entries {
            interrupt::check();
            while known.next_if(|(id, _)| id < entry).is_some() {}
            if let Some((_, place)) = known.next_if(|(id, _)| id == entry)
                && let Some(mut row) = self.table.row(rows, *place)
                && row.is_uuid(self.entry_id, entry)
                && row.is_text(self.memory_id, scope.memory_id) == Some(true)
            {
                if self.is_present(&mut row) {
                    present.push((*entry, *place));
                }
                continue;
            }
            unknown.try_reserve(1).map_err(|_| error::out_of_memory())?;
            unknown.push(*entry);
        }
        Ok((present, unknown))
    }

    fn is_present(&self, row: &mut SeenRow<'_, '_>) -> bool {
        let said = EntryTimes {
            created: row.timestamp(self.created),
            deleted: row.timestamp(self.deleted),
            expires: row.timestamp(self.expires),
        };
        self.present.evaluate(&said) == Some(true)
    }
}

/// The columns of an entry's row that determine whether it is present.
struct EntryTimes {
    created: Option<Micros>,
    deleted: Option<Micros>,
    expires: Option<Micros>,
}

impl Row for EntryTimes {
    fn says(field: Field) -> bool {
        matches!(field, Field::Time(TimeField::Creation | TimeField::DeletionScheduled | TimeField::Expiry))
    }

    fn equals(&self, _: TextField, _: &str) -> Option<bool> {
        None
    }

    fn number(&self, _: NumberField) -> Option<f64> {
        None
    }

    fn time(&self, field: TimeField) -> Option<Micros> {
        match field {
            TimeField::Creation => self.created,
            TimeField::DeletionScheduled => self.deleted,
            TimeField::Expiry => self.expires,
            _ => None,
        }
    }
}
