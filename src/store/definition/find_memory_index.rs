//! The memory index that searches of a store use, among the indexes of its tables.

use memory_search_core::Result;
use pgrx::pg_sys;

use super::memory_index::{self, MemoryIndex};
use super::{Store, StoreKind};
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::pg::text_search::indexed_texts::Options;
use crate::pg::{index_columns, indexed_types};

/// Finds the OIDs and names of the memory indexes on the table with the OID `{table}`, and whether they are usable.
const FIND: &str = include_str!("find_memory_index.sql");

/// The memory indexes of one table of a store.
#[derive(Debug, Default)]
pub struct FoundIndexes {
    /// The one that searches use.
    pub used: Option<MemoryIndex>,
    /// The OID of the newest one that is not usable yet, because it is being made or is invalid; 0 if there is none.
    pub in_the_making: u32,
    /// The scoring of searches in the option of the newest such index that has one.
    pub ranking_in_the_making: Option<String>,
}

/// The memory indexes of the table with a store's entries, or of its contexts.
pub fn find(reader: &Reader<'_>, store: &Store, like: &'static memory_index::Made) -> Result<FoundIndexes> {
    let is_of_contexts = *like == memory_index::CONTEXTS;
    let table = if is_of_contexts { store.read_from.contexts } else { store.table_of_entries() };
    let mut statement = Statement::default();
    let table = statement.bind(Param::Integer(Some(i64::from(table))));
    let statement = statement.with(filled(FIND, &[("{table}", &table)]));
    let made_of = |column| match &store.kind {
        // The columns of an own store are the columns of its table.
        StoreKind::Own => Some(column),
        StoreKind::Adopted { .. } if is_of_contexts => Some(column),
        StoreKind::Adopted { rows, .. } => {
            let column = rows.as_ref()?.column(column).filter(|column| !column.is_null)?;
            Some(column.expression.as_str())
        }
    };
    // A store whose configuration is missing is only examined and dropped: no index makes its words.
    let (words_from, configuration) = (store.words_from, store.configuration().unwrap_or(pg_sys::InvalidOid));
    let wanted = memory_index::Wanted { like, made_of, words_from, configuration };
    let (mut found, mut indexes) = (Vec::new(), FoundIndexes::default());
    reader.rows(&statement, |row| {
        let index = u32::try_from(row.required_integer(1)?).unwrap_or(0);
        let keys = usize::try_from(row.required_integer(4)?).unwrap_or(0);
        let columns = usize::try_from(row.required_integer(9)?).unwrap_or(0);
        if row.boolean(3) != Some(true) || indexed_types::refusal_of(index, keys, columns).is_some() {
            indexes.in_the_making = index;
            indexes.ranking_in_the_making = row.text(8)?.or(indexes.ranking_in_the_making.take());
            return Ok(());
        }
        let seen = memory_index::Found {
            oid: index,
            name: row.required_text(2)?,
            columns: index_columns::of(index),
            keys,
            options: Options { language: row.text(5)?.unwrap_or_default(), weights: row.text(6)?.unwrap_or_default() },
            ranking: row.text(8)?,
            built_by: row.integer(7).and_then(|oid| u32::try_from(oid).ok()).map(pg_sys::Oid::from),
        };
        found.extend(MemoryIndex::new(seen, &wanted));
        Ok(())
    })?;
    // The index that holds most is used; if several hold as much, the oldest of them.
    indexes.used = found.into_iter().rev().max_by_key(MemoryIndex::holds);
    Ok(indexes)
}
