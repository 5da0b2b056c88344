//! Changes an entry in place: given values replace the old ones, and the old version is no longer found.

use memory_search_core::entities::found::Texts;
use memory_search_core::filter::{validity, visibility};
use memory_search_core::request::cleared_columns::ClearedColumn;
use memory_search_core::request::names::{EntryId, MemoryId, StoreName};
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::notice;
use crate::pg::param::Param;
use crate::pg::read_only;
use crate::pg::row::Row;
use crate::pg::settings;
use crate::pg::spi::{self, Statement, Writer};
use crate::store::definition::{self, Store, placement};
use crate::store::predicate::{Rows, at_present};
use crate::store::writing::duplicate::{self, Column, Given};
use crate::store::writing::entry_columns::{self, Value};
use crate::store::writing::found_entities;
use crate::store::writing::kept_passages;
use crate::store::writing::stored_embedding::{self, Embedded, GivenVectors, Meaning};
use crate::store::writing::time_to_live;

/// The changes, checked; `None` leaves a column unchanged.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Changes {
    pub raw_entry: Option<String>,
    pub summary: Option<String>,
    pub tags: Option<Vec<String>>,
    pub entities: Option<Vec<String>>,
    /// JSON text.
    pub metadata: Option<String>,
    pub importance: Option<i64>,
    pub embedding: Option<Vec<f32>>,
    pub source_type: Option<String>,
    pub user_id: Option<String>,
    pub agent_id: Option<String>,
    pub session_id: Option<String>,
    pub entry_key: Option<String>,
    pub creation_time: Option<i64>,
    pub expires_at: Option<i64>,
    /// `-infinity` means open.
    pub valid_from: Option<i64>,
    /// `infinity` means open.
    pub valid_until: Option<i64>,
    /// The time that it lives after each use: an interval as text.
    pub ttl: Option<String>,
    /// The columns to empty.
    pub cleared: Vec<ClearedColumn>,
}

impl Changes {
    /// Refuses a column that is both given and emptied.
    fn check(&self) -> Result<()> {
        let given = |column: ClearedColumn| match column {
            ClearedColumn::Summary => self.summary.is_some(),
            ClearedColumn::Tags => self.tags.is_some(),
            ClearedColumn::Entities => self.entities.is_some(),
            ClearedColumn::Metadata => self.metadata.is_some(),
            ClearedColumn::SourceType => self.source_type.is_some(),
            ClearedColumn::UserId => self.user_id.is_some(),
            ClearedColumn::AgentId => self.agent_id.is_some(),
            ClearedColumn::SessionId => self.session_id.is_some(),
            ClearedColumn::EntryKey => self.entry_key.is_some(),
            ClearedColumn::ExpiresAt => self.expires_at.is_some(),
        };
        if self.ttl.is_some() && self.clears(ClearedColumn::ExpiresAt) {
            return Err(Error::invalid("ttl is given, and clear names expires_at")
                .hint("Keep one of them: ttl says when the entry expires, clear that it does not."));
        }
        match self.cleared.iter().find(|column| given(**column)) {
            None => Ok(()),
            Some(column) => {
                Err(Error::invalid(format!("{} is given, and clear names it too", column.name()))
                    .hint("Keep one of them."))
            }
        }
    }

    fn clears(&self, column: ClearedColumn) -> bool {
        self.cleared.contains(&column)
    }

    /// The new entities of the entry; `None` if they do not change.
    fn new_entities(&self, found: &Found) -> Option<Vec<String>> {
        if self.clears(ClearedColumn::Entities) {
            return None;
        }
        let old = Texts { summary: found.summary.as_deref(), raw_entry: &found.raw_entry };
        let new = Texts {
            summary: self.new_summary(found),
            raw_entry: self.raw_entry.as_deref().unwrap_or(&found.raw_entry),
        };
        match &self.entities {
            Some(given) => Some(found_entities::with_those_of_new_texts(given.clone(), old, new)),
            None => found_entities::of_new_texts(found.entities.clone(), old, new),
        }
    }

    /// The new text to embed for an entry; `None` if its texts do not change. An embedding that the caller gave for the
    /// same texts stays: no embedder of the server could make it again.
    fn new_meaning(&self, found: &Found) -> Option<Meaning> {
        let loses_summary = self.clears(ClearedColumn::Summary) && found.summary.is_some();
        if self.raw_entry.is_none() && self.summary.is_none() && !loses_summary {
            return None;
        }
        let (summary, raw_entry) = (self.new_summary(found), self.raw_entry.as_deref().unwrap_or(&found.raw_entry));
        let is_same = summary.unwrap_or_default() == found.summary.as_deref().unwrap_or_default();
        if found.has_given_embedding && is_same && raw_entry == found.raw_entry {
            return None;
        }
        Some(Meaning::of(summary, raw_entry))
    }

    /// The new interval of an entry.
    fn new_interval(&self, found: &Found) -> Result<(Option<Micros>, Option<Micros>)> {
        let (from, until) = found.interval;
        validity::interval(("valid_from", self.valid_from.or(from)), ("valid_until", self.valid_until.or(until)))
    }

