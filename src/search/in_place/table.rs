//! The tables of a store that may be read without the executor, and the user whose rows are visible.

use std::ffi::CStr;

use memory_search_core::place::Place;
use pgrx::pg_sys;

use crate::pg::attribute::Attribute;
use crate::pg::open_relation::{self, OpenRelation};
use crate::pg::seen_rows::{SeenRow, SeenRows};
use crate::pg::settings;
use crate::store::definition::Store;

/// An open table of a store, with all rows of the memories to search.
pub struct Table {
    /// The table, or its partition that holds the memory.
    pub rows: OpenRelation,
    /// Under the policy of `memory_enable_row_security()`: the user whose rows are visible.
    user: Option<(Attribute, String)>,
}

impl Table {
    /// The entries.
    pub fn entries(store: &Store) -> Option<Table> {
        if store.is_adopted() {
            return None;
        }
        let (asked, rows) = open(store, store.read_from.entries, 0)?;
        Table::of_users(rows, user_seen(store, &asked, None)?)
    }

    /// The contexts, which are a store's own table even if its entries are an adopted table.
    pub fn contexts(store: &Store) -> Option<Table> {
        let (asked, rows) = open(store, store.read_from.contexts, 1)?;
        Table::of_users(rows, user_seen_beside_entries(store, &asked)?)
    }

    /// The access counts of entries: to be read only for entries that the caller sees, as in its policy.
    pub fn entry_access(store: &Store) -> Option<Table> {
        if store.is_adopted() {
            return None;
        }
        let (asked, rows) = open(store, store.read_from.entry_access, 2)?;
        // Its policy depends on the user of the entry, who is known if the policy of entries applies.
        if user_seen_beside_entries(store, &asked)?.is_some() && Table::entries(store)?.user.is_none() {
            return None;
        }
        Some(Table { rows, user: None })
    }

    fn of_users(rows: OpenRelation, user: Option<String>) -> Option<Table> {
        let user = match user {
            None => None,
            Some(user) => {
                let column = Attribute::named(&rows, c"user_id")?.of_type(pg_sys::TEXTOID)?;
                Some((column.of_default_collation()?, user))
            }
        };
        Some(Table { rows, user })
    }

    /// The user whose rows are visible under the policy of `memory_enable_row_security()`.
    pub fn user(&self) -> Option<&str> {
        self.user.as_ref().map(|(_, user)| user.as_str())
    }

    /// A row of it, if the snapshot and the caller see it.
    pub fn row<'a, 'b>(&self, rows: &'a mut SeenRows<'b>, place: Place) -> Option<SeenRow<'a, 'b>> {
        let mut row = rows.row(place)?;
        let is_shown = self.user.as_ref().is_none_or(|(column, user)| row.is_text(*column, user) == Some(true));
        is_shown.then_some(row)
    }

    /// A column of a type; `None` if there is none, if it has another type, or if it is computed when it is read.
    pub fn column(&self, name: &CStr, type_oid: pg_sys::Oid) -> Option<Attribute> {
        Attribute::named(&self.rows, name)?.of_type(type_oid)
    }
}

/// A table by its OID, and the relation that holds its rows of the memory: the table, or one of its partitions
/// (`number`: entries, contexts, entry_access). `None` if the executor must record the reads, or if rows lie elsewhere.
fn open(store: &Store, oid: u32, number: usize) -> Option<(OpenRelation, OpenRelation)> {
    let needs_statement = || open_relation::is_serializable() || open_relation::is_for_statements(oid);
    if store.is_elsewhere() || oid == 0 || needs_statement() {
        return None;
    }
    let asked = OpenRelation::new(oid)?;
    let rows = OpenRelation::new(store.partition.map_or(oid, |partition| partition.parts[number].partition))?;
    rows.holds_all_rows().then_some((asked, rows))
}

/// The user whose rows the current role sees in the table whose privileges count: all users' (`Some(None)`), or one
/// user's under the policy of `memory_enable_row_security()`, which is an equality. `None` if only the executor knows:
/// there are other policies, or columns (`None`: all) may not be read. The caller holds the table's lock and read
/// `store` under it, so that no policy can have been added meanwhile.
pub fn user_seen(store: &Store, asked: &OpenRelation, columns: Option<&[i16]>) -> Option<Option<String>> {
    match asked.is_under_policy(columns)? {
        false => Some(None),
        true => user_of_policy(store).map(Some),
    }
}

/// The user whose rows the policy of `memory_enable_row_security()` shows; `None` under another policy, or if it shows
/// none.
pub fn user_of_policy(store: &Store) -> Option<String> {
    let user = settings::current(store.user_setting.as_ref()?).filter(|user| !user.is_empty())?;
    String::from_utf8(user).ok()
}

/// The same for the other two tables, whose policies follow that of entries.
fn user_seen_beside_entries(store: &Store, asked: &OpenRelation) -> Option<Option<String>> {
    user_seen(store, asked, None).filter(|user| user.is_none() || store.has_own_policies_alone)
}
