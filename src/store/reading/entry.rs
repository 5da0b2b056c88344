//! An entry with all columns that functions show.

use memory_search_core::bounds_and_defaults;
use memory_search_core::error::shown;
use memory_search_core::filter::condition::{Condition, When};
use memory_search_core::filter::visibility;
use memory_search_core::request::names::MemoryId;
use memory_search_core::request::shown_entries::ShownEntries;
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::datum::text;
use crate::pg::row::Row;
use crate::pg::spi::Statement;
use crate::store::definition::Store;
use crate::store::predicate::Rows;

/// The columns of an entry, as the answer of a search shows them.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Entry {
    pub entry_id: String,
    pub memory_id: String,
    pub user_id: Option<String>,
    pub agent_id: Option<String>,
    pub session_id: Option<String>,
    pub entry_key: Option<String>,
    pub summary: Option<String>,
    pub raw_entry: String,
    pub context: Option<String>,
    /// JSON text.
    pub tags: String,
    /// Names of the people, places and things that it is about, as JSON.
    pub entities: String,
    /// JSON text.
    pub metadata: String,
    pub source_type: Option<String>,
    pub importance: Option<i64>,
    pub access_count: i64,
    pub created: Option<Micros>,
    pub expires: Option<Micros>,
    pub valid_from: Option<Micros>,
    pub valid_until: Option<Micros>,
    /// The time that it lives after each use, in ISO 8601.
    pub ttl: Option<String>,
    /// The correction, as long as it is valid.
    pub superseded_by: Option<String>,
    pub deletion_scheduled: Option<Micros>,
    /// The embedding, if it was asked for.
    pub embedding: Option<Vec<f32>>,
}

/// The number of columns that [`columns`] selects.
pub const COLUMNS: i32 = 23;

/// The columns of entries `e` with their access counts `a`, in the state at the instant `when`.
pub fn columns(statement: &mut Statement, store: &Store, rows: &Rows<'_>, shown: &ShownEntries, when: When) -> String {
    let superseded_by = match shown.include_superseded {
        true => {
            let corrected = Condition::all([visibility::corrected(when), Condition::StandsAgain(when).negated()]);
            let is_corrected = rows.sql(statement, &corrected);
            format!("CASE WHEN {is_corrected} THEN e.superseded_by::pg_catalog.text END")
        }
        false => "NULL::pg_catalog.text".to_owned(),
    };
    let embedding = if shown.include_embedding { "e.embedding" } else { "NULL" };
    format!(
        "e.entry_id::pg_catalog.text, e.memory_id::pg_catalog.text, e.user_id::pg_catalog.text, \
         e.agent_id::pg_catalog.text, e.summary::pg_catalog.text, e.raw_entry::pg_catalog.text, \
         e.context::pg_catalog.text, pg_catalog.to_jsonb(e.tags)::pg_catalog.text, \
         pg_catalog.to_jsonb(e.metadata)::pg_catalog.text, e.source_type::pg_catalog.text, \
         e.importance::pg_catalog.int8, COALESCE(a.access_count, 0)::pg_catalog.int8, \
         e.creation_time::pg_catalog.timestamptz, e.expires_at::pg_catalog.timestamptz, {superseded_by}, \
         e.deletion_scheduled_time::pg_catalog.timestamptz, e.session_id, {}, {}, {}, {embedding}::pg_catalog.float4[], \
         pg_catalog.to_jsonb(e.entities)::pg_catalog.text",
        store.entry_key("e"),
        store.interval("e"),
        store.time_to_live("e")
    )
}

/// The join of entries `e` of a memory with columns of their access counts `a`, which are looked up one by one. The
/// counts are bound to the memory by its id, too, because Citus would not find their shard through entries that are
/// looked up one by one.
pub fn with_access(statement: &mut Statement, store: &Store, memory_id: &MemoryId, columns: &str) -> String {
    let of_memory = store.of_memory(statement, "a", memory_id);
    format!(
        "LEFT JOIN LATERAL (SELECT {columns} FROM {} a WHERE {of_memory} AND {}) a ON true",
        store.relation("entry_access"),
        store.keyed("a", "entry_id", "e.entry_id", "")
    )
}

