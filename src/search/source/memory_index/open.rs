//! The memory index of a store, open to be read by the current user in the active snapshot.

use std::rc::Rc;

use memory_search_core::Result;
use memory_search_core::filter::condition::{NumberField, TextField, TimeField};
use memory_search_core::ids::IdKind;
use memory_search_index::filter::{Layout, NumberForm};
use memory_search_index::hashing::MemoryHash;

use crate::index::{Index, PinnedPages};
use crate::pg::attribute::Attribute;
use crate::pg::function::may_call;
use crate::pg::open_relation::{self, OpenRelation};
use crate::search::in_place;
use crate::store::definition::memory_index::column;
use crate::store::definition::{Partition, Store};

/// The number columns that ranking reads.
#[derive(Debug, Clone, Copy)]
pub struct RankedBy {
    /// `None` if no row has a time.
    pub created: Option<usize>,
    /// `None` if all rows have the same order.
    pub order: Option<usize>,
}

/// The memory index of a store.
pub struct OpenIndex {
    pub index: Index,
    pub table: OpenRelation,
    /// The columns in which conditions find their fields.
    pub layout: Layout,
    pub ranked_by: RankedBy,
    /// The column that names embedders, from 1, if it is kept.
    pub embedder: Option<u16>,
    pub has_words: bool,
    pub has_embeddings: bool,
    /// The column with the ids of rows, if statements look rows up by ids: rows of a view have no places, and a caller
    /// that may not read the whole table may not ask for them.
    pub looked_up_by: Option<(Attribute, IdKind)>,
    /// The source of row visibility.
    pub seen_by: SeenBy,
}

/// The way in which the rows that the caller sees are determined.
pub enum SeenBy {
    /// By the snapshot.
    Snapshot(Asked),
    /// By the snapshot and the policy of `memory_enable_row_security()`: the rows of this user. There is no question
    /// about rows.
    User(String, Asked),
    /// By the executor: a statement returns their places ([`super::rows_asked`]).
    Executor,
}

/// The first question to the executor if the snapshot determines which rows are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// There is no question: the caller may read everything, and reads are not recorded.
    Nothing,
    /// Whether the caller has the privileges for the schema and the columns of a search, and whether other libraries
    /// let it read.
    Privileges,
    /// The privileges, and a pass over the rows of the memory, for the traces of a serializable transaction.
    Rows,
}

