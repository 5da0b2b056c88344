//! Which of a store's tables may be read past the executor, and whose rows of them are seen.

use std::ffi::CStr;

use memory_search_core::place::Place;
use pgrx::pg_sys;

use crate::pg::attribute::Attribute;
use crate::pg::open_relation::{self, OpenRelation};
use crate::pg::seen_rows::{SeenRow, SeenRows};
use crate::pg::settings;
use crate::store::definition::Store;

/// A table of a store's own that is open, with all rows of the memories that a search is over.
pub struct Table {
    /// The table, or the partition of it that holds the memory.
    pub rows: OpenRelation,
    /// Under the policy of `memory_enable_row_security()`: whose rows are seen.
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

    /// The contexts, which are a store's own also where its entries are an adopted table's.
    pub fn contexts(store: &Store) -> Option<Table> {
        let (asked, rows) = open(store, store.read_from.contexts, 1)?;
        Table::of_users(rows, user_seen_beside_entries(store, &asked)?)
    }

    /// What is counted of entries: to be asked of those alone that the caller sees, as its policy does.
    pub fn entry_access(store: &Store) -> Option<Table> {
        if store.is_adopted() {
            return None;
        }
        let (asked, rows) = open(store, store.read_from.entry_access, 2)?;
        // Its policy asks whose the entry is: that is known where entries are under theirs.
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

    /// Whose rows of it are seen, under the policy of `memory_enable_row_security()`.
    pub fn user(&self) -> Option<&str> {
        self.user.as_ref().map(|(_, user)| user.as_str())
    }

    /// A row of it, if the snapshot and the caller see it.
    pub fn row<'a, 'b>(&self, rows: &'a mut SeenRows<'b>, place: Place) -> Option<SeenRow<'a, 'b>> {
        let mut row = rows.row(place)?;
        let is_shown = self.user.as_ref().is_none_or(|(column, user)| row.is_text(*column, user) == Some(true));
        is_shown.then_some(row)
    }

    /// A column of a type; `None` where there is none, it is of another type, or it is computed when it is read.
    pub fn column(&self, name: &CStr, type_oid: pg_sys::Oid) -> Option<Attribute> {
        Attribute::named(&self.rows, name)?.of_type(type_oid)
    }
}

/// A table by its OID, and what holds the memory of it: the table, or one of its partitions (`number`: of entries,
/// contexts, entry_access). What must leave a trace of what it reads is the executor's, and rows that lie elsewhere are.
fn open(store: &Store, oid: u32, number: usize) -> Option<(OpenRelation, OpenRelation)> {
    if store.is_elsewhere() || oid == 0 || open_relation::is_serializable() || open_relation::is_asked_by_others() {
        return None;
    }
    // Whom the schema is closed to a statement tells so.
    let asked = OpenRelation::new(oid).filter(OpenRelation::is_in_open_schema)?;
    let rows = OpenRelation::new(store.partition.map_or(oid, |partition| partition.parts[number].partition))?;
    rows.holds_all_rows().then_some((asked, rows))
}

/// Whose rows the current user sees of the table that entries are asked of: everybody's (`Some(None)`), or, under the
/// policy of `memory_enable_row_security()`, which is an equality, one user's. `None` where only the executor knows:
/// other policies, or columns (`None`: all) that may not be read. The caller holds the table's lock and read `store`
/// under it, so that no policy can have come meanwhile.
pub fn user_seen(store: &Store, asked: &OpenRelation, columns: Option<&[i16]>) -> Option<Option<String>> {
    match asked.is_under_policy(columns)? {
        false => Some(None),
        true => user_of_policy(store).map(Some),
    }
}

/// Whose rows the policy of `memory_enable_row_security()` lets be seen; `None` under another, or where it lets none.
pub fn user_of_policy(store: &Store) -> Option<String> {
    let user = settings::current(store.user_setting.as_ref()?).filter(|user| !user.is_empty())?;
    String::from_utf8(user).ok()
}

/// The same of the other two tables, whose policies go with that of entries.
fn user_seen_beside_entries(store: &Store, asked: &OpenRelation) -> Option<Option<String>> {
    user_seen(store, asked, None).filter(|user| user.is_none() || store.has_own_policies_alone)
}
