//! An id or a key that another entry of the memory has: the index says which row conflicts, and this module says which
//! argument contained the value.

use memory_search_core::error::shown;
use memory_search_core::request::names::MemoryId;
use memory_search_core::{Error, ErrorKind};

use crate::pg::reworded;

/// An id or a key that a caller gives.
#[derive(Debug, Clone)]
pub struct Given {
    /// The name of the argument; in a list of rows, the key of the row that has the value.
    pub argument: &'static str,
    /// The row, in the caller's terms: `entries[3]`.
    pub row: Option<String>,
    /// The column for it.
    pub column: Column,
    /// The value.
    pub value: String,
}

/// The columns whose values are unique within a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Column {
    EntryId,
    EntryKey,
    ContextId,
}

impl Column {
    fn name(self) -> &'static str {
        match self {
            Column::EntryId => "entry_id",
            Column::EntryKey => "entry_key",
            Column::ContextId => "context_id",
        }
    }

    /// The noun for a row that has such a value.
    fn holder(self) -> &'static str {
        if self == Column::ContextId { "context" } else { "entry" }
    }

    fn hint(self) -> &'static str {
        match self {
            Column::EntryKey => {
                "Give another key, or empty that entry's: memory_update(..., clear => '{entry_key}'). A deleted entry \
                 keeps its key until it is purged."
            }
            Column::EntryId => {
                "Leave the id out to get a new one, or change the entry that has it: memory_update. A deleted entry \
                 keeps its id until it is purged."
            }
            Column::ContextId => {
                "Leave the id out to get a new one. A deleted context keeps its id until it is purged."
            }
        }
    }

    /// The index's name as the store makes it; a partition's index has another name.
    fn index(self) -> &'static str {
        match self {
            Column::EntryId => "\"entries_pkey\"",
            Column::EntryKey => "\"entries_key\"",
            Column::ContextId => "\"contexts_pkey\"",
        }
    }

    /// A value as the server writes it, because a uuid may be given in other forms.
    fn canonical(self, value: &str) -> String {
        match self {
            Column::EntryKey => value.to_owned(),
            Column::EntryId | Column::ContextId => {
                value.chars().filter(char::is_ascii_hexdigit).map(|digit| digit.to_ascii_lowercase()).collect()
            }
        }
    }
}

/// Runs `work`, which stores rows of a memory with the ids and keys that `given` lists. A conflicting one is refused
/// with its argument and its value (23505).
pub fn named<T>(memory_id: &MemoryId, given: impl FnOnce() -> Vec<Given>, work: impl FnOnce() -> T) -> T {
    let words = |message: &str, detail: &str| {
        let given = given();
        let taken = match detail.is_empty() {
            false => given.iter().find(|given| is_named(given, memory_id, detail)),
            // Under row security the server does not tell the caller the row: then the value is only certain if there
            // is just one.
            true if given.len() == 1 => given.iter().find(|given| message.contains(given.column.index())),
            true => None,
        }?;
        let of_row = taken.row.as_ref().map(|row| format!(" of {row}")).unwrap_or_default();
        let message = format!(
            "{} \"{}\"{of_row} is already used by another {} of memory \"{}\"",
            taken.argument,
            shown(&taken.value),
            taken.column.holder(),
            shown(memory_id)
        );
        Some(Error::new(ErrorKind::DuplicateObject, message).hint(taken.column.hint()))
    };
    reworded::on_duplicate(words, work)
}

/// Whether the server's detail is about this value: `Key (memory_id, entry_id)=(m, ...)`, in any language.
fn is_named(given: &Given, memory_id: &MemoryId, detail: &str) -> bool {
    let key = format!("(memory_id, {})=({}, ", given.column.name(), &**memory_id);
    let Some(found) = detail.find(&key) else { return false };
    let rest = &detail[found + key.len()..];
    match given.column {
        Column::EntryKey => rest.strip_prefix(given.value.as_str()).is_some_and(|rest| rest.starts_with(')')),
        column => {
            let end = rest.find(')').unwrap_or(rest.len());
            column.canonical(&rest[..end]) == column.canonical(&given.value)
        }
    }
}
