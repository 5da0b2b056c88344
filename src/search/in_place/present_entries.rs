//! Which entries of a memory are present, by their ids: those that brought contexts.

use memory_search_core::filter::condition::{Condition, Field, NumberField, Row, TextField, TimeField};
use memory_search_core::filter::visibility;
use memory_search_core::ids::{IdKind, RowId};
use memory_search_core::place::Place;
use memory_search_core::timestamp::Micros;
use memory_search_core::{Result, error};
use pgrx::pg_sys;

use super::table::Table;
use crate::pg::attribute::Attribute;
use crate::pg::interrupt;
use crate::pg::key_index::{Key, KeyColumn, KeyIndex};
use crate::pg::seen_rows::{SeenRow, SeenRows};
use crate::search::scope::Scope;

/// Entries that are looked up by one scan of their key's index.
const ENTRIES_AT_ONCE: usize = 4096;

/// Entries of the memory, to see whether they are present.
pub struct PresentEntries {
    table: Table,
    by_key: KeyIndex,
    entry_id: Attribute,
    created: Attribute,
    deleted: Attribute,
    expires: Attribute,
    present: Condition,
}

impl PresentEntries {
    /// `None` where a statement must be asked.
    pub fn of(scope: &Scope<'_>) -> Option<PresentEntries> {
        let table = Table::entries(scope.store)?;
        let memory_id = table.column(c"memory_id", pg_sys::TEXTOID)?;
        let entry_id = table.column(c"entry_id", pg_sys::UUIDOID)?;
        let time = |name| table.column(name, pg_sys::TIMESTAMPTZOID);
        let keys = [memory_id, entry_id].map(|attribute| KeyColumn { attribute, descends: None });
        Some(PresentEntries {
            by_key: KeyIndex::by(&table.rows, &keys)?,
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

    /// The same of many, which are found at once: those that are present, in order. `None` where a statement must be asked.
    pub fn present_among(&self, scope: &Scope<'_>, entries: &[[u8; 16]]) -> Result<Option<Vec<[u8; 16]>>> {
        let mut present = Vec::new();
        present.try_reserve_exact(entries.len()).map_err(|_| error::out_of_memory())?;
        let mut rows = SeenRows::in_active_snapshot(&self.table.rows);
        for some in entries.chunks(ENTRIES_AT_ONCE) {
            let keys = [Key::Text(scope.memory_id), Key::AnyUuid(some)];
            let Some(scan) = self.by_key.rows_with(&keys, &rows) else { return Ok(None) };
            // Their rows by pages: ids have no order of time.
            let mut places: Vec<Place> = scan.collect();
            places.sort_unstable();
            for place in places {
                interrupt::check();
                let Some(mut row) = self.table.row(&mut rows, place) else { continue };
                if let Some(RowId::Uuid(id)) = row.id(self.entry_id, IdKind::Uuid)?
                    && self.is_present(&mut row)
                {
                    present.push(id);
                }
            }
        }
        present.sort_unstable();
        Ok(Some(present))
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

/// What the row of an entry says of whether it is present.
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
