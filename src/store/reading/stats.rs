//! The contents of a store.

use memory_search_core::Result;
use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::visibility;
use memory_search_core::request::names::StoreName;

use super::of_store;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{Store, TablesOfLinks};
use crate::store::predicate::{Rows, at_present};
use crate::store::statements::by_memory::{self, Part};

const STATS: &str = include_str!("stats.sql");
const SIZES: &str = include_str!("sizes.sql");
const SIZES_OF_SHARDS: &str = include_str!("sizes_of_shards.sql");

/// Counts of the rows of a store that the caller sees, and the size of its tables.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Stats {
    pub memories: i64,
    pub entries: i64,
    pub visible: i64,
    pub deleted: i64,
    pub expired: i64,
    pub superseded: i64,
    pub without_embedding: i64,
    pub contexts: i64,
    pub table_bytes: i64,
    pub index_bytes: i64,
}

/// Counts in one pass over the entries; if they are in shards, in one pass for each memory.
pub fn stats(store_name: &StoreName) -> Result<Stats> {
    of_store(store_name, |reader, store| {
        let (table_bytes, index_bytes) = sizes(reader, store)?;
        let parts = by_memory::parts(reader, store, || {
            ["entries", "contexts"].map(|relation| by_memory::Rows::all(store.relation(relation))).into()
        })?;
        let mut all = [0; 8];
        for part in &parts {
            for (sum, count) in all.iter_mut().zip(counts(reader, store, part)?) {
                *sum += count;
            }
        }
        let [memories, entries, visible, deleted, expired, superseded, without_embedding, contexts] = all;
        Ok(Stats {
            memories,
            entries,
            visible,
            deleted,
            expired,
            superseded,
            without_embedding,
            contexts,
            table_bytes,
            index_bytes,
        })
    })
}

fn counts(reader: &Reader<'_>, store: &Store, part: &Part) -> Result<[i64; 8]> {
    let now = at_present();
    let mut statement = Statement::default();
    let entries = part.rows(Rows::entries(store, "e"));
    let mut counted = |condition: &Condition| entries.sql(&mut statement, condition);
    let (visible, deleted) = (counted(&visibility::visible(now)), counted(&visibility::deleted(now)));
    let not_deleted = visibility::not_deleted(now);
    let expired = counted(&Condition::all([not_deleted.clone(), visibility::not_expired(now).is_not_true()]));
    let superseded = counted(&Condition::all([visibility::present(now), visibility::stands(now).is_not_true()]));
    let visible_contexts = part
        .rows(Rows::contexts(store, "c"))
        .sql(&mut statement, &Condition::all([not_deleted, Condition::HasItsEntry(now)]));
    let within = part.bind(&mut statement);
    let statement = statement.with(filled(
        STATS,
        &[
            ("{visible}", &visible),
            ("{deleted}", &deleted),
            ("{expired}", &expired),
            ("{superseded}", &superseded),
            ("{visible_contexts}", &visible_contexts),
            ("{entries}", &store.relation("entries")),
            ("{contexts}", &store.relation("contexts")),
            ("{in_e}", &within.and("e")),
            ("{in_c}", &within.and("c")),
        ],
    ));
    reader.only(&statement, |row| {
        let mut counts = [0; 8];
        for (count, column) in counts.iter_mut().zip(1..) {
            *count = row.required_integer(column)?;
        }
        Ok(counts)
    })
}

/// The bytes of the store's tables, and of their indexes.
fn sizes(reader: &Reader<'_>, store: &Store) -> Result<(i64, i64)> {
    let mut statement = Statement::default();
    let links = TablesOfLinks::find(reader, &store.schema)?.oids();
    let tables = [store.table_of_entries(), store.read_from.contexts].into_iter().chain(links);
    let tables = statement.bind(Param::Texts(tables.map(|oid| oid.to_string()).collect()));
    let access = statement.bind(Param::text(store.relation("entry_access")));
    let template = if store.is_distributed { SIZES_OF_SHARDS } else { SIZES };
    let statement = statement.with(filled(template, &[("{tables}", &tables), ("{access}", &access)]));
    reader.only(&statement, |row| Ok((row.required_integer(1)?, row.required_integer(2)?)))
}