    /// The assignments of an UPDATE, without those of embeddings.
    fn assignments(
        self,
        statement: &mut Statement,
        found: &Found,
        (valid_from, valid_until): (Option<Micros>, Option<Micros>),
    ) -> Vec<String> {
        let entities = self.new_entities(found);
        let ends_life_by_use = self.expires_at.is_some() || self.clears(ClearedColumn::ExpiresAt);
        let mut assignments: Vec<String> =
            self.cleared.iter().map(|column| format!("{} = {}", column.name(), emptied(*column))).collect();
        // An open end is given as infinity, and stored as null.
        for (column, is_given, instant) in [
            ("valid_from", self.valid_from.is_some(), valid_from),
            ("valid_until", self.valid_until.is_some(), valid_until),
        ] {
            if is_given {
                assignments.push(format!("{column} = {}", statement.bind(Param::Timestamp(instant))));
            }
        }
        if let Some(ttl) = &self.ttl {
            let ttl = statement.bind(Param::text(ttl.clone()));
            assignments.push(format!("expires_at = {ttl}{}", time_to_live::FROM_NOW));
        } else if ends_life_by_use {
            // An entry with a new time of expiry, or without any from now on, loses its time to live.
            assignments.push("time_to_live = NULL".to_owned());
        }
        let texts = |texts: Vec<String>| Value::Texts(texts.into_iter().map(Some).collect());
        let given = [
            ("raw_entry", self.raw_entry.map(Value::Text)),
            ("summary", self.summary.map(Value::Text)),
            ("source_type", self.source_type.map(Value::Text)),
            ("user_id", self.user_id.map(Value::Text)),
            ("agent_id", self.agent_id.map(Value::Text)),
            ("session_id", self.session_id.map(Value::Text)),
            ("entry_key", self.entry_key.map(Value::Text)),
            ("tags", self.tags.map(texts)),
            ("entities", entities.map(texts)),
            ("metadata", self.metadata.map(Value::Text)),
            ("importance", self.importance.map(|importance| Value::Text(importance.to_string()))),
            ("creation_time", self.creation_time.map(Value::Time)),
            ("expires_at", self.expires_at.map(Value::Time)),
            ("time_to_live", self.ttl.map(Value::Text)),
        ];
        for (column, value) in given {
            if let Some(value) = value {
                assignments.push(entry_columns::assignment(statement, column, value));
            }
        }
        assignments
    }

    fn new_summary<'a>(&'a self, found: &'a Found) -> Option<&'a str> {
        let kept = found.summary.as_deref().filter(|_| !self.clears(ClearedColumn::Summary));
        self.summary.as_deref().or(kept)
    }
}

/// The entry before the change.
struct Found {
    summary: Option<String>,
    raw_entry: String,
    had_embedding: bool,
    has_given_embedding: bool,
    entities: Vec<String>,
    /// The interval in which it holds.
    interval: (Option<Micros>, Option<Micros>),
}

impl Found {
    fn read(row: Row<'_>) -> Result<Found> {
        Ok(Found {
            summary: row.text(1)?,
            raw_entry: row.required_text(2)?,
            had_embedding: row.boolean(3) == Some(true),
            interval: (row.timestamp(4), row.timestamp(5)),
            entities: row.texts(6),
            has_given_embedding: row.boolean(7) == Some(true),
        })
    }
}

/// Changes one entry; returns 1, or 0 if there is no such entry that the caller may change. A new text gets a new
/// embedding, and the table's index makes its words.
pub fn update(store_name: &StoreName, memory_id: &MemoryId, entry_id: &EntryId, changes: Changes) -> Result<u64> {
    changes.check()?;
    let store = placement::to_change(&spi::read(|reader| definition::store(reader, store_name))?, memory_id)?;
    store.require_own_entries("memory_update")?;
    if let Some(ttl) = &changes.ttl {
        time_to_live::check(vec![("ttl".to_owned(), ttl.clone())])?;
    }
    let target = Target { store: &store, memory_id, entry_id };
    // The embedder may call a server, and other sessions would wait for the row that long: so the text is embedded
    // before the row is locked, and again if another session changed it meanwhile.
    let made = match changes.embedding.is_none() && settings::embeds_on_write() {
        true => target.embed(&changes)?,
        false => None,
    };
    let new_key = changes.entry_key.clone();
    let given = || {
        let key = |value| Given { argument: "entry_key", row: None, column: Column::EntryKey, value };
        new_key.map(key).into_iter().collect()
    };
    duplicate::named(memory_id, given, || spi::write(|writer| target.change(writer, changes, made)))
}

/// New embeddings and the text that they are of; no embeddings if no embedder fits the store.
type Made = (Meaning, Option<Embedded>);

/// The entry to change.
#[derive(Clone, Copy)]
struct Target<'a> {
    store: &'a Store,
    memory_id: &'a MemoryId,
    entry_id: &'a EntryId,
}

