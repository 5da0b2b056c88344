//! Lists the memories of a store.

use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::visibility;
use memory_search_core::ids::IdKind;
use memory_search_core::request::names::StoreName;
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, Result};

use super::of_store;
use crate::pg::param::Param;
use crate::pg::spi::Statement;
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::predicate::{Rows, at_present};

const MEMORIES: &str = include_str!("memories.sql");
const IDS_OF_CONTEXTS: &str = include_str!("memories_of_contexts.sql");

/// A memory, by what of it is visible.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Memory {
    pub memory_id: String,
    pub entries: i64,
    pub contexts: i64,
    pub first_created: Option<Micros>,
    pub last_created: Option<Micros>,
    pub last_used: Option<Micros>,
}

/// Which memories to list.
pub struct Wanted {
    /// How their ids begin.
    pub prefix: Option<String>,
    /// The id that they come after.
    pub after: Option<String>,
    /// The most of them.
    pub size: i64,
}

/// Memories in the order of their ids. The id of the last one is where the next page begins.
pub fn memories(store_name: &StoreName, wanted: &Wanted) -> Result<Vec<Memory>> {
    of_store(store_name, |reader, store| {
        let statement = statement(store, wanted)?;
        let mut found = Vec::new();
        reader.rows(&statement, |row| {
            found.push(Memory {
                memory_id: row.required_text(1)?,
                entries: row.required_integer(2)?,
                contexts: row.required_integer(3)?,
                first_created: row.timestamp(4),
                last_created: row.timestamp(5),
                last_used: row.timestamp(6),
            });
            Ok(())
        })?;
        Ok(found)
    })
}

fn statement(store: &Store, wanted: &Wanted) -> Result<Statement> {
    let mut statement = Statement::default();
    let visible = Rows::entries(store, "e").sql(&mut statement, &visibility::visible(at_present()));
    let visible_contexts =
        Condition::all([visibility::not_deleted(at_present()), Condition::HasItsEntry(at_present())]);
    let visible_contexts = Rows::contexts(store, "c").sql(&mut statement, &visible_contexts);
    let is_wanted = |statement: &mut Statement, alias: &str, kind: IdKind| {
        let mut conditions = String::new();
        // Bytes compare the same on each page, and a prefix is a range of them.
        if let Some(prefix) = &wanted.prefix {
            let prefix = statement.bind(Param::text(prefix.as_str()));
            conditions += &format!(" AND pg_catalog.starts_with({alias}.memory_id::pg_catalog.text, {prefix})");
        }
        if let Some(after) = &wanted.after {
            let id = kind.value(after).ok_or_else(|| {
                Error::invalid(format!("after must be an id of type {kind}, not \"{after}\""))
                    .hint("Give the memory_id of the last row of the page before.")
            })?;
            let id = statement.bind(Param::text(id));
            conditions +=
                &format!(" AND {alias}.memory_id OPERATOR(pg_catalog.>) {id}::pg_catalog.{kind}{}", collation(kind));
        }
        Ok::<_, Error>(conditions)
    };
    let kind = store.ids.memory;
    let wanted_entries = is_wanted(&mut statement, "e", kind)?;
    let size = statement.bind(Param::Integer(Some(wanted.size)));
    let (entries, contexts) = (store.relation("entries"), store.relation("contexts"));
    // Contexts have texts for ids, which need be none of an adopted table's type.
    let of_contexts = match kind {
        IdKind::Text => {
            let wanted_contexts = is_wanted(&mut statement, "c", kind)?;
            filled(
                IDS_OF_CONTEXTS,
                &[
                    ("{contexts}", &contexts),
                    ("{visible_contexts}", &visible_contexts),
                    ("{wanted_contexts}", &wanted_contexts),
                    ("{size}", &size),
                ],
            )
        }
        _ => String::new(),
    };
    Ok(statement.with(filled(
        MEMORIES,
        &[
            ("{collation}", collation(kind)),
            ("{entries}", &entries),
            ("{contexts}", &contexts),
            ("{access}", &store.relation("entry_access")),
            ("{visible}", &visible),
            ("{visible_contexts}", &visible_contexts),
            ("{wanted_entries}", &wanted_entries),
            ("{of_contexts}", &of_contexts),
            ("{size}", &size),
        ],
    )))
}

/// The one by which the index of a store's own table orders texts; other types have none.
fn collation(kind: IdKind) -> &'static str {
    if kind == IdKind::Text { " COLLATE pg_catalog.\"default\"" } else { "" }
}
