//! The memory index of an adopted table, as `memory_doctor()` proposes it.

use pgrx::pg_sys::Oid;

use super::AdoptedRows;
use super::memory_index::{INCLUDED, KEYS, MemoryIndex, column, holds};
use crate::pg::index_columns::IndexColumn;
use crate::pg::view::ViewColumn;

/// Columns that a search asks rows for where the index does not hold them.
const MAY_BE_ASKED: [&str; 9] = [
    column::VALID_FROM,
    column::VALID_UNTIL,
    column::ENTRY_IMPORTANCE,
    column::USER_ID,
    column::AGENT_ID,
    column::SOURCE_TYPE,
    column::TAGS,
    column::METADATA,
    column::EMBEDDING_MODEL,
];

/// Why an adopted table's rows cannot be indexed.
pub struct CannotIndex {
    /// The column of entries that no index of the table holds.
    pub column: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// The columns of an index over an adopted table: each a column of entries, with its SQL.
pub struct OverAdopted {
    keys: Vec<(&'static str, String)>,
    included: Vec<(&'static str, String)>,
}

impl OverAdopted {
    /// Of the rows as the view shows them; what no index of the table can hold and a search needs is an error. What rows
    /// can be asked about is left out where it is no plain column.
    pub fn of(rows: &AdoptedRows) -> std::result::Result<OverAdopted, CannotIndex> {
        let mut keys = Vec::new();
        for (name, wanted) in KEYS {
            let Some(column) = rows.column(name).filter(|column| !column.is_null) else { continue };
            if column.is_mutable {
                return Err(CannotIndex { column: name, reason: "its expression is not immutable" });
            }
            if !column.has_comparable_texts {
                return Err(CannotIndex { column: name, reason: "its collation is nondeterministic" });
            }
            let held = held_by(column, wanted);
            keys.push((name, held.map_or_else(|| format!("({})", column.expression), |held| held.expression.clone())));
        }
        let mut included = Vec::new();
        for (name, wanted) in INCLUDED {
            let Some(column) = rows.column(name).filter(|column| !column.is_null) else { continue };
            match held_by(column, wanted) {
                Some(held) => included.push((name, held.expression.clone())),
                None if MAY_BE_ASKED.contains(&name) || name == column::ENTRY_ORDER && column.is_constant => {}
                None => {
                    return Err(CannotIndex { column: name, reason: "it is no plain column of a type that is kept" });
                }
            }
        }
        Ok(OverAdopted { keys, included })
    }

    /// As CREATE INDEX takes them.
    pub fn sql(&self) -> String {
        let keys: Vec<&str> = self.keys.iter().map(|(_, text)| text.as_str()).collect();
        let mut included: Vec<&str> = Vec::new();
        for (_, text) in &self.included {
            // One column of the table may be several of entries.
            if !included.contains(&text.as_str()) {
                included.push(text);
            }
        }
        match included.is_empty() {
            true => format!("({})", keys.join(", ")),
            false => format!("({}) INCLUDE ({})", keys.join(", "), included.join(", ")),
        }
    }

    /// Whether an index holds all of them.
    pub fn is_held_by(&self, index: &MemoryIndex) -> bool {
        self.keys.iter().chain(&self.included).all(|(name, _)| index.position(name).is_some())
    }
}

/// The column of the table that holds a column of entries in an index.
fn held_by(column: &ViewColumn, wanted: Oid) -> Option<&IndexColumn> {
    column.only_column.as_ref().map(|read| &read.held).filter(|held| holds(held, &column.expression, wanted))
}
