//! Exports a memory, one line for each row: all its stored data, with hidden rows, so that an import restores it as it
//! was.
//!
//! Lines are read page by page, in the snapshot of the calling query: a memory of any size needs only enough RAM for a
//! page.

use std::collections::VecDeque;

use memory_search_core::Result;
use memory_search_core::bounds_and_defaults::MAX_PASSAGES;
use memory_search_core::output::exported::{ExportedEmbedding, Line};
use memory_search_core::output::response::verbatim;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::timestamp;

use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::settings;
use crate::pg::spi::{Reader, Statement};
use crate::store::definition::Store;
use crate::store::links::export as links;
use crate::store::reading::entry::{too_long, with_access};
use crate::store::reading::of_memory;

/// The rows of one page.
const PAGE: i64 = 200;

/// The lines of a memory that are still to be returned.
pub struct Lines {
    store: StoreName,
    memory_id: MemoryId,
    with_embeddings: bool,
    /// The next thing to read, and the row that it follows; `None` after the last one.
    next: Option<Next>,
    read: VecDeque<String>,
}

enum Next {
    Rows(Table, Option<Place>),
    Links(links::Behind),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Table {
    Entries,
    Contexts,
}

/// The place of a row in its table's order: by time, then by insertion, then by id.
struct Place {
    /// In the server's units.
    created: Option<i64>,
    added: i64,
    id: String,
}

impl Lines {
    /// The lines of a memory: its entries from the oldest on, then its contexts and links, which refer to entries, and
    /// its aliases.
    pub fn of(store: StoreName, memory_id: MemoryId, with_embeddings: bool) -> Self {
        Lines { store, memory_id, with_embeddings, next: Some(Next::Rows(Table::Entries, None)), read: VecDeque::new() }
    }

    /// The next line; `None` after the last one.
    pub fn next_line(&mut self) -> Result<Option<String>> {
        while self.read.is_empty() {
            interrupt::check();
            let Some(next) = self.next.take() else { return Ok(None) };
            let (table, behind) = match next {
                Next::Rows(table, behind) => (table, behind),
                Next::Links(behind) => {
                    let (lines, next) = links::page(&self.store, &self.memory_id, &behind, PAGE)?;
                    (self.read, self.next) = (lines, next.map(Next::Links));
                    continue;
                }
            };
            let (lines, last) = of_memory(&self.store, &self.memory_id, |reader, store| {
                self.page(reader, store, table, behind.as_ref())
            })?;
            self.next = Some(match (lines.len() as i64 == PAGE, table) {
                (true, _) => Next::Rows(table, last),
                (false, Table::Entries) => Next::Rows(Table::Contexts, None),
                (false, Table::Contexts) => Next::Links(links::Behind::Nothing),
            });
            self.read = lines;
        }
        Ok(self.read.pop_front())
    }

    fn page(
        &self,
        reader: &Reader<'_>,
        store: &Store,
        table: Table,
        behind: Option<&Place>,
    ) -> Result<(VecDeque<String>, Option<Place>)> {
        let mut statement = Statement::default();
        let is_entries = table == Table::Entries;
        let of_memory = match is_entries {
            true => store.of_memory(&mut statement, "e", &self.memory_id),
            false => {
                let memory = statement.bind(Param::text(store.canonical_memory_id(&self.memory_id)));
                let sees_entry = self.sees_entry_of_context(&mut statement, store);
                format!("e.memory_id OPERATOR(pg_catalog.=) {memory}{sees_entry}")
            }
        };
        // Rows of the same time are in the order of insertion, which an import keeps because it follows the order of
        // the lines.
        let added =
            if is_entries && !store.is_adopted() { "e.entry_order::pg_catalog.int8" } else { "0::pg_catalog.int8" };
        let id = if is_entries { store.id_order("e.entry_id") } else { "e.context_id".to_owned() };
        let behind = match behind {
            Some(place) => place.behind(&mut statement, store, is_entries, added, &id),
            None => String::new(),
        };
        let size = statement.bind(Param::Integer(Some(PAGE)));
        let columns = if is_entries { self.columns_of_entries(store) } else { self.columns_of_contexts(store) };
        let from = match is_entries {
            true => {
                let columns = "a.access_count, a.last_accessed_at, a.helpful, a.unhelpful";
                let access = with_access(&mut statement, store, &self.memory_id, columns);
                format!("{} e {access}", store.relation("entries"))
            }
            false => format!("{} e", store.relation("contexts")),
        };
        let id_column = if is_entries { "entry_id" } else { "context_id" };
        let statement = statement.with(format!(
            "SELECT e.creation_time::pg_catalog.timestamptz, {added}, e.{id_column}::pg_catalog.text, {columns} \
             FROM {from} WHERE {of_memory} AND e.{id_column} IS NOT NULL{behind} \
             ORDER BY e.creation_time ASC NULLS LAST, {added}, {id} LIMIT {size}"
        ));
        let (mut lines, mut last) = (VecDeque::new(), None);
        let mut add = |row: Row<'_>| {
            let line = match is_entries {
                true => self
                    .entry(&row)
                    .map_err(|error| too_long(error, Ok(Some(self.memory_id.to_string())), row.text(3)))?,
                false => self.context(&row)?,
            };
            lines.push_back(line.to_json()?);
            last = Some(Place {
                created: row.server_timestamp(1),
                added: row.integer(2).unwrap_or_default(),
                id: row.required_text(3)?,
            });
            Ok(())
        };
        settings::with_all_digits(|| reader.scan(&statement, &mut add))?;
        Ok((lines, last))
    }

