//! The columns that a store requires, and the error of a store that lacks some of them, or its language: because
//! somebody dropped one or changed its type, or because an older version made the store. Answers would be wrong.

use pgrx::pg_sys::{self, Oid};

use super::columns::{ColumnFound, Columns};
use super::relations::Named::{self, Contexts, Entries, EntryAccess};
use super::relations::Relations;

/// The columns that a store lacks, and the reason for which it has no words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacks {
    /// Each column, and that it is missing or which type it has; then that reason.
    pub what: String,
    /// Whether a column has another type, or is missing and had values. Only the person who changed it knows what its
    /// values mean, and no statement restores lost ones.
    pub has_other_types: bool,
    /// Whether the view lacks a column, so that `memory_adopt_table()` did not make it.
    pub is_of_view: bool,
}

/// The type that a column must have.
#[derive(Clone, Copy)]
enum Type {
    /// The type with this OID, which the server writes like this.
    Fixed(Oid, &'static str),
    /// The type of the ids of entries.
    OfEntryIds,
    /// An array of pgvector's types, which have no fixed OIDs.
    Vectors,
    /// Any: the values of the rows are lost with the column, or the column has a type of pgvector.
    Any,
}

const TEXT: Type = Type::Fixed(pg_sys::TEXTOID, "text");
const TEXTS: Type = Type::Fixed(pg_sys::TEXTARRAYOID, "text[]");
const INSTANT: Type = Type::Fixed(pg_sys::TIMESTAMPTZOID, "timestamp with time zone");
const INTERVAL: Type = Type::Fixed(pg_sys::INTERVALOID, "interval");
const COUNT: Type = Type::Fixed(pg_sys::INT8OID, "bigint");

/// The stores that require a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Also a store whose entries are a view.
    EveryStore,
    /// Only a store with its own table of entries.
    OwnEntries,
}
use Of::{EveryStore, OwnEntries};

/// Columns that stores of an older version lack: the doctor adds them (`columns_anew.sql`, `feedback_anew.sql`).
const ADDED: [(Named, &str, Type, Of); 10] = [
    (Entries, "session_id", TEXT, EveryStore),
    (Entries, "entry_key", TEXT, OwnEntries),
    (Entries, "valid_from", INSTANT, EveryStore),
    (Entries, "valid_until", INSTANT, EveryStore),
    (Entries, "time_to_live", INTERVAL, OwnEntries),
    (Entries, "embedding_model", TEXT, OwnEntries),
    (Contexts, "embedding_model", TEXT, OwnEntries),
    (Contexts, "entry_id", Type::OfEntryIds, OwnEntries),
    (EntryAccess, "helpful", COUNT, EveryStore),
    (EntryAccess, "unhelpful", COUNT, EveryStore),
];

/// Columns that every version made, so that a missing one was dropped with its values. Without `memory_id` and
/// `entry_id` of entries a schema is no store.
const FIRST: [(Named, Of, &[&str]); 3] = [
    (
        Entries,
        OwnEntries,
        &[
            "user_id",
            "agent_id",
            "raw_entry",
            "summary",
            "context",
            "tags",
            "metadata",
            "source_type",
            "importance",
            "creation_time",
            "deletion_scheduled_time",
            "expires_at",
            "superseded_by",
            "superseded_time",
            "embedding",
            "entry_order",
        ],
    ),
    (
        Contexts,
        EveryStore,
        &["memory_id", "context_id", "user_id", "context", "creation_time", "deletion_scheduled_time", "embedding"],
    ),
    (EntryAccess, EveryStore, &["memory_id", "entry_id", "access_count", "last_accessed_at"]),
];

/// Columns that were added last; they are named after the others.
const ADDED_LAST: [(Named, &str, Type, Of); 4] = [
    (Entries, "embedding_error", TEXT, OwnEntries),
    (Contexts, "embedding_error", TEXT, OwnEntries),
    (Entries, "entities", TEXTS, EveryStore),
    (Entries, "passage_embeddings", Type::Vectors, OwnEntries),
];

/// A required column.
struct Wanted {
    relation: Named,
    name: &'static str,
    type_wanted: Type,
    of: Of,
    /// Whether a statement can add it, because nothing is lost without it.
    comes_anew: bool,
}

/// The required columns, in the order in which they are named.
fn wanted() -> impl Iterator<Item = Wanted> {
    let added = |(relation, name, type_wanted, of): (Named, _, _, _)| Wanted {
        relation,
        name,
        type_wanted,
        of,
        comes_anew: true,
    };
    let first = FIRST.into_iter().flat_map(|(relation, of, names)| {
        let named = move |&name| Wanted { relation, name, type_wanted: Type::Any, of, comes_anew: false };
        names.iter().map(named)
    });
    ADDED.into_iter().map(added).chain(first).chain(ADDED_LAST.into_iter().map(added))
}

impl Lacks {
    /// The columns that a store lacks; `None` if it has all of them. `no_words` is the reason for which words cannot be
    /// made, if there is one.
    pub fn of(relations: &Relations, columns: &Columns, no_words: Option<String>) -> Option<Lacks> {
        let is_view = relations.entries.as_ref().is_some_and(|entries| entries.is_view());
        let entry_ids = columns.get(relations, Entries, "entry_id");
        let (mut what, mut lacks_values, mut is_of_view) = (Vec::new(), false, false);
        // Without it no entry has been counted: it can be made again.
        if relations.entry_access.is_none() {
            what.push("the table entry_access is missing".to_owned());
        }
        for column in wanted().filter(|column| column.of == EveryStore || !is_view) {
            let Some(relation) = relations.get(column.relation) else { continue };
            let found = columns.get(relations, column.relation, column.name);
            let Some(message) = message(&column, found, entry_ids) else { continue };
            what.push(message);
            lacks_values |= found.is_some() || !column.comes_anew;
            is_of_view |= relation.is_view();
        }
        let has_other_types = lacks_values || no_words.is_some();
        what.extend(no_words);
        (!what.is_empty()).then(|| Lacks { what: what.join(", "), has_other_types, is_of_view })
    }
}

/// The defect of a column; `None` if it is as required.
fn message(wanted: &Wanted, found: Option<&ColumnFound>, entry_ids: Option<&ColumnFound>) -> Option<String> {
    let (name, relation) = (wanted.name, wanted.relation.name());
    let Some(found) = found else { return Some(format!("the column {name} of {relation} is missing")) };
    let (type_oid, type_written) = match wanted.type_wanted {
        Type::Fixed(oid, written) => (oid.to_u32(), written),
        Type::OfEntryIds => entry_ids.map(|ids| (ids.type_oid, ids.type_alone.as_str()))?,
        Type::Vectors if matches!(found.type_name.as_deref(), Some("_halfvec" | "_vector")) => return None,
        Type::Vectors => (pg_sys::InvalidOid.to_u32(), "halfvec[]"),
        Type::Any => return None,
    };
    let is_other = found.type_oid != type_oid;
    is_other
        .then(|| format!("the column {name} of {relation} is of type {} instead of {type_written}", found.type_written))
}