/// The same join for a query that reads the counts of all entries: by one scan of all counts of the memory.
pub fn with_all_access(statement: &mut Statement, store: &Store, memory_id: &MemoryId) -> String {
    let of_memory = store.of_memory(statement, "a", memory_id);
    format!(
        "LEFT JOIN {} a ON {of_memory} AND a.entry_id OPERATOR(pg_catalog.=) e.entry_id",
        store.relation("entry_access")
    )
}

impl Entry {
    /// Reads a row that begins with [`columns`].
    pub fn read(row: &Row<'_>) -> Result<Self> {
        let named = |error| too_long(error, row.text(2), row.text(1));
        Self::read_whole(row).map_err(named)
    }

    fn read_whole(row: &Row<'_>) -> Result<Self> {
        Ok(Entry {
            entry_id: row.required_text(1)?,
            memory_id: row.required_text(2)?,
            user_id: row.text(3)?,
            agent_id: row.text(4)?,
            summary: row.text(5)?,
            raw_entry: row.text(6)?.unwrap_or_default(),
            context: row.text(7)?,
            tags: row.text(8)?.unwrap_or_else(|| "[]".to_owned()),
            metadata: row.text(9)?.unwrap_or_else(|| "{}".to_owned()),
            source_type: row.text(10)?,
            importance: row.integer(11),
            access_count: row.integer(12).unwrap_or_default(),
            created: row.timestamp(13),
            expires: row.timestamp(14),
            superseded_by: row.text(15)?,
            deletion_scheduled: row.timestamp(16),
            session_id: row.text(17)?,
            entry_key: row.text(18)?,
            valid_from: row.timestamp(19),
            valid_until: row.timestamp(20),
            ttl: row.interval(21),
            embedding: row.reals(22)?,
            entities: row.text(23)?.unwrap_or_else(|| "[]".to_owned()),
        })
    }

    /// The length of its texts.
    fn bytes(&self) -> usize {
        let optional = [
            &self.user_id,
            &self.agent_id,
            &self.session_id,
            &self.entry_key,
            &self.summary,
            &self.context,
            &self.source_type,
        ];
        optional.into_iter().flatten().map(String::len).sum::<usize>()
            + self.raw_entry.len()
            + self.tags.len()
            + self.entities.len()
            + self.metadata.len()
            + self.embedding.as_ref().map_or(0, |vector| size_of_val(vector.as_slice()))
    }
}

/// The refusal of an entry that is too long for any response, with its name and with what a caller can do: asking for
/// fewer entries does not help.
pub fn too_long(error: Error, memory_id: Result<Option<String>>, entry_id: Result<Option<String>>) -> Error {
    let (ErrorKind::LimitExceeded, Ok(Some(memory_id)), Ok(Some(entry_id))) = (error.kind, memory_id, entry_id) else {
        return error;
    };
    let message = format!("entry {entry_id} of memory \"{}\": {}", shown(&memory_id), error.message);
    Error { message, ..error }.hint(
        "memory_delete hides it from lists, and memory_purge then removes it; of an adopted table, shorten the row. Keep \
         documents in parts: an entry is one remembered thing.",
    )
}

/// The entries of an answer, which is kept in memory as a whole.
#[derive(Default)]
pub struct Gathered {
    bytes: usize,
}

impl Gathered {
    /// Refuses an entry that would make the answer too long (54000).
    pub fn count(&mut self, entry: &Entry) -> Result<()> {
        self.bytes += entry.bytes();
        if self.bytes > bounds_and_defaults::MAX_RESPONSE_BYTES { Err(text::too_much(self.bytes)) } else { Ok(()) }
    }
}
