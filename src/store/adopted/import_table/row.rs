//! A row on its way into a store, and the entry that already has its key.

use std::collections::HashMap;

use memory_search_core::bounds_and_defaults::{DEFAULT_IMPORTANCE, IMPORTANCE};
use memory_search_core::error::shown;
use memory_search_core::filter::validity;
use memory_search_core::request::arguments;
use memory_search_core::request::entry_rows::EntryRow;
use memory_search_core::request::names::MemoryId;
use memory_search_core::timestamp::Micros;
use memory_search_core::vector::embedding;
use memory_search_core::{Error, Result};

use crate::pg::param::Param;
use crate::pg::row::Row as Found;
use crate::pg::spi::{self, Statement};
use crate::store::adopted::mapped_relation::{MappedColumn, MappedRelation};
use crate::store::definition::Store;
use crate::store::writing::new_row::Past;

/// The data of a row that become an entry; also the same data of a stored entry.
#[derive(Debug)]
pub struct Row {
    pub memory_id: String,
    pub key: String,
    pub creation_time: Option<Micros>,
    raw_entry: String,
    /// User, agent, session, summary, context, source type.
    texts: [Option<String>; 6],
    /// JSON text.
    tags: String,
    /// JSON text.
    entities: String,
    /// JSON text.
    metadata: String,
    /// A number as text.
    importance: String,
    deletion_scheduled_time: Option<Micros>,
    expires_at: Option<Micros>,
    valid_from: Option<Micros>,
    valid_until: Option<Micros>,
    embedding: Option<Vec<f32>>,
}

const TIMES: [&str; 5] = ["creation_time", "deletion_scheduled_time", "expires_at", "valid_from", "valid_until"];
const TEXTS: [&str; 6] = ["user_id", "agent_id", "session_id", "summary", "context", "source_type"];

/// The name of a row in a refusal.
pub fn named(memory_id: &str, key: &str) -> String {
    format!("memory_id \"{}\" and entry_id \"{}\"", shown(memory_id), shown(key))
}

/// A column as SQL of type text.
pub fn text_of(mapped: &[MappedColumn], name: &str) -> String {
    of_type(mapped, name, "text")
}

fn of_type(mapped: &[MappedColumn], name: &str, type_name: &str) -> String {
    let expression = mapped_column(mapped, name).map_or("NULL", |column| column.expression.as_str());
    format!("({expression})::pg_catalog.{type_name}")
}

fn mapped_column<'a>(mapped: &'a [MappedColumn], name: &str) -> Option<&'a MappedColumn> {
    mapped.iter().find(|mapped| mapped.column.name == name)
}

/// The columns that [`Row::read`] reads, from values that `of` gives as SQL of a type.
fn columns(of: impl Fn(&str, &str) -> String) -> String {
    let mut columns = vec![of("memory_id", "text"), of("entry_key", "text"), of("raw_entry", "text")];
    columns.extend(TEXTS.iter().map(|name| of(name, "text")));
    columns.push(format!("COALESCE(pg_catalog.to_jsonb({}), '[]')::pg_catalog.text", of("tags", "_text")));
    columns.push(format!("COALESCE({}, pg_catalog.jsonb_build_object())::pg_catalog.text", of("metadata", "jsonb")));
    columns.push(format!(
        "COALESCE(pg_catalog.trim_scale({}), {DEFAULT_IMPORTANCE})::pg_catalog.text",
        of("importance", "numeric")
    ));
    columns.extend(TIMES.iter().map(|name| of(name, "timestamptz")));
    columns.push(of("embedding", "_float4"));
    columns.push(format!("COALESCE(pg_catalog.to_jsonb({}), '[]')::pg_catalog.text", of("entities", "_text")));
    columns.join(", ")
}

/// Reads the rows of a relation, memory by memory, the oldest first.
pub fn statement(from: &MappedRelation, mapped: &[MappedColumn]) -> Statement {
    let of = |name: &str, type_name: &str| match name {
        "entry_key" => of_type(mapped, "entry_id", type_name),
        // An adopted table's view clamps the value to the bounds; this reads the value itself.
        "importance" => {
            format!("({})::pg_catalog.{type_name}", mapped_column(mapped, name).map_or("NULL", |c| &c.source))
        }
        name => of_type(mapped, name, type_name),
    };
    Statement::default().with(format!(
        "SELECT {} FROM {} ORDER BY 1, 13, {}, 2",
        columns(of),
        from.name,
        of("entry_order", "int8")
    ))
}

/// The entries that have these keys, by key. They do not change until the end of the transaction.
pub fn stored(store: &Store, memory_id: &MemoryId, keys: Vec<String>) -> Result<HashMap<String, Row>> {
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(memory_id));
    let keys = statement.bind(Param::Texts(keys));
    let of = |name: &str, type_name: &str| format!("e.{name}::pg_catalog.{type_name}");
    // In the order of deletions, so that two sessions wait for each other without a deadlock.
    let statement = statement.with(format!(
        "SELECT {} FROM {} e WHERE e.memory_id OPERATOR(pg_catalog.=) {memory} \
           AND e.entry_key OPERATOR(pg_catalog.=) ANY ({keys}) AND e.entry_key IS NOT NULL \
         ORDER BY e.entry_id FOR NO KEY UPDATE",
        columns(of),
        store.relation("entries")
    ));
    let mut stored = HashMap::new();
    spi::write(|writer| {
        writer.returning(&statement, |found| {
            if let Ok(row) = Row::read(&found)? {
                stored.insert(row.key.clone(), row);
            }
            Ok(())
        })
    })?;
    Ok(stored)
}

