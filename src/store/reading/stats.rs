//! What a store holds.

use memory_search_core::Result;
use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::visibility;
use memory_search_core::request::names::StoreName;

use super::of_store;
use crate::pg::param::Param;
use crate::pg::spi::Statement;
use crate::pg::sql_text::filled;
use crate::store::predicate::{Rows, at_present};

const STATS: &str = include_str!("stats.sql");

/// Counts of what the caller sees of a store, and what its tables take.
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

/// Counts in one pass over the entries.
pub fn stats(store_name: &StoreName) -> Result<Stats> {
    of_store(store_name, |reader, store| {
        let now = at_present();
        let mut statement = Statement::default();
        let mut counted = |condition: &Condition| Rows::entries(store, "e").sql(&mut statement, condition);
        let (visible, deleted) = (counted(&visibility::visible(now)), counted(&visibility::deleted(now)));
        let not_deleted = visibility::not_deleted(now);
        let expired = counted(&Condition::all([not_deleted.clone(), visibility::not_expired(now).is_not_true()]));
        let superseded = counted(&Condition::all([visibility::present(now), visibility::stands(now).is_not_true()]));
        let visible_contexts =
            Rows::contexts(store, "c").sql(&mut statement, &Condition::all([not_deleted, Condition::HasItsEntry(now)]));
        let tables = [store.table_of_entries(), store.read_from.contexts].map(|oid| i64::from(oid).to_string());
        let tables = statement.bind(Param::Texts(tables.to_vec()));
        let access = statement.bind(Param::text(store.relation("entry_access")));
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
                ("{tables}", &tables),
                ("{access}", &access),
            ],
        ));
        reader.only(&statement, |row| {
            let at = |column| row.required_integer(column);
            Ok(Stats {
                memories: at(1)?,
                entries: at(2)?,
                visible: at(3)?,
                deleted: at(4)?,
                expired: at(5)?,
                superseded: at(6)?,
                without_embedding: at(7)?,
                contexts: at(8)?,
                table_bytes: at(9)?,
                index_bytes: at(10)?,
            })
        })
    })
}
