//! The memory index that searches of a store use, among the indexes of its tables.

use memory_search_core::Result;
use pgrx::pg_sys;

use super::memory_index::{self, MemoryIndex};
use super::{Store, StoreKind};
use crate::pg::index_columns;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::pg::text_search::indexed_texts::Options;

/// Finds the OIDs and names of the memory indexes on the table with the OID `{table}`, and whether they are usable.
const FIND: &str = include_str!("find_memory_index.sql");

/// The memory index of the table with a store's entries, or of its contexts, and the OID of the newest index that is
/// not usable yet.
pub fn find(
    reader: &Reader<'_>,
    store: &Store,
    like: &'static memory_index::Made,
) -> Result<(Option<MemoryIndex>, u32)> {
    let is_of_contexts = *like == memory_index::CONTEXTS;
    let table = if is_of_contexts { store.read_from.contexts } else { store.table_of_entries() };
    let mut statement = Statement::default();
    let table = statement.bind(Param::Integer(Some(i64::from(table))));
    let statement = statement.with(filled(FIND, &[("{table}", &table)]));
    let made_of = |column| match &store.kind {
        // The columns of an own store are those of its table.
        StoreKind::Own => Some(column),
        StoreKind::Adopted { .. } if is_of_contexts => Some(column),
        StoreKind::Adopted { rows, .. } => {
            let column = rows.as_ref()?.column(column).filter(|column| !column.is_null)?;
            Some(column.expression.as_str())
        }
    };
    let (words_from, configuration) = (store.words_from, store.configuration()?);
    let wanted = memory_index::Wanted { like, made_of, words_from, configuration };
    let (mut found, mut in_the_making) = (Vec::new(), 0);
    reader.rows(&statement, |row| {
        let index = u32::try_from(row.required_integer(1)?).unwrap_or(0);
        if row.boolean(3) != Some(true) {
            in_the_making = index;
            return Ok(());
        }
        let seen = memory_index::Found {
            oid: index,
            name: row.required_text(2)?,
            columns: index_columns::of(index),
            keys: usize::try_from(row.required_integer(4)?).unwrap_or(0),
            options: Options { language: row.text(5)?.unwrap_or_default(), weights: row.text(6)?.unwrap_or_default() },
            ranking: row.text(8)?,
            built_by: row.integer(7).and_then(|oid| u32::try_from(oid).ok()).map(pg_sys::Oid::from),
        };
        found.extend(MemoryIndex::new(seen, &wanted));
        Ok(())
    })?;
    // The index that holds most is used; if several hold as much, the oldest of them.
    Ok((found.into_iter().rev().max_by_key(MemoryIndex::holds), in_the_making))
}
