//! Contexts of a memory, from the rows of the store's table `contexts`.

mod without_entries;

use std::cell::OnceCell;

use memory_search_core::filter::condition::{Condition, Field, NumberField, Row, TextField, TimeField};
use memory_search_core::filter::visibility;
use memory_search_core::ids::{IdKind, RowId};
use memory_search_core::place::Place;
use memory_search_core::timestamp::Micros;
use memory_search_core::{Result, error};
use pgrx::pg_sys;

use super::present_entries::PresentEntries;
use super::table::Table;
use crate::pg::attribute::Attribute;
use crate::pg::interrupt;
use crate::pg::key_index::{Key, KeyColumn, KeyIndex};
use crate::pg::seen_rows::{SeenRow, SeenRows};
use crate::search::scope::Scope;

/// The rows of contexts with the columns that a search reads.
pub struct Contexts<'a> {
    scope: &'a Scope<'a>,
    /// The table.
    pub table: Table,
    /// The memory's id as the table writes it.
    pub memory: String,
    memory_id: Attribute,
    /// Their ids.
    pub context_id: Attribute,
    context: Attribute,
    /// Their times.
    pub created: Attribute,
    deleted: Attribute,
    user_id: Attribute,
    /// The entry that a context came with; `None` in stores without this column.
    brought_by: Option<Attribute>,
    /// The entries, opened at the first context that names one; `None` if a statement must be used.
    entries: OnceCell<Option<PresentEntries>>,
    /// The part of visibility that the row itself determines.
    pub visible: Condition,
}

/// A stored context.
pub struct Stored {
    /// Its id.
    pub id: RowId,
    /// Its text.
    pub text: String,
    /// The time when it was made.
    pub created: Option<Micros>,
}

/// The places of a memory's contexts.
pub struct Places {
    /// In the order of pages.
    pub places: Vec<Place>,
    /// Whether contexts that are not visible are left out. If a statement may still be necessary, visibility must be
    /// known for all rows before any of them is used; otherwise it is tested when each row is read.
    pub are_visible: bool,
}

/// The newest contexts that were found.
pub struct Newest {
    /// The newest visible one.
    pub latest: Option<Stored>,
    /// The number of visible ones, counted up to the wanted one.
    pub count: usize,
}

/// Looks for the `wanted` newest contexts; `None` if a statement must be used.
pub fn newest(scope: &Scope<'_>, wanted: usize) -> Result<Option<Newest>> {
    // Contexts without a time come last, but a descending index has them first.
    if scope.store.may_lack_creation_time {
        return Ok(None);
    }
    let Some(contexts) = Contexts::of(scope) else { return Ok(None) };
    let Some(index) = contexts.index(&[(contexts.created, true), (contexts.context_id, false)]) else {
        return Ok(None);
    };
    let mut rows = SeenRows::in_active_snapshot(&contexts.table.rows);
    let Some(scan) = index.rows_with(&[Key::Text(&contexts.memory)], &rows) else { return Ok(None) };
    let not_deleted = visibility::not_deleted(scope.when());
    let (mut found, mut has_any) = (Newest { latest: None, count: 0 }, false);
    for place in scan {
        interrupt::check();
        let Some(mut row) = contexts.table.row(&mut rows, place) else { continue };
        let counts = !has_any && not_deleted.evaluate(&contexts.said(&mut row)?) == Some(true);
        if counts && !contexts.has_its_entry(&mut row)? {
            return Ok(None);
        }
        has_any |= counts;
        match contexts.is_visible(&mut row)? {
            None => return Ok(None),
            Some(false) => continue,
            Some(true) => {}
        }
        if found.latest.is_none() {
            found.latest = contexts.stored(&mut row)?;
        }
        found.count += 1;
        if found.count == wanted {
            break;
        }
    }
    // If a memory has no contexts, or only deleted ones and such whose entry is gone, those in its entries count.
    let is_settled = has_any || !may_stand_on_entries(scope);
    Ok(is_settled.then_some(found))
}