impl OpenIndex {
    /// The store's index; `None` if it may not be read: it is not complete, or not valid for every snapshot, it lacks a
    /// column that a search needs, the rows are in other relations, or a setting forbids index scans. The caller holds
    /// the table's lock and read `store` under it, so that no policy can have been added meanwhile.
    pub fn of(store: &Store, pinned: &Rc<PinnedPages>) -> Result<Option<OpenIndex>> {
        let Some(definition) = &store.memory_index else { return Ok(None) };
        if store.is_elsewhere() || !open_relation::may_scan_indexes() {
            return Ok(None);
        }
        let Some(asked) = OpenRelation::new(store.table_of_entries()) else { return Ok(None) };
        let (table_oid, index_oid) = match store.partition {
            None => (store.table_of_entries(), definition.oid),
            Some(Partition { parts: [entries, ..], memory_index: Some(index), .. }) => (entries.partition, index),
            Some(Partition { memory_index: None, .. }) => return Ok(None),
        };
        let Some(table) = OpenRelation::new(table_oid).filter(OpenRelation::holds_all_rows) else { return Ok(None) };
        // A caller sees what a view shows if it may read the view, the columns behind it in the table, and may call the
        // functions between them. A statement that calls none of these functions does not check the last point.
        let adopted = store.adopted_rows();
        if adopted.is_some_and(|rows| !rows.functions.iter().copied().all(may_call)) {
            return Ok(None);
        }
        let id = match adopted {
            Some(rows) => rows.id_attribute().and_then(|number| Attribute::numbered(&table, number)),
            None => Attribute::named(&table, c"entry_id"),
        };
        let Some(id) = id.and_then(|id| id.of_id(store.ids.entry)) else { return Ok(None) };
        let is_looked_up = adopted.is_some() || !open_relation::may_read(asked.oid());
        // Rows that the store's own policy lets through here are tested by it again before any of their data are shown.
        // A partition is read with the policy of its table.
        let may_read_view = adopted.is_none() || open_relation::may_read(store.read_from.entries);
        let is_under_policy = asked.is_under_policy(adopted.and_then(|rows| rows.columns_read.as_deref()));
        let may_read = may_read_view && is_under_policy.is_some();
        let question = match may_read && !open_relation::is_for_statements(store.read_from.entries) {
            true => Asked::Nothing,
            false => Asked::Privileges,
        };
        let seen_by = match is_under_policy.unwrap_or_else(|| asked.has_policies_for_caller()) {
            false if open_relation::is_serializable() => SeenBy::Snapshot(Asked::Rows),
            false => SeenBy::Snapshot(question),
            true if may_read && !open_relation::is_serializable() => match in_place::user_of_policy(store) {
                Some(user) => SeenBy::User(user, question),
                None => SeenBy::Executor,
            },
            true => SeenBy::Executor,
        };
        let Some(index) = Index::open(index_oid, &table, pinned)? else { return Ok(None) };
        let number = |name: &str| definition.position(name).and_then(|place| index.number_of(place));
        let term =
            |name: &str| definition.position(name).filter(|place| index.is_term(*place)).map(|place| place as u16 + 1);
        let view_column = |name| store.adopted_rows().and_then(|rows| rows.column(name));
        let order = number(column::ENTRY_ORDER);
        if order.is_none() && !view_column(column::ENTRY_ORDER).is_some_and(|column| column.is_constant) {
            return Ok(None);
        }
        let mut layout = Layout::new(*index.hashes());
        // The columns for visibility must be in the index; for the other filters, rows may be read.
        for (field, name) in [
            (TimeField::Creation, column::CREATION_TIME),
            (TimeField::DeletionScheduled, column::DELETION_SCHEDULED_TIME),
            (TimeField::Expiry, column::EXPIRES_AT),
            (TimeField::Superseded, column::SUPERSEDED_TIME),
        ] {
            match number(name) {
                Some(place) => layout = layout.with_time(field, place),
                // A field that is not in the layout counts as null.
                None if view_column(name).is_some_and(|column| column.is_null) => {}
                None => return Ok(None),
            }
        }
        for (field, name) in [(TimeField::ValidFrom, column::VALID_FROM), (TimeField::ValidUntil, column::VALID_UNTIL)]
        {
            if let Some(place) = number(name) {
                layout = layout.with_time(field, place);
            }
        }
        if let Some(place) = number(column::ENTRY_IMPORTANCE) {
            layout = layout.with_number(NumberField::Importance, place, NumberForm::Integer);
        }
        for (field, name) in [
            (TextField::UserId, column::USER_ID),
            (TextField::AgentId, column::AGENT_ID),
            (TextField::SessionId, column::SESSION_ID),
            (TextField::SourceType, column::SOURCE_TYPE),
        ] {
            if let Some(place) = term(name) {
                layout = layout.with_text(field, place);
            }
        }
        if matches!(seen_by, SeenBy::User(..)) && layout.text(TextField::UserId).is_none() {
            return Ok(None);
        }
        if let Some(place) = term(column::TAGS) {
            layout = layout.with_tags(place);
        }
        if let Some(place) = term(column::ENTITIES) {
            layout = layout.with_entities(place);
        }
        if let Some(place) = term(column::METADATA) {
            layout = layout.with_metadata(place);
        }
        Ok(Some(OpenIndex {
            layout,
            ranked_by: RankedBy { created: number(column::CREATION_TIME), order },
            embedder: term(column::EMBEDDING_MODEL),
            // An attached partition's index may make other words.
            has_words: definition.has_words && index.makes_words_so(store.configuration()?, &definition.weights),
            // A column that is null in every row holds no embedding. An adopted table has no passages.
            has_embeddings: (definition.position(column::EMBEDDING).is_some()
                || view_column(column::EMBEDDING).is_some_and(|column| column.is_null))
                && (adopted.is_some() || definition.position(column::PASSAGE_EMBEDDINGS).is_some()),
            looked_up_by: is_looked_up.then_some((id, store.ids.entry)),
            seen_by,
            index,
            table,
        }))
    }

    /// Whether a statement passes over all rows of a memory.
    pub fn asks_all_rows(&self) -> bool {
        matches!(self.seen_by, SeenBy::Executor | SeenBy::Snapshot(Asked::Rows))
    }

    /// Whether the caller is known to have the privileges on all columns that a search of entries reads.
    pub fn may_be_read_whole(&self) -> bool {
        matches!(self.seen_by, SeenBy::User(_, Asked::Nothing) | SeenBy::Snapshot(Asked::Nothing))
    }

    /// Under the policy of `memory_enable_row_security()`: the user whose rows the caller sees.
    pub fn user(&self) -> Option<&str> {
        match &self.seen_by {
            SeenBy::User(user, _) => Some(user),
            SeenBy::Snapshot(_) | SeenBy::Executor => None,
        }
    }

    /// The memory of an id; `None` if no row can have it.
    pub fn memory(&self, kind: IdKind, memory_id: &str) -> Option<MemoryHash> {
        self.index.memory(&kind.value(memory_id)?)
    }
}
