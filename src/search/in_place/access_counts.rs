//! The access counts of entries, by their keys.

use memory_search_core::Result;
use memory_search_core::ids::{IdKind, RowId};
use pgrx::pg_sys;

use super::table::Table;
use crate::pg::attribute::Attribute;
use crate::pg::interrupt;
use crate::pg::key_index::{Key, KeyColumn, KeyIndex};
use crate::pg::seen_rows::SeenRows;
use crate::search::scope::Scope;

/// The rows with the access counts of entries.
struct AccessCounts {
    table: Table,
    entry_id: Attribute,
    count: Attribute,
    /// The index by memory and entry.
    index: KeyIndex,
}

impl AccessCounts {
    /// `None` if a statement must be used.
    fn of(scope: &Scope<'_>) -> Option<AccessCounts> {
        let table = Table::entry_access(scope.store)?;
        let memory_id = table.column(c"memory_id", pg_sys::TEXTOID)?;
        let entry_id = table.column(c"entry_id", pg_sys::UUIDOID)?;
        let columns = [memory_id, entry_id].map(|attribute| KeyColumn { attribute, descends: None });
        Some(AccessCounts {
            count: table.column(c"access_count", pg_sys::INT8OID)?,
            index: KeyIndex::by(&table.rows, &columns)?,
            entry_id,
            table,
        })
    }
}

/// Calls `each` with the ids of a memory's entries that were used, and their counts; returns false, without a call, if
/// a statement must be used.
pub fn of(scope: &Scope<'_>, ids: &[String], mut each: impl FnMut(String, i64)) -> Result<bool> {
    let uuids: Option<Vec<[u8; 16]>> = ids.iter().map(|id| IdKind::Uuid.row_id(id).and_then(uuid)).collect();
    let (Some(ids), Some(counts)) = (uuids, AccessCounts::of(scope)) else { return Ok(false) };
    let mut rows = SeenRows::in_active_snapshot(&counts.table.rows);
    let keys = [Key::Text(scope.memory_id), Key::AnyUuid(&ids)];
    let Some(found) = counts.index.rows_with(&keys, &rows) else { return Ok(false) };
    for place in found {
        interrupt::check();
        let Some(mut row) = rows.row(place) else { continue };
        if let Some(id) = row.id(counts.entry_id, IdKind::Uuid)? {
            each(id.to_text(), row.integer(counts.count).unwrap_or_default());
        }
    }
    Ok(true)
}

fn uuid(id: RowId) -> Option<[u8; 16]> {
    match id {
        RowId::Uuid(bytes) => Some(bytes),
        _ => None,
    }
}
