//! Lists the memories of a store.

use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::visibility;
use memory_search_core::ids::IdKind;
use memory_search_core::request::names::StoreName;
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, Result};

use super::of_store;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::predicate::{Rows, at_present};
use crate::store::statements::by_memory::Part;

const MEMORIES: &str = include_str!("memories.sql");
const IDS: &str = include_str!("ids_of_memories.sql");
const IDS_OF_CONTEXTS: &str = include_str!("memories_of_contexts.sql");

/// A memory, described by its visible rows.
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

/// The memories to list.
pub struct Wanted {
    /// The prefix of their ids.
    pub prefix: Option<String>,
    /// The id after which they come.
    pub after: Option<String>,
    /// The most memories.
    pub size: i64,
}

/// Memories in the order of their ids. The next page begins at the id of the last one.
pub fn memories(store_name: &StoreName, wanted: &Wanted) -> Result<Vec<Memory>> {
    of_store(store_name, |reader, store| {
        if store.is_distributed { in_shards(reader, store, wanted) } else { page(reader, store, wanted, &Part::Whole) }
    })
}

/// A page from a part of the store.
fn page(reader: &Reader<'_>, store: &Store, wanted: &Wanted, part: &Part) -> Result<Vec<Memory>> {
    let statement = statement(store, wanted, part)?;
    let mut found = Vec::new();
    let take = |row: Row<'_>| {
        found.push(Memory {
            memory_id: row.required_text(1)?,
            entries: row.required_integer(2)?,
            contexts: row.required_integer(3)?,
            first_created: row.timestamp(4),
            last_created: row.timestamp(5),
            last_used: row.timestamp(6),
        });
        Ok(())
    };
    store.joining_all(|| reader.rows(&statement, take))?;
    Ok(found)
}

/// The same from all shards: the shards list the memories that have rows, and a statement for each memory counts its
/// visible rows.
fn in_shards(reader: &Reader<'_>, store: &Store, wanted: &Wanted) -> Result<Vec<Memory>> {
    let (mut found, mut after) = (Vec::new(), wanted.after.clone());
    loop {
        let next = Wanted { prefix: wanted.prefix.clone(), after: after.clone(), size: wanted.size };
        let mut statement = Statement::default();
        let ids = ids(&mut statement, store, &next, ["true", "true"])?;
        let (mut candidates, statement) = (Vec::new(), statement.with(ids));
        reader.rows(&statement, |row| {
            candidates.push(row.required_text(1)?);
            Ok(())
        })?;
        let is_last = (candidates.len() as i64) < wanted.size;
        after = candidates.last().cloned();
        for memory_id in candidates {
            let of_one = page(reader, store, wanted, &Part::Memory(memory_id))?;
            found.extend(of_one.into_iter().filter(|memory| memory.entries > 0 || memory.contexts > 0));
            if found.len() as i64 >= wanted.size {
                return Ok(found);
            }
        }
        if is_last {
            return Ok(found);
        }
    }
}

fn statement(store: &Store, wanted: &Wanted, part: &Part) -> Result<Statement> {
    let mut statement = Statement::default();
    let visible = part.rows(Rows::entries(store, "e")).sql(&mut statement, &visibility::visible(at_present()));
    let visible_contexts =
        Condition::all([visibility::not_deleted(at_present()), Condition::HasItsEntry(at_present())]);
    let visible_contexts = part.rows(Rows::contexts(store, "c")).sql(&mut statement, &visible_contexts);
    let within = part.bind(&mut statement);
    let ids = match within.memory() {
        None => ids(&mut statement, store, wanted, [&visible, &visible_contexts])?,
        Some(memory) => format!("  SELECT {memory}{} AS memory_id", collation(store.ids.memory)),
    };
    Ok(statement.with(filled(
        MEMORIES,
        &[
            ("{ids}", &ids),
            ("{entries}", &store.relation("entries")),
            ("{contexts}", &store.relation("contexts")),
            ("{access}", &store.relation("entry_access")),
            ("{visible}", &visible),
            ("{visible_contexts}", &visible_contexts),
            ("{in_e}", &within.and("e")),
            ("{in_c}", &within.and("c")),
            ("{in_a}", &within.and("a")),
        ],
    )))
}

/// The ids of a page, as SQL: ids of entries, and of contexts, that meet conditions.
fn ids(
    statement: &mut Statement,
    store: &Store,
    wanted: &Wanted,
    [visible, visible_contexts]: [&str; 2],
) -> Result<String> {
    let is_wanted = |statement: &mut Statement, alias: &str, kind: IdKind| {
        let mut conditions = String::new();
        // Bytes compare in the same way on each page, and a prefix is a range of them.
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
    let wanted_entries = is_wanted(statement, "e", kind)?;
    let size = statement.bind(Param::Integer(Some(wanted.size)));
    let (entries, contexts) = (store.relation("entries"), store.relation("contexts"));
    // Contexts have text ids, which may not be valid for an adopted table's type.
    let of_contexts = match kind {
        IdKind::Text => {
            let wanted_contexts = is_wanted(statement, "c", kind)?;
            filled(
                IDS_OF_CONTEXTS,
                &[
                    ("{contexts}", &contexts),
                    ("{visible_contexts}", visible_contexts),
                    ("{wanted_contexts}", &wanted_contexts),
                    ("{size}", &size),
                ],
            )
        }
        _ => String::new(),
    };
    Ok(filled(
        IDS,
        &[
            ("{collation}", collation(kind)),
            ("{entries}", &entries),
            ("{visible}", visible),
            ("{wanted_entries}", &wanted_entries),
            ("{of_contexts}", &of_contexts),
            ("{size}", &size),
        ],
    ))
}

/// The collation by which the index of a store's own table orders texts; other types have none.
fn collation(kind: IdKind) -> &'static str {
    if kind == IdKind::Text { " COLLATE pg_catalog.\"default\"" } else { "" }
}
