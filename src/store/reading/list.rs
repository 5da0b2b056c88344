//! Lists the entries of a memory, page by page, by default the visible ones. A page begins after an entry, not at a
//! number: entries that are added or deleted meanwhile move no other entry to another page, and a late page costs as
//! much as the first.

use memory_search_core::Result;
use memory_search_core::request::entry_list::{Cursor, EntryOrder, ListOf, OrderedBy, no_cursor};
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::request::shown_entries::ShownEntries;

use super::entry::{self, Entry, Gathered};
use super::{condition_of, of_memory};
use crate::pg::clock;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::Statement;
use crate::store::definition::Store;
use crate::store::definition::known_aliases;
use crate::store::predicate::Rows;

/// A page to read.
pub struct Page {
    /// JSON text of the filters.
    pub filters: Option<String>,
    /// The order, as the caller wrote it.
    pub order_by: String,
    /// The most rows.
    pub size: i64,
    /// The end of the previous page.
    pub cursor: Option<String>,
    /// JSON text of the options.
    pub options: Option<String>,
}

/// The entries of a page, each with the cursor of the entries that follow it.
pub fn list(store_name: &StoreName, memory_id: &MemoryId, page: &Page) -> Result<Vec<(Entry, String)>> {
    let order = EntryOrder::parse(&page.order_by)?;
    let filters = condition_of(page.filters.as_deref())?;
    let shown = page.options.as_deref().map(ShownEntries::parse).transpose()?.unwrap_or_default();
    let when = shown.when(clock::transaction_start());
    of_memory(store_name, memory_id, |reader, store| {
        store.require_keys_for(&filters)?;
        let filters = known_aliases::applied(reader, store, memory_id, filters)?;
        let canonical = store.canonical_memory_id(memory_id);
        let list = ListOf {
            store: store_name,
            memory_id: &canonical,
            filters: page.filters.as_deref().filter(|text| *text != "{}").unwrap_or_default(),
            order_by: &page.order_by,
            options: page.options.as_deref().filter(|text| *text != "{}").unwrap_or_default(),
        };
        let mut statement = Statement::default();
        let rows = Rows::entries(store, "e").of_memory(memory_id);
        let columns = entry::columns(&mut statement, store, &rows, &shown, when);
        let of_memory = store.of_memory(&mut statement, "e", memory_id);
        let visible = rows.and(&mut statement, &shown.condition(when));
        let filters = rows.and(&mut statement, &filters);
        let key = Key::new(store, order);
        let behind = match &page.cursor {
            Some(text) => {
                let cursor = Cursor::read(text, &list)?;
                let behind = key.behind(&mut statement, store, &cursor);
                format!(" AND {}", behind.ok_or_else(|| no_cursor(text))?)
            }
            None => String::new(),
        };
        let size = statement.bind(Param::Integer(Some(page.size)));
        let (entries, order_by) = (store.relation("entries"), key.order_by());
        let wanted = format!("{of_memory}{visible}{filters}{behind} AND e.entry_id IS NOT NULL");
        // Access counts are only looked up for the entries on the page, unless the list is ordered by them.
        let from = match order.by {
            OrderedBy::AccessCount => {
                let access = entry::with_all_access(&mut statement, store, memory_id);
                format!("{entries} e {access} WHERE {wanted} ORDER BY {order_by} LIMIT {size}")
            }
            OrderedBy::CreatedAt => {
                let access = entry::with_access(&mut statement, store, memory_id, "a.access_count");
                format!("{entries} e {access} WHERE {wanted} ORDER BY {order_by} LIMIT {size}")
            }
            OrderedBy::ExpiresAt | OrderedBy::Importance => {
                let access = entry::with_access(&mut statement, store, memory_id, "a.access_count");
                format!(
                    "(SELECT e.* FROM {entries} e WHERE {wanted} ORDER BY {order_by} LIMIT {size}) e {access} \
                     ORDER BY {order_by}"
                )
            }
        };
        let statement = statement.with(format!("SELECT {columns}, {} FROM {from}", key.expression));
        let (mut found, mut gathered) = (Vec::new(), Gathered::default());
        let mut read = || {
            reader.scan(&statement, |row| {
                let entry = Entry::read(&row)?;
                gathered.count(&entry)?;
                let cursor = Cursor { value: key.value(&row, entry::COLUMNS + 1), id: entry.entry_id.clone() };
                found.push((entry, cursor.written(&list)));
                Ok(())
            })
        };
        match order.by {
            OrderedBy::CreatedAt => store.in_index_order(read)?,
            OrderedBy::AccessCount => store.joining_all(read)?,
            OrderedBy::ExpiresAt | OrderedBy::Importance => read()?,
        }
        Ok(found)
    })
}

