//! The columns of an entry that calls give: the one table for the row of one entry, for the rows of many, and for an
//! entry that is stored again under its key. Vectors, which no parameter of text carries, are not among them.

use memory_search_core::timestamp::Micros;

use crate::pg::param::Param;
use crate::pg::spi::Statement;
use crate::store::writing::new_row::NewRow;
use crate::store::writing::time_to_live;

/// A column of the table of entries.
pub struct EntryColumn {
    /// Its name.
    pub name: &'static str,
    /// The text after a value, which makes a value of the column's type of it.
    pub cast: &'static str,
    kind: Kind,
    /// The value of a row that gives none, as SQL, if it is not null.
    default: &'static str,
    /// Whether statements name it only if a row gives a value.
    is_rare: bool,
    /// Its fate if an entry is stored again under its key.
    pub stored_again: StoredAgain,
    /// Takes the value out of a row.
    take: fn(&mut NewRow) -> Option<Value>,
}

/// The fate of a column if an entry is stored again under its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredAgain {
    /// It stays.
    Stays,
    /// It takes the value of the new call, or the column's default if the call gives none.
    Replaced,
    /// It takes the value of the new call, if the call gives one.
    ReplacedIfGiven,
    /// The embeddings that stay decide.
    AsTheEmbedding,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Texts,
    Time,
}

/// A value of a column.
pub enum Value {
    /// A text, or the text of a number, an id, JSON or an interval.
    Text(String),
    /// A list of texts. A null in it, which only an import has, is not stored.
    Texts(Vec<Option<String>>),
    /// A time.
    Time(Micros),
}

impl Value {
    /// The parameter for the value of a single row.
    pub fn param(self) -> Param {
        match self {
            Value::Text(text) => Param::text(text),
            Value::Texts(texts) => Param::Texts(texts.into_iter().flatten().collect()),
            Value::Time(instant) => Param::Timestamp(Some(instant)),
        }
    }
}

const fn column(name: &'static str, kind: Kind, take: fn(&mut NewRow) -> Option<Value>) -> EntryColumn {
    EntryColumn { name, cast: "", kind, default: "", is_rare: false, stored_again: StoredAgain::Replaced, take }
}

const fn text(name: &'static str, take: fn(&mut NewRow) -> Option<Value>) -> EntryColumn {
    column(name, Kind::Text, take)
}

const fn texts(name: &'static str, take: fn(&mut NewRow) -> Option<Value>) -> EntryColumn {
    column(name, Kind::Texts, take)
}

const fn time(name: &'static str, take: fn(&mut NewRow) -> Option<Value>) -> EntryColumn {
    column(name, Kind::Time, take)
}

impl EntryColumn {
    const fn cast(self, cast: &'static str) -> Self {
        EntryColumn { cast, ..self }
    }

    const fn or(self, default: &'static str) -> Self {
        EntryColumn { default, ..self }
    }

    const fn rare(self) -> Self {
        EntryColumn { is_rare: true, ..self }
    }

    const fn again(self, stored_again: StoredAgain) -> Self {
        EntryColumn { stored_again, ..self }
    }

    /// Takes the value out of a row; `None` if the row gives none.
    pub fn take(&self, row: &mut NewRow) -> Option<Value> {
        (self.take)(row)
    }

