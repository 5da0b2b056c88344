//! The columns that an answer shows of the winners, from their rows.

use memory_search_core::Result;
use memory_search_core::ids::{IdKind, RowId};
use memory_search_core::place::Place;
use pgrx::pg_sys;

use super::table::Table;
use crate::pg::attribute::Attribute;
use crate::pg::interrupt;
use crate::pg::key_index::{Key, KeyColumn, KeyIndex};
use crate::pg::seen_rows::{SeenRow, SeenRows};
use crate::search::columns::Columns;
use crate::search::scope::Scope;

/// The rows of entries with the columns that an answer shows.
pub struct Entries<'a> {
    table: Table,
    memory: &'a str,
    memory_id: Attribute,
    entry_id: Attribute,
    /// In the order of [`Texts`].
    texts: [Attribute; 7],
    tags: Attribute,
    entities: Attribute,
    metadata: Attribute,
    importance: Attribute,
    created: Attribute,
    interval: (Attribute, Attribute),
}

/// The indexes of the columns of type text in [`Entries::texts`].
const USER_ID: usize = 0;
const AGENT_ID: usize = 1;
const SESSION_ID: usize = 2;
const ENTRY_KEY: usize = 3;
const SUMMARY: usize = 4;
const RAW_ENTRY: usize = 5;
const SOURCE_TYPE: usize = 6;

impl<'a> Entries<'a> {
    /// The rows of a memory; `None` if a statement must be used, also for values that only a statement gives:
    /// embeddings, and which corrections are valid.
    pub fn of(scope: &Scope<'a>) -> Option<Entries<'a>> {
        let (store, plan) = (scope.store, scope.plan);
        if plan.include_superseded || plan.shows_embedding() {
            return None;
        }
        let table = Table::entries(store)?;
        let text = |name| table.column(name, pg_sys::TEXTOID);
        let time = |name| table.column(name, pg_sys::TIMESTAMPTZOID);
        Some(Entries {
            memory: scope.memory_id,
            memory_id: table.column(c"memory_id", pg_sys::TEXTOID)?,
            entry_id: table.column(c"entry_id", pg_sys::UUIDOID)?,
            texts: [
                text(c"user_id")?,
                text(c"agent_id")?,
                text(c"session_id")?,
                text(c"entry_key")?,
                text(c"summary")?,
                text(c"raw_entry")?,
                text(c"source_type")?,
            ],
            tags: table.column(c"tags", pg_sys::TEXTARRAYOID)?,
            entities: table.column(c"entities", pg_sys::TEXTARRAYOID)?,
            metadata: table.column(c"metadata", pg_sys::JSONBOID)?,
            importance: table.column(c"importance", pg_sys::INT2OID)?,
            created: time(c"creation_time")?,
            interval: (time(c"valid_from")?, time(c"valid_until")?),
            table,
        })
    }

    /// Calls `each` with the id and the columns of every row at these places that the caller sees and that can be read
    /// in this way; a statement reads those that are left out.
    pub fn at(&self, places: &[Place], mut each: impl FnMut(String, Columns) -> Result<()>) -> Result<()> {
        let mut rows = SeenRows::in_active_snapshot(&self.table.rows);
        for &place in places {
            self.row(&mut rows, place, &mut each)?;
        }
        Ok(())
    }

    /// Calls `each` in the same way for the rows with these ids.
    pub fn with_ids(&self, ids: &[String], mut each: impl FnMut(String, Columns) -> Result<()>) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let key = [self.memory_id, self.entry_id].map(|attribute| KeyColumn { attribute, descends: None });
        let Some(index) = KeyIndex::by(&self.table.rows, &key) else { return Ok(()) };
        let mut rows = SeenRows::in_active_snapshot(&self.table.rows);
        for id in ids {
            let Some(RowId::Uuid(id)) = IdKind::Uuid.row_id(id) else { continue };
            let keys = [Key::Text(self.memory), Key::Uuid(id)];
            for place in index.rows_with(&keys, &rows).into_iter().flatten() {
                self.row(&mut rows, place, &mut each)?;
            }
        }
        Ok(())
    }

    fn row(
        &self,
        rows: &mut SeenRows<'_>,
        place: Place,
        each: &mut impl FnMut(String, Columns) -> Result<()>,
    ) -> Result<()> {
        interrupt::check();
        let Some(mut row) = self.table.row(rows, place) else { return Ok(()) };
        match (row.id(self.entry_id, IdKind::Uuid)?, self.columns(&mut row)?) {
            (Some(id), Some(columns)) => each(id.to_text(), columns),
            _ => Ok(()),
        }
    }

    fn columns(&self, row: &mut SeenRow<'_, '_>) -> Result<Option<Columns>> {
        let (Some(tags), Some(entities)) = (json_of(row, self.tags), json_of(row, self.entities)) else {
            return Ok(None);
        };
        let mut text = |column: usize| row.text(self.texts[column]);
        let (user_id, agent_id) = (text(USER_ID)?, text(AGENT_ID)?);
        let (session_id, entry_key) = (text(SESSION_ID)?, text(ENTRY_KEY)?);
        let (summary, raw_entry, source_type) = (text(SUMMARY)?, text(RAW_ENTRY)?, text(SOURCE_TYPE)?);
        Ok(Some(Columns {
            user_id,
            agent_id,
            session_id,
            entry_key,
            summary,
            raw_entry: raw_entry.unwrap_or_default(),
            tags,
            entities: (entities != "[]").then_some(entities),
            metadata: row.jsonb(self.metadata)?.unwrap_or_else(|| "{}".to_owned()),
            source_type,
            importance: row.small_integer(self.importance).map(i64::from),
            created: row.timestamp(self.created),
            superseded_by: None,
            valid_from: row.timestamp(self.interval.0),
            valid_until: row.timestamp(self.interval.1),
            embedding: None,
        }))
    }
}

/// A list of texts as JSON; `None` if a statement must be used.
fn json_of(row: &mut SeenRow<'_, '_>, texts: Attribute) -> Option<String> {
    row.texts(texts).map_or_else(|| Some("[]".to_owned()), |texts| texts.json())
}