    /// An embedding and its embedder, if they are exported.
    fn columns_of_embedding(&self, store: &Store) -> String {
        let vector =
            if self.with_embeddings { "e.embedding::pg_catalog.float4[]" } else { "NULL::pg_catalog.float4[]" };
        format!("{vector}, {}", store.embedder("e"))
    }

    /// The embeddings of passages as JSON, if they are exported.
    fn passages(&self, store: &Store) -> String {
        if !self.with_embeddings || store.is_adopted() {
            return "NULL::pg_catalog.text".to_owned();
        }
        // Plain SQL can store others, which a search does not compare and an import refuses.
        format!(
            "(SELECT pg_catalog.jsonb_agg(pg_catalog.to_jsonb(p.vector::pg_catalog.float4[]) ORDER BY p.n) \
              FROM pg_catalog.unnest(e.passage_embeddings) WITH ORDINALITY p(vector, n) \
              WHERE e.embedding IS NOT NULL AND p.n OPERATOR(pg_catalog.<=) {MAX_PASSAGES} \
                AND {schema}.vector_dims(p.vector) OPERATOR(pg_catalog.=) {schema}.vector_dims(e.embedding) \
                AND (p.vector OPERATOR({schema}.<#>) p.vector) OPERATOR(pg_catalog.<) 0)::pg_catalog.text",
            schema = store.vector_schema
        )
    }

    fn columns_of_entries(&self, store: &Store) -> String {
        format!(
            "{}, e.user_id::pg_catalog.text, e.agent_id::pg_catalog.text, e.raw_entry::pg_catalog.text, \
             e.summary::pg_catalog.text, e.context::pg_catalog.text, \
             pg_catalog.to_jsonb(ARRAY(SELECT pg_catalog.unnest(e.tags)))::pg_catalog.text, \
             pg_catalog.to_jsonb(e.metadata)::pg_catalog.text, \
             e.source_type::pg_catalog.text, e.importance::pg_catalog.int8, \
             COALESCE(a.access_count, 0)::pg_catalog.int8, a.last_accessed_at::pg_catalog.timestamptz, \
             e.expires_at::pg_catalog.timestamptz, e.deletion_scheduled_time::pg_catalog.timestamptz, \
             e.superseded_by::pg_catalog.text, e.superseded_time::pg_catalog.timestamptz, \
             e.session_id::pg_catalog.text, {}, {}, {}, \
             COALESCE(a.helpful, 0)::pg_catalog.int8, COALESCE(a.unhelpful, 0)::pg_catalog.int8, \
             CASE WHEN pg_catalog.cardinality(e.entities) OPERATOR(pg_catalog.>) 0 \
               THEN pg_catalog.to_jsonb(ARRAY(SELECT pg_catalog.unnest(e.entities)))::pg_catalog.text END, {}",
            self.columns_of_embedding(store),
            store.entry_key("e"),
            store.interval("e"),
            store.time_to_live("e"),
            self.passages(store)
        )
    }

    /// The condition that the caller sees the entry that a context came with, as a search and an import of the line
    /// demand, with the AND before it: a policy may show the context and not its entry.
    fn sees_entry_of_context(&self, statement: &mut Statement, store: &Store) -> String {
        if store.is_view {
            return String::new();
        }
        let of_memory = store.of_memory(statement, "o", &self.memory_id);
        format!(
            " AND (e.entry_id IS NULL OR EXISTS (SELECT FROM {} o \
               WHERE {of_memory} AND o.entry_id OPERATOR(pg_catalog.=) e.entry_id))",
            store.relation("entries")
        )
    }

