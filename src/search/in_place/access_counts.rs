//! How often entries were used, by their keys.

use memory_search_core::ids::{IdKind, RowId};
use pgrx::pg_sys;

use super::table::Table;
use crate::pg::interrupt;
use crate::pg::key_index::{Key, KeyColumn, KeyIndex};
use crate::pg::seen_rows::SeenRows;
use crate::search::scope::Scope;

/// Calls `each` with the ids of a memory's entries that were used, and how often; `None`, and no call, where a statement
/// must be asked.
pub fn of(scope: &Scope<'_>, ids: &[String], mut each: impl FnMut(&str, i64)) -> Option<()> {
    let table = Table::entry_access(scope.store)?;
    let count = table.column(c"access_count", pg_sys::INT8OID)?;
    let memory_id = table.column(c"memory_id", pg_sys::TEXTOID)?;
    let entry_id = table.column(c"entry_id", pg_sys::UUIDOID)?;
    let columns = [memory_id, entry_id].map(|attribute| KeyColumn { attribute, descends: None });
    let index = KeyIndex::by(&table.rows, &columns)?;
    let memory: &str = scope.memory_id;
    let keys: Vec<Key<'_>> = ids.iter().map(|id| IdKind::Uuid.row_id(id).and_then(key)).collect::<Option<_>>()?;
    let mut rows = SeenRows::in_active_snapshot(&table.rows);
    for (id, key) in ids.iter().zip(keys) {
        interrupt::check();
        for place in index.rows_with(&[Key::Text(memory), key], &rows)? {
            if let Some(mut row) = rows.row(place) {
                each(id, row.integer(count).unwrap_or_default());
            }
        }
    }
    Some(())
}

fn key(id: RowId) -> Option<Key<'static>> {
    match id {
        RowId::Uuid(bytes) => Some(Key::Uuid(bytes)),
        _ => None,
    }
}