impl Target<'_> {
    /// The condition that entries `e` are this one, unless it is deleted.
    fn key(&self, statement: &mut Statement) -> String {
        self.store.where_it_lies(statement);
        let memory = statement.bind(Param::text(self.memory_id));
        let entry = statement.bind(Param::text(self.entry_id));
        let not_deleted = Rows::entries(self.store, "e").and(statement, &visibility::not_deleted(at_present()));
        format!(
            "e.memory_id OPERATOR(pg_catalog.=) {memory} \
             AND e.entry_id OPERATOR(pg_catalog.=) {entry}::pg_catalog.uuid{not_deleted}"
        )
    }

    /// The statement that reads it, with the text after it, such as a lock.
    fn look(&self, lock: &str) -> Statement {
        let mut statement = Statement::default();
        let this = self.key(&mut statement);
        statement.with(format!(
            "SELECT e.summary::pg_catalog.text, e.raw_entry::pg_catalog.text, e.embedding IS NOT NULL, {}, \
                    e.entities::pg_catalog.text[], e.embedding IS NOT NULL AND e.embedding_model IS NULL \
             FROM {} e WHERE {this}{lock}",
            self.store.interval("e"),
            self.store.relation("entries")
        ))
    }

    /// The embeddings of its new text, if it gets one.
    fn embed(&self, changes: &Changes) -> Result<Option<Made>> {
        read_only::refuse(c"UPDATE");
        let look = self.look("");
        let found = spi::with_own_changes(|| spi::read(|reader| reader.first(&look, Found::read)))?;
        let Some(found) = found else { return Ok(None) };
        let Some(meaning) = changes.new_meaning(&found) else { return Ok(None) };
        let embedded = self.vectors(None, &meaning, changes.new_summary(&found))?;
        Ok(Some((meaning, embedded)))
    }

    fn vectors(
        &self,
        given: Option<GivenVectors>,
        meaning: &Meaning,
        summary: Option<&str>,
    ) -> Result<Option<Embedded>> {
        let whole = stored_embedding::whole_vector_to_write(self.store, given, meaning)?;
        let this = |statement: &mut Statement| self.key(statement);
        whole.map(|whole| kept_passages::with_passages(self.store, this, summary, whole, meaning)).transpose()
    }

    /// Locks and changes it. `made` counts if no other session changed its text since.
    fn change(&self, writer: &mut Writer<'_>, mut changes: Changes, made: Option<Made>) -> Result<u64> {
        let mut found = None;
        writer.returning(&self.look(" FOR NO KEY UPDATE"), |row| {
            found = Some(Found::read(row)?);
            Ok(())
        })?;
        let Some(found) = found else { return Ok(0) };
        let interval = changes.new_interval(&found)?;
        let embedded = self.new_vectors(&mut changes, &found, made)?;
        let mut statement = Statement::default();
        let this = self.key(&mut statement);
        let mut assignments = changes.assignments(&mut statement, &found, interval);
        if let Some(embedded) = embedded {
            assignments.push(stored_embedding::assignments(self.store, &mut statement, embedded, true));
        }
        if assignments.is_empty() {
            return Err(Error::invalid("nothing to change: every argument is null").hint(
                "Give a new value, for example raw_entry => '...', or name columns to empty: clear => '{summary}'.",
            ));
        }
        let entries = self.store.relation("entries");
        writer.execute(&statement.with(format!("UPDATE {entries} e SET {} WHERE {this}", assignments.join(", "))))
    }

    /// Its new embeddings; `None` if the old ones stay. Warns if an embedding is lost.
    fn new_vectors(
        &self,
        changes: &mut Changes,
        found: &Found,
        made: Option<Made>,
    ) -> Result<Option<Option<Embedded>>> {
        let new_meaning = changes.new_meaning(found);
        if new_meaning.is_none() && changes.embedding.is_none() {
            return Ok(None);
        }
        let meaning = new_meaning.unwrap_or_else(|| Meaning::whole(String::new()));
        let given = changes.embedding.take();
        let given = given.map(|embedding| GivenVectors { embedding, passages: Vec::new() });
        let embedded = match made.filter(|(embedded, _)| *embedded == meaning) {
            Some((_, embedded)) => embedded,
            None => self.vectors(given, &meaning, changes.new_summary(found))?,
        };
        // No embedder embeds a text without a word.
        if embedded.is_none() && found.had_embedding && !meaning.is_blank() && settings::embeds_on_write() {
            let message = format!(
                "entry {} has no embedding any more: its text changed, and no embedder fits the store",
                self.entry_id
            );
            let hint = "Give the embedding of the new text: memory_update(..., embedding => ...). Until then searches \
                        find the entry by its words.";
            notice::warn(&Error::new(ErrorKind::WrongState, message).hint(hint));
        }
        Ok(Some(embedded))
    }
}

/// The value of an emptied column, as SQL.
fn emptied(column: ClearedColumn) -> &'static str {
    match column {
        ClearedColumn::Tags | ClearedColumn::Entities => "ARRAY[]::pg_catalog.text[]",
        ClearedColumn::Metadata => "pg_catalog.jsonb_build_object()",
        _ => "NULL",
    }
}