    fn columns_of_contexts(&self, store: &Store) -> String {
        let entry_id = if store.is_view { "NULL::pg_catalog.text" } else { "e.entry_id::pg_catalog.text" };
        format!(
            "{}, {entry_id}, e.user_id::pg_catalog.text, e.context::pg_catalog.text, \
             e.deletion_scheduled_time::pg_catalog.timestamptz",
            self.columns_of_embedding(store)
        )
    }

    fn embedding(&self, row: &Row<'_>) -> Result<Option<ExportedEmbedding>> {
        if !self.with_embeddings {
            return Ok(None);
        }
        let embedding = row.reals(4)?;
        let embedding_model = row.text(5)?.filter(|_| embedding.is_some());
        Ok(Some(ExportedEmbedding { embedding_model, embedding, passage_embeddings: None }))
    }

    /// The embeddings of an entry and of its passages.
    fn embeddings(&self, row: &Row<'_>) -> Result<Option<ExportedEmbedding>> {
        let passage_embeddings = row.text(29)?.map(verbatim).transpose()?;
        let embedding = self.embedding(row)?;
        Ok(embedding.map(|embedding| ExportedEmbedding { passage_embeddings, ..embedding }))
    }

    fn entry(&self, row: &Row<'_>) -> Result<Line> {
        Ok(Line::Entry {
            memory_id: self.memory_id.to_string(),
            entry_id: row.required_text(3)?,
            embedding: self.embeddings(row)?,
            user_id: row.text(6)?,
            agent_id: row.text(7)?,
            session_id: row.text(21)?,
            entry_key: row.text(22)?,
            raw_entry: row.text(8)?.unwrap_or_default(),
            summary: row.text(9)?,
            context: row.text(10)?,
            tags: verbatim(row.text(11)?.unwrap_or_else(|| "[]".to_owned()))?,
            entities: row.text(28)?.map(verbatim).transpose()?,
            metadata: verbatim(row.text(12)?.unwrap_or_else(|| "{}".to_owned()))?,
            source_type: row.text(13)?,
            importance: row.integer(14),
            access_count: row.integer(15).unwrap_or_default(),
            last_accessed_at: row.timestamp(16).map(timestamp::format_any_year),
            creation_time: row.timestamp(1).map(timestamp::format_any_year),
            expires_at: row.timestamp(17).map(timestamp::format_any_year),
            deletion_scheduled_time: row.timestamp(18).map(timestamp::format_any_year),
            valid_from: row.timestamp(23).map(timestamp::format_any_year),
            valid_until: row.timestamp(24).map(timestamp::format_any_year),
            ttl: row.interval(25),
            helpful: row.integer(26).unwrap_or_default(),
            unhelpful: row.integer(27).unwrap_or_default(),
            superseded_by: row.text(19)?,
            superseded_time: row.timestamp(20).map(timestamp::format_any_year),
        })
    }

    fn context(&self, row: &Row<'_>) -> Result<Line> {
        Ok(Line::Context {
            memory_id: self.memory_id.to_string(),
            context_id: row.required_text(3)?,
            embedding: self.embedding(row)?,
            entry_id: row.text(6)?,
            user_id: row.text(7)?,
            context: row.text(8)?.unwrap_or_default(),
            creation_time: row.timestamp(1).map(timestamp::format_any_year),
            deletion_scheduled_time: row.timestamp(9).map(timestamp::format_any_year),
        })
    }
}

impl Place {
    /// The condition that a row comes later, with the AND before it.
    fn behind(&self, statement: &mut Statement, store: &Store, is_entries: bool, added: &str, id: &str) -> String {
        let order = statement.bind(Param::Integer(Some(self.added)));
        let this = statement.bind(Param::text(self.id.as_str()));
        let this = match is_entries {
            true => store.id_order(&format!("{this}::pg_catalog.{}", store.ids.entry)),
            false => format!("{this}::pg_catalog.uuid"),
        };
        let later = format!(
            "({added} OPERATOR(pg_catalog.>) {order} \
              OR {added} OPERATOR(pg_catalog.=) {order} AND {id} OPERATOR(pg_catalog.>) {this})"
        );
        let Some(created) = self.created else { return format!(" AND e.creation_time IS NULL AND {later}") };
        let created = statement.bind(Param::ServerTimestamp(created));
        let time = "e.creation_time::pg_catalog.timestamptz";
        // The first condition is the one that an index can use.
        let behind = format!(
            "{time} OPERATOR(pg_catalog.>=) {created} AND ({time} OPERATOR(pg_catalog.>) {created} OR {later})"
        );
        let may_lack_time = store.may_lack_creation_time && is_entries;
        if may_lack_time { format!(" AND (e.creation_time IS NULL OR {behind})") } else { format!(" AND {behind}") }
    }
}