/// Whether entries of the memory may have contexts.
fn may_stand_on_entries(scope: &Scope<'_>) -> bool {
    let find = || {
        let table = Table::entries(scope.store)?;
        let context = table.column(c"context", pg_sys::TEXTOID)?;
        let memory_id = table.column(c"memory_id", pg_sys::TEXTOID)?;
        let by_memory = [KeyColumn { attribute: memory_id, descends: None }];
        let index = KeyIndex::where_not_null(&table.rows, context, &by_memory)?;
        let rows = SeenRows::in_active_snapshot(&table.rows);
        let mut scan = index.rows_with(&[Key::Text(scope.memory_id)], &rows)?;
        Some(scan.next().is_some())
    };
    find().unwrap_or(true)
}

/// The contexts with these ids; `None` if a statement must be used.
pub fn with_ids(scope: &Scope<'_>, ids: &[String]) -> Result<Option<Vec<Stored>>> {
    let Some(contexts) = Contexts::of(scope) else { return Ok(None) };
    let Some(index) = contexts.index(&[(contexts.context_id, false)]) else { return Ok(None) };
    let mut rows = SeenRows::in_active_snapshot(&contexts.table.rows);
    let mut found = Vec::new();
    for id in ids {
        interrupt::check();
        let Some(RowId::Uuid(id)) = IdKind::Uuid.row_id(id) else { return Ok(None) };
        let keys = [Key::Text(&contexts.memory), Key::Uuid(id)];
        let Some(scan) = index.rows_with(&keys, &rows) else { return Ok(None) };
        for place in scan {
            if let Some(mut row) = contexts.table.row(&mut rows, place) {
                found.extend(contexts.stored(&mut row)?);
            }
        }
    }
    Ok(Some(found))
}