/// The order of a list, as SQL: a value, then the id. Ascending order is descending order reversed, except that entries
/// without a value come last in both: so one index can be used for both.
struct Key {
    order: EntryOrder,
    expression: String,
    may_lack_value: bool,
    id: String,
}

impl Key {
    fn new(store: &Store, order: EntryOrder) -> Key {
        let (expression, may_lack_value) = match order.by {
            OrderedBy::CreatedAt => ("e.creation_time::pg_catalog.timestamptz", store.may_lack_creation_time),
            OrderedBy::ExpiresAt => ("e.expires_at::pg_catalog.timestamptz", true),
            OrderedBy::Importance => ("e.importance::pg_catalog.float8", store.is_adopted()),
            OrderedBy::AccessCount => ("COALESCE(a.access_count, 0)::pg_catalog.float8", false),
        };
        Key { order, expression: expression.to_owned(), may_lack_value, id: store.id_order("e.entry_id") }
    }

    fn order_by(&self) -> String {
        let nulls = if self.may_lack_value { " NULLS LAST" } else { "" };
        match self.order.is_descending {
            true => format!("{} DESC{nulls}, {}", self.expression, self.id),
            false => format!("{} ASC{nulls}, {} DESC", self.expression, self.id),
        }
    }

    fn is_time(&self) -> bool {
        matches!(self.order.by, OrderedBy::CreatedAt | OrderedBy::ExpiresAt)
    }

    /// The value of a row, in its column.
    fn value(&self, row: &Row<'_>, column: i32) -> Option<String> {
        match self.is_time() {
            true => row.server_timestamp(column).map(|micros| micros.to_string()),
            false => row.number(column).map(|number| format!("{number:?}")),
        }
    }

    /// The condition that an entry comes later in the list; `None` if the cursor has other values than a list gives.
    fn behind(&self, statement: &mut Statement, store: &Store, cursor: &Cursor) -> Option<String> {
        let id = store.ids.entry.value(&cursor.id)?;
        let id = statement.bind(Param::text(id));
        let id = store.id_order(&format!("{id}::pg_catalog.{}", store.ids.entry));
        let (further, at_least, id_further) = match self.order.is_descending {
            true => ("<", "<=", ">"),
            false => (">", ">=", "<"),
        };
        let by_id = format!("{} OPERATOR(pg_catalog.{id_further}) {id}", self.id);
        let x = &self.expression;
        let Some(value) = &cursor.value else {
            return Some(format!("{x} IS NULL AND {by_id}"));
        };
        let value = match self.is_time() {
            true => statement.bind(Param::ServerTimestamp(value.parse().ok()?)),
            false => statement.bind(Param::Number(value.parse().ok()?)),
        };
        let later = format!("{x} OPERATOR(pg_catalog.{further}) {value}");
        // The first condition is the one that an index can use.
        let behind = format!("{x} OPERATOR(pg_catalog.{at_least}) {value} AND ({later} OR {by_id})");
        Some(if self.may_lack_value { format!("({x} IS NULL OR {behind})") } else { behind })
    }
}
