//! The memory index of a store's own table: what `memory_create_store()` makes, and what a search looks for. Any index
//! of the access method that holds all rows serves, whatever its name.

use pgrx::pg_sys;

use crate::pg::identifier::QuotedIdentifier;
use crate::pg::index_columns::IndexColumn;

/// Finds OIDs and names of those there are, and whether they may serve, on the table with the OID `{table}`.
pub const FIND: &str = include_str!("find_memory_index.sql");

/// Its name.
pub const NAME: &str = "entries_memory";

/// Names of its columns, which are those of the table.
#[allow(missing_docs)]
pub mod column {
    pub const MEMORY_ID: &str = "memory_id";
    pub const SEARCH_VECTOR: &str = "search_vector";
    pub const EMBEDDING: &str = "embedding";
    pub const CREATION_TIME: &str = "creation_time";
    pub const ENTRY_ORDER: &str = "entry_order";
    pub const ENTRY_IMPORTANCE: &str = "importance";
    pub const DELETION_SCHEDULED_TIME: &str = "deletion_scheduled_time";
    pub const EXPIRES_AT: &str = "expires_at";
    pub const SUPERSEDED_TIME: &str = "superseded_time";
    pub const VALID_FROM: &str = "valid_from";
    pub const VALID_UNTIL: &str = "valid_until";
    pub const USER_ID: &str = "user_id";
    pub const AGENT_ID: &str = "agent_id";
    pub const SESSION_ID: &str = "session_id";
    pub const SOURCE_TYPE: &str = "source_type";
    pub const TAGS: &str = "tags";
    pub const METADATA: &str = "metadata";
    pub const EMBEDDING_MODEL: &str = "embedding_model";
}

/// Any type that the access method takes: ids of memories, and pgvector's types, which have no OIDs of their own.
const ANY: pg_sys::Oid = pg_sys::InvalidOid;

pub(super) const KEYS: [(&str, pg_sys::Oid); 3] =
    [(column::MEMORY_ID, ANY), (column::SEARCH_VECTOR, pg_sys::TSVECTOROID), (column::EMBEDDING, ANY)];

pub(super) const INCLUDED: [(&str, pg_sys::Oid); 15] = [
    (column::CREATION_TIME, pg_sys::TIMESTAMPTZOID),
    (column::ENTRY_ORDER, pg_sys::INT8OID),
    (column::ENTRY_IMPORTANCE, pg_sys::INT2OID),
    (column::DELETION_SCHEDULED_TIME, pg_sys::TIMESTAMPTZOID),
    (column::EXPIRES_AT, pg_sys::TIMESTAMPTZOID),
    (column::SUPERSEDED_TIME, pg_sys::TIMESTAMPTZOID),
    (column::VALID_FROM, pg_sys::TIMESTAMPTZOID),
    (column::VALID_UNTIL, pg_sys::TIMESTAMPTZOID),
    (column::USER_ID, pg_sys::TEXTOID),
    (column::AGENT_ID, pg_sys::TEXTOID),
    (column::SESSION_ID, pg_sys::TEXTOID),
    (column::SOURCE_TYPE, pg_sys::TEXTOID),
    (column::TAGS, pg_sys::TEXTARRAYOID),
    (column::METADATA, pg_sys::JSONBOID),
    (column::EMBEDDING_MODEL, pg_sys::TEXTOID),
];

/// A memory index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryIndex {
    /// Its OID.
    pub oid: u32,
    /// Its name, qualified where the search path asks for it.
    pub name: String,
    /// Columns of entries, each with the place of the index's column that holds it, from 0.
    positions: Vec<(&'static str, usize)>,
}

impl MemoryIndex {
    /// Of an index with these columns; `None` where it is another than one of memories. `made_of` says what a column of
    /// entries is made of, as SQL over the table's columns.
    pub fn new<'a>(
        oid: u32,
        name: String,
        columns: &[IndexColumn],
        made_of: impl Fn(&'static str) -> Option<&'a str>,
    ) -> Option<MemoryIndex> {
        let positions: Vec<(&'static str, usize)> = KEYS
            .iter()
            .chain(&INCLUDED)
            .filter_map(|&(column, wanted)| {
                let expression = made_of(column)?;
                let place = columns.iter().position(|held| holds(held, expression, wanted))?;
                Some((column, place))
            })
            .collect();
        positions.contains(&(column::MEMORY_ID, 0)).then_some(MemoryIndex { oid, name, positions })
    }

    /// The place of a column of the table in it, from 0.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.positions.iter().find(|(name, _)| *name == column).map(|&(_, place)| place)
    }

    /// How many columns of entries it holds.
    pub fn holds(&self) -> usize {
        self.positions.len()
    }

    /// The columns of [`create`] that it lacks.
    pub fn missing(&self) -> Vec<&'static str> {
        KEYS.iter().chain(&INCLUDED).map(|&(name, _)| name).filter(|name| self.position(name).is_none()).collect()
    }
}

/// Whether a column of an index holds what an expression gives, as a type: itself, or what is cast to that type and the
/// index keeps alike.
pub(super) fn holds(held: &IndexColumn, expression: &str, wanted: pg_sys::Oid) -> bool {
    let is_cast_to = |type_name: &str| expression == format!("({})::{type_name}", held.expression);
    let is_it = expression == held.expression;
    match pg_sys::Oid::from(held.type_oid) {
        pg_sys::InvalidOid => false,
        pg_sys::VARCHAROID if wanted == ANY || wanted == pg_sys::TEXTOID => is_it || is_cast_to("text"),
        pg_sys::VARCHARARRAYOID if wanted == pg_sys::TEXTARRAYOID => is_it || is_cast_to("text[]"),
        pg_sys::INT4OID | pg_sys::INT2OID if wanted == pg_sys::INT8OID => is_it || is_cast_to("bigint"),
        type_oid => is_it && (wanted == ANY || wanted == type_oid),
    }
}

/// The statements that make it.
pub fn create(schema: &QuotedIdentifier) -> String {
    let names = |columns: &[(&'static str, pg_sys::Oid)]| columns.iter().map(|&(name, _)| name).collect::<Vec<_>>();
    let (first, second) = INCLUDED.split_at(INCLUDED.len() / 2);
    format!(
        "CREATE INDEX {NAME} ON {schema}.entries USING memory_search ({})\n  INCLUDE ({},\n    {});\n\
         COMMENT ON INDEX {schema}.{NAME} IS 'memory_search: what a search reads of every entry of a memory';\n",
        names(&KEYS).join(", "),
        names(first).join(", "),
        names(second).join(", ")
    )
}

/// The statements that make it in place of one that is broken or lacks columns.
pub fn create_anew(schema: &QuotedIdentifier) -> String {
    format!("DROP INDEX IF EXISTS {schema}.{NAME};\n{}", create(schema))
}