impl<'a> Contexts<'a> {
    /// The contexts of a memory; `None` if a statement must be used.
    pub fn of(scope: &'a Scope<'a>) -> Option<Contexts<'a>> {
        // For a view this is not known, and it does not concern the table of contexts.
        let may_lack_creation_time = scope.store.may_lack_creation_time && !scope.store.is_view;
        if scope.contexts_of_entries || may_lack_creation_time {
            return None;
        }
        let visible = scope.on_context_rows();
        if !visible.is_known_to::<ContextRow>() {
            return None;
        }
        let table = Table::contexts(scope.store)?;
        let user_id = table.column(c"user_id", pg_sys::TEXTOID)?;
        if visible.looks_at(TextField::UserId) {
            user_id.of_default_collation()?;
        }
        Some(Contexts {
            scope,
            memory: scope.store.canonical_memory_id(scope.memory_id),
            memory_id: table.column(c"memory_id", pg_sys::TEXTOID)?,
            context_id: table.column(c"context_id", pg_sys::UUIDOID)?,
            context: table.column(c"context", pg_sys::TEXTOID)?,
            created: table.column(c"creation_time", pg_sys::TIMESTAMPTZOID)?,
            deleted: table.column(c"deletion_scheduled_time", pg_sys::TIMESTAMPTZOID)?,
            user_id,
            brought_by: match scope.store.is_view {
                false => Some(table.column(c"entry_id", pg_sys::UUIDOID)?),
                true => None,
            },
            entries: OnceCell::new(),
            visible,
            table,
        })
    }

    /// The index by memory, and then by these columns, from the greatest (`true`) or the least value on.
    fn index(&self, columns: &[(Attribute, bool)]) -> Option<KeyIndex> {
        let mut keys = vec![KeyColumn { attribute: self.memory_id, descends: None }];
        keys.extend(columns.iter().map(|&(attribute, descends)| KeyColumn { attribute, descends: Some(descends) }));
        KeyIndex::by(&self.table.rows, &keys)
    }

    fn stored(&self, row: &mut SeenRow<'_, '_>) -> Result<Option<Stored>> {
        let Some(id) = row.id(self.context_id, IdKind::Uuid)? else { return Ok(None) };
        let text = row.text(self.context)?.unwrap_or_default();
        Ok(Some(Stored { id, text, created: row.timestamp(self.created) }))
    }

    /// The places of the memory's contexts, in the order of pages; `None` if a statement must be used.
    pub fn places(&self) -> Result<Option<Places>> {
        let Some(index) = self.index(&[]) else { return Ok(None) };
        let mut rows = SeenRows::in_active_snapshot(&self.table.rows);
        let Some(scan) = index.rows_with(&[Key::Text(&self.memory)], &rows) else { return Ok(None) };
        let are_visible = self.may_name_entries();
        let mut places: Vec<Place> = Vec::new();
        for place in scan {
            interrupt::check();
            if are_visible {
                let Some(mut row) = self.table.row(&mut rows, place) else { continue };
                match self.is_visible(&mut row)? {
                    None => return Ok(None),
                    Some(false) => continue,
                    Some(true) => {}
                }
            }
            places.try_reserve(1).map_err(|_| error::out_of_memory())?;
            // The place where its versions begin: nothing leads directly to a version that an update made on the same
            // page.
            places.push(place);
        }
        places.sort_unstable();
        Ok(Some(Places { places, are_visible }))
    }

    /// Whether some of them may have come with entries.
    pub fn may_name_entries(&self) -> bool {
        let Some(entry_id) = self.brought_by else { return false };
        let by_memory = [KeyColumn { attribute: self.memory_id, descends: None }];
        let Some(index) = KeyIndex::where_not_null(&self.table.rows, entry_id, &by_memory) else { return true };
        let rows = SeenRows::in_active_snapshot(&self.table.rows);
        index.rows_with(&[Key::Text(&self.memory)], &rows).is_none_or(|mut scan| scan.next().is_some())
    }

    fn said(&self, row: &mut SeenRow<'_, '_>) -> Result<ContextRow> {
        Ok(ContextRow {
            created: row.timestamp(self.created),
            deleted: row.timestamp(self.deleted),
            user_id: if self.visible.looks_at(TextField::UserId) { row.text(self.user_id)? } else { None },
        })
    }

    /// Whether a context is visible; `None` if this depends on other rows than the entry that it came with.
    pub fn is_visible(&self, row: &mut SeenRow<'_, '_>) -> Result<Option<bool>> {
        if self.visible.evaluate(&self.said(row)?) != Some(true) {
            return Ok(Some(false));
        }
        Ok(self.has_its_entry(row)?.then_some(true))
    }

    /// Whether the entry that a context came with is present, or it came with none; if not, another entry may have the
    /// same context, which only a statement finds.
    fn has_its_entry(&self, row: &mut SeenRow<'_, '_>) -> Result<bool> {
        let Some(entry_id) = self.brought_by else { return Ok(true) };
        let Some(id) = row.id(entry_id, IdKind::Uuid)? else { return Ok(true) };
        Ok(match (id, self.entries.get_or_init(|| PresentEntries::of(self.scope))) {
            (RowId::Uuid(entry), Some(entries)) => entries.has(self.scope, entry),
            _ => false,
        })
    }
}

/// The columns of a context's row. A missing column counts as null.
struct ContextRow {
    created: Option<Micros>,
    deleted: Option<Micros>,
    /// Read when a condition needs it.
    user_id: Option<String>,
}

impl Row for ContextRow {
    fn says(field: Field) -> bool {
        matches!(field, Field::Time(_) | Field::Text(TextField::UserId))
    }

    fn equals(&self, field: TextField, value: &str) -> Option<bool> {
        match field {
            TextField::UserId => self.user_id.as_deref().map(|user| user == value),
            _ => None,
        }
    }

    fn number(&self, _: NumberField) -> Option<f64> {
        None
    }

    fn time(&self, field: TimeField) -> Option<Micros> {
        match field {
            TimeField::Creation => self.created,
            TimeField::DeletionScheduled => self.deleted,
            _ => None,
        }
    }
}