    /// The SQL of the value of a row that gives none; `None` if a statement then leaves the column out. The owner may set
    /// defaults of columns, which must not count for some calls only, or for rows that no other row of the call is like.
    pub fn absent(&self) -> Option<&'static str> {
        match self.kind {
            _ if self.is_rare => None,
            Kind::Texts => Some("'{}'"),
            _ if self.default.is_empty() => Some("NULL"),
            _ => Some(self.default),
        }
    }

    /// The parameter for the values of many rows.
    pub fn params(&self, values: Vec<Option<Value>>) -> Param {
        let text = |value: Option<Value>| match value? {
            Value::Text(text) => Some(text),
            // PostgreSQL has no arrays of arrays of different lengths.
            Value::Texts(texts) => Some(serde_json::Value::from(texts).to_string()),
            Value::Time(_) => None,
        };
        let instant = |value: Option<Value>| match value? {
            Value::Time(instant) => Some(instant),
            Value::Text(_) | Value::Texts(_) => None,
        };
        match self.kind {
            Kind::Time => Param::NullableTimestamps(values.into_iter().map(instant).collect()),
            Kind::Text | Kind::Texts => Param::NullableTexts(values.into_iter().map(text).collect()),
        }
    }

    /// The SQL of the stored value, where `value` is SQL of a value from [`params`](Self::params).
    pub fn stored(&self, value: &str) -> String {
        let stored = match self.kind {
            // The subquery runs for each row with a list.
            Kind::Texts => format!(
                "CASE WHEN {value} IS NULL THEN '{{}}' \
                 ELSE ARRAY(SELECT pg_catalog.jsonb_array_elements_text({value}::pg_catalog.jsonb)) END"
            ),
            Kind::Text | Kind::Time => format!("{value}{}", self.cast),
        };
        if self.default.is_empty() { stored } else { format!("COALESCE({stored}, {})", self.default) }
    }
}

/// All of them.
pub static COLUMNS: [EntryColumn; 22] = [
    text("entry_id", |row| row.entry.entry_id.take().map(Value::Text))
        .cast("::pg_catalog.uuid")
        .or("pg_catalog.gen_random_uuid()")
        .rare()
        .again(StoredAgain::Stays),
    text("user_id", |row| row.entry.user_id.take().map(Value::Text)),
    text("agent_id", |row| row.entry.agent_id.take().map(Value::Text)),
    text("session_id", |row| row.entry.session_id.take().map(Value::Text)),
    text("entry_key", |row| row.entry.entry_key.take().map(Value::Text)).again(StoredAgain::Stays),
    text("raw_entry", |row| Some(Value::Text(std::mem::take(&mut row.entry.raw_entry)))),
    text("summary", |row| row.entry.summary.take().map(Value::Text)),
    text("context", |row| row.entry.context.take().map(Value::Text)),
    texts("tags", |row| row.entry.tags.take().map(Value::Texts)),
    texts("entities", |row| row.entry.entities.take().map(Value::Texts)),
    text("metadata", |row| row.entry.metadata.take().map(Value::Text))
        .cast("::pg_catalog.jsonb")
        .or("pg_catalog.jsonb_build_object()"),
    text("source_type", |row| row.entry.source_type.take().map(Value::Text)),
    text("importance", |row| Some(Value::Text(row.entry.importance.to_string()))).cast("::pg_catalog.int2"),
    time("creation_time", |row| row.entry.creation_time.take().map(Value::Time))
        .or("pg_catalog.clock_timestamp()")
        .again(StoredAgain::ReplacedIfGiven),
    time("expires_at", |row| row.entry.expires_at.take().map(Value::Time)),
    time("valid_from", |row| row.entry.valid_from.take().map(Value::Time)),
    time("valid_until", |row| row.entry.valid_until.take().map(Value::Time)),
    text("time_to_live", |row| row.entry.ttl.take().map(Value::Text)).cast(time_to_live::AS_INTERVAL),
    text("embedding_model", |row| row.embedding.as_mut()?.model.take().map(Value::Text))
        .rare()
        .again(StoredAgain::AsTheEmbedding),
    time("deletion_scheduled_time", |row| row.past.deletion_scheduled_time.take().map(Value::Time)).rare(),
    text("superseded_by", |row| row.past.superseded_by.take().map(Value::Text))
        .cast("::pg_catalog.uuid")
        .rare()
        .again(StoredAgain::Stays),
    time("superseded_time", |row| row.past.superseded_time.take().map(Value::Time)).rare().again(StoredAgain::Stays),
];

/// The assignment of a value to one of them, in an UPDATE.
pub fn assignment(statement: &mut Statement, name: &str, value: Value) -> String {
    let cast = COLUMNS.iter().find(|column| column.name == name).map_or("", |column| column.cast);
    format!("{name} = {}{cast}", statement.bind(value.param()))
}