impl Row {
    /// Reads a row, or says why it cannot become an entry.
    pub fn read(found: &Found<'_>) -> Result<std::result::Result<Self, &'static str>> {
        let (memory_id, key) = match (found.text(1)?, found.text(2)?) {
            (None, _) => return Ok(Err("memory_id is null")),
            (Some(memory), _) if memory.is_empty() => return Ok(Err("memory_id is empty")),
            (_, None) => return Ok(Err("entry_id is null")),
            (_, Some(key)) if key.is_empty() => return Ok(Err("entry_id is empty")),
            (Some(memory), Some(key)) => (memory, key),
        };
        let Some(raw_entry) = found.text(3)? else { return Ok(Err("raw_entry is null")) };
        let mut texts: [Option<String>; 6] = Default::default();
        for (text, column) in texts.iter_mut().zip(4..) {
            *text = found.text(column)?;
        }
        Ok(Ok(Row {
            memory_id,
            key,
            raw_entry,
            texts,
            tags: found.required_text(10)?,
            metadata: found.required_text(11)?,
            importance: found.required_text(12)?,
            creation_time: found.timestamp(13),
            deletion_scheduled_time: found.timestamp(14),
            expires_at: found.timestamp(15),
            // An open bound, in each of its notations.
            valid_from: found.timestamp(16).filter(|time| *time != Micros::MIN),
            valid_until: found.timestamp(17).filter(|time| *time != Micros::MAX),
            embedding: found.reals(18)?,
            entities: found.required_text(19)?,
        }))
    }

    /// Whether an entry equals the row. Values that the row lacks count as equal.
    pub fn is_as(&self, stored: &Row, store: &Store) -> bool {
        let has_vector = || match (&self.embedding, &stored.embedding) {
            (None, _) => true,
            (Some(given), Some(stored)) => *store.embedding.as_held(&embedding::storable(given.clone())) == **stored,
            (Some(_), None) => false,
        };
        self.raw_entry == stored.raw_entry
            && self.texts == stored.texts
            && self.tags == stored.tags
            && self.entities == stored.entities
            && self.metadata == stored.metadata
            && self.importance == stored.importance
            && self.creation_time.is_none_or(|created| stored.creation_time == Some(created))
            && self.deletion_scheduled_time == stored.deletion_scheduled_time
            && self.expires_at == stored.expires_at
            && self.valid_from == stored.valid_from
            && self.valid_until == stored.valid_until
            && has_vector()
    }

    /// The entry for the row; values that no entry may have are refused.
    pub fn into_entry(self) -> Result<(EntryRow, Past)> {
        let [user_id, agent_id, session_id, summary, context, source_type] = self.texts;
        let (valid_from, valid_until) =
            validity::interval(("columns.valid_from", self.valid_from), ("columns.valid_until", self.valid_until))?;
        let entry = EntryRow {
            entry_id: None,
            user_id: identifier("user_id", user_id)?,
            agent_id: identifier("agent_id", agent_id)?,
            session_id: identifier("session_id", session_id)?,
            entry_key: identifier("entry_id", Some(self.key))?,
            raw_entry: self.raw_entry,
            summary,
            context,
            tags: Some(texts("tags", &self.tags)?.into_iter().map(Some).collect()),
            entities: Some(entities(&self.entities)?),
            metadata: Some(arguments::metadata(self.metadata)?),
            source_type: identifier("source_type", source_type)?,
            importance: importance(&self.importance)?,
            creation_time: self.creation_time,
            expires_at: self.expires_at,
            valid_from,
            valid_until,
            ttl: None,
            embedding: self.embedding,
            passage_embeddings: None,
        };
        Ok((entry, Past { deletion_scheduled_time: self.deletion_scheduled_time, ..Past::default() }))
    }
}

fn entities(json: &str) -> Result<Vec<Option<String>>> {
    let names = arguments::entities("columns.entities", texts("entities", json)?)?;
    Ok(names.into_iter().map(Some).collect())
}

fn texts(column: &str, json: &str) -> Result<Vec<String>> {
    // An array inside the array would be a dimension.
    serde_json::from_str(json).map_err(|_| {
        Error::invalid(format!("columns.{column} must be a list of texts, not {}", shown(json)))
            .hint("Make one without nulls: \"array_remove(column, NULL)\".")
    })
}

fn importance(number: &str) -> Result<i64> {
    let (least, most) = (IMPORTANCE.start(), IMPORTANCE.end());
    number.parse().ok().filter(|importance| IMPORTANCE.contains(importance)).ok_or_else(|| {
        Error::invalid(format!("columns.importance must be a whole number from {least} to {most}, not {number}")).hint(
            format!(
                "Make one: \"CASE WHEN column IS NOT NULL THEN round(least({most}, greatest({least}, column))) END\"."
            ),
        )
    })
}

fn identifier(name: &str, value: Option<String>) -> Result<Option<String>> {
    let is_empty = value.as_ref().is_some_and(String::is_empty);
    arguments::identifier(&format!("columns.{name}"), value).map_err(|refusal| match is_empty {
        true => refusal.hint("Make null of it: \"NULLIF(column, '')\"."),
        false => refusal,
    })
}
