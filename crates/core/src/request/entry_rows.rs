//! Entries and contexts as JSON objects: many entries to add at once, and the lines of an exported memory. The keys are
//! the arguments of `memory_add` in camel case.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::bounds_and_defaults;
use crate::error::{Error, ErrorKind, Result, shown};
use crate::filter::validity;
use crate::ids::IdKind;
use crate::json_fields::{Beside, Choice, Fields, described, unreadable};
use crate::rank::feedback::Feedback;
use crate::request::arguments::{self, identifier};
use crate::request::correction_circles::{self, Correction};
use crate::request::null_arguments;
use crate::timestamp::{self, Micros};

/// An entry to store. `None` means the column's default.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct EntryRow {
    pub entry_id: Option<String>,
    pub user_id: Option<String>,
    pub agent_id: Option<String>,
    pub session_id: Option<String>,
    pub entry_key: Option<String>,
    pub raw_entry: String,
    pub summary: Option<String>,
    pub context: Option<String>,
    /// In an export it may be null.
    pub tags: Option<Vec<Option<String>>>,
    /// Names of the people, places and things that it is about; in an export it may be null.
    pub entities: Option<Vec<Option<String>>>,
    /// JSON text.
    pub metadata: Option<String>,
    pub source_type: Option<String>,
    pub importance: i64,
    pub creation_time: Option<Micros>,
    pub expires_at: Option<Micros>,
    pub valid_from: Option<Micros>,
    pub valid_until: Option<Micros>,
    /// An interval, as its text.
    pub ttl: Option<String>,
    pub embedding: Option<Vec<f32>>,
    /// The embeddings of the passages of a long text.
    pub passage_embeddings: Option<Vec<Vec<f32>>>,
}

/// The embedder of an exported embedding.
#[derive(Debug, Clone, PartialEq)]
pub enum MadeBy {
    /// The line has no embedding, so one is computed.
    NotGiven,
    /// The line has an embedding by this embedder or from a caller, or it says that there was none.
    Given(Option<String>),
}

/// An entry that was exported.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct ExportedEntry {
    /// Its place in the argument, for errors: `lines[7]`.
    pub line: String,
    pub row: EntryRow,
    pub made_by: MadeBy,
    pub deletion_scheduled_time: Option<Micros>,
    pub superseded_by: Option<String>,
    pub superseded_time: Option<Micros>,
    pub access_count: i64,
    pub last_accessed_at: Option<Micros>,
    pub feedback: Feedback,
}

/// A context that was exported.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct ExportedContext {
    /// Its place in the argument, for errors: `lines[7]`.
    pub line: String,
    pub context_id: Option<String>,
    pub entry_id: Option<String>,
    pub user_id: Option<String>,
    pub context: String,
    pub creation_time: Option<Micros>,
    pub deletion_scheduled_time: Option<Micros>,
    pub embedding: Option<Vec<f32>>,
    pub made_by: MadeBy,
}

/// A link that was exported.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct ExportedLink {
    /// Its place in the argument, for errors: `lines[7]`.
    pub line: String,
    pub from_entry: String,
    pub to_entry: String,
    pub kind: String,
    pub weight: f32,
    pub valid_from: Option<Micros>,
    pub valid_until: Option<Micros>,
    /// JSON text.
    pub metadata: Option<String>,
    pub creation_time: Option<Micros>,
}

/// An alias that was exported.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct ExportedAlias {
    /// Its place in the argument, for errors: `lines[7]`.
    pub line: String,
    pub alias: String,
    pub entity: String,
    pub creation_time: Option<Micros>,
}

/// Lines of an export, each kind in its order.
#[derive(Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Exported {
    pub entries: Vec<ExportedEntry>,
    pub contexts: Vec<ExportedContext>,
    pub links: Vec<ExportedLink>,
    pub aliases: Vec<ExportedAlias>,
}

#[derive(Clone, Copy)]
enum Kind {
    Entry,
    Context,
    Link,
    Alias,
}

impl Choice for Kind {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("entry", Kind::Entry), ("context", Kind::Context), ("link", Kind::Link), ("alias", Kind::Alias)];
}

const TEXTS_FORM: &str = "Write [\"a text\", \"another one\"], or leave the key out.";

/// The entries of a JSON list.
pub fn parse_entries(name: &str, text: &str) -> Result<Vec<EntryRow>> {
    let objects = objects(name, text)?;
    objects
        .into_iter()
        .enumerate()
        .map(|(at, json)| {
            let mut fields = Object::parse(&format!("{name}[{at}]"), json.get())?;
            let row = fields.entry(false)?;
            fields.finish()?;
            Ok(row)
        })
        .collect()
}

/// The lines of an export: one object, or a list of them.
pub fn parse_exported(name: &str, text: &str) -> Result<Exported> {
    let mut exported = Exported::default();
    if text.trim_start().starts_with('{') {
        exported.add(name, text)?;
        exported.refuse_circles()?;
        return Ok(exported);
    }
    for (at, json) in objects(name, text)?.into_iter().enumerate() {
        exported.add(&format!("{name}[{at}]"), json.get())?;
    }
    exported.refuse_circles()?;
    Ok(exported)
}

fn objects<'a>(name: &str, text: &'a str) -> Result<Vec<&'a RawValue>> {
    if !text.trim_start().starts_with('[') {
        return Err(Error::invalid(format!("{name} must be a JSON list of objects, not {}", shown(text)))
            .hint("Write a list with an object for each: [{...}, {...}]."));
    }
    serde_json::from_str(text).map_err(|error| unreadable(name, &error))
}

impl Exported {
    fn refuse_circles(&self) -> Result<()> {
        let mut corrections = Vec::new();
        for ExportedEntry { line, row, superseded_by, .. } in &self.entries {
            if let (Some(corrected), Some(by)) = (&row.entry_id, superseded_by) {
                corrections.push(Correction { line, corrected, by });
            }
        }
        correction_circles::refuse(&corrections)
    }

    fn add(&mut self, path: &str, text: &str) -> Result<()> {
        let mut object = Object::parse(path, text)?;
        let Some(kind) = object.fields.take_choice::<Kind>("kind")? else {
            return Err(Error::new(ErrorKind::NullArgument, format!("{path}.kind must not be null"))
                .hint("Each line of an export says whether it is an entry, a context, a link or an alias."));
        };
        // The memory that it belonged to: it becomes the memory of the import.
        object.fields.take_text("memoryId")?;
        match kind {
            Kind::Entry => self.entries.push(object.exported_entry(path)?),
            Kind::Context => self.contexts.push(object.exported_context(path)?),
            Kind::Link => self.links.push(object.exported_link(path)?),
            Kind::Alias => self.aliases.push(object.exported_alias(path)?),
        }
        object.finish()
    }
}

/// The memory is the same for all entries of a call.
const OF_THE_CALL: Beside = Beside {
    has: |key| ["memoryId", "memory_id"].contains(&key),
    is: "an argument of the call, not of an entry",
    place: |_| "it once, as memory_id".to_owned(),
};
/// The name under which filters ask for creation_time.
const OF_FILTERS: Beside = Beside {
    has: |key| ["createdAt", "created_at"].contains(&key),
    is: "a filter's name",
    place: |_| "creationTime".to_owned(),
};

/// An object being read, with the text of its values.
struct Object<'a> {
    fields: Fields,
    raw: BTreeMap<Cow<'a, str>, &'a RawValue>,
    /// The missing key, which is reported after an unknown key, because that one may be a misspelling of it.
    lacks: Option<Error>,
}

impl<'a> Object<'a> {
    fn parse(path: &str, text: &'a str) -> Result<Self> {
        if !text.trim_start().starts_with('{') {
            return Fields::parse(path, text).map(|fields| Object { fields, raw: BTreeMap::new(), lacks: None });
        }
        let raw: BTreeMap<Cow<'a, str>, &'a RawValue> =
            serde_json::from_str(text).map_err(|error| unreadable(path, &error))?;
        let mut map = serde_json::Map::new();
        for (key, json) in &raw {
            let value = match (key.as_ref(), json.get()) {
                // The text of metadata is stored as it is, so its numbers are not read here, and may be of any size.
                ("metadata", json) if json.starts_with('{') => Value::Object(serde_json::Map::new()),
                ("metadata", json) => serde_json::from_str(json).unwrap_or_else(|_| Value::from(json)),
                (_, json) => {
                    serde_json::from_str(json).map_err(|error| unreadable(&format!("{path}.{key}"), &error))?
                }
            };
            map.insert(key.to_string(), value);
        }
        Ok(Object { fields: Fields::of_object(path, map), raw, lacks: None })
    }

    /// An entry as `memory_add` takes it, or as a row has it.
    fn entry(&mut self, is_stored: bool) -> Result<EntryRow> {
        let (valid_from, valid_until) = self.interval(is_stored)?;
        let row = EntryRow {
            valid_from,
            valid_until,
            ttl: self.fields.take_text("ttl")?,
            raw_entry: self.required_text("rawEntry")?,
            summary: self.fields.take_text("summary")?,
            context: self.fields.take_text("context")?,
            tags: match is_stored {
                true => self.stored_texts("tags")?,
                false => self.fields.take_texts("tags", usize::MAX)?.map(|tags| tags.into_iter().map(Some).collect()),
            },
            entities: match is_stored {
                true => self.stored_texts("entities")?,
                false => self.entities()?,
            },
            metadata: if is_stored { self.stored_metadata() } else { self.metadata()? },
            importance: self
                .fields
                .take_integer("importance", bounds_and_defaults::IMPORTANCE)?
                .unwrap_or(bounds_and_defaults::DEFAULT_IMPORTANCE),
            embedding: self.fields.take_vector("embedding", bounds_and_defaults::MAX_DIMENSIONS)?,
            passage_embeddings: self.fields.take_vectors(
                "passageEmbeddings",
                bounds_and_defaults::MAX_PASSAGES,
                bounds_and_defaults::MAX_DIMENSIONS,
            )?,
            user_id: self.name("userId", is_stored)?,
            agent_id: self.name("agentId", is_stored)?,
            session_id: self.name("sessionId", is_stored)?,
            entry_key: self.name("entryKey", is_stored)?,
            source_type: self.name("sourceType", is_stored)?,
            creation_time: self.time("creationTime")?,
            entry_id: self.uuid("entryId")?,
            expires_at: self.time("expiresAt")?,
        };
        if row.embedding.is_none() && row.passage_embeddings.is_some() {
            let path = self.fields.path_of("passageEmbeddings");
            return Err(Error::invalid(format!("{path} is given, and embedding is not"))
                .hint("Give the embedding of the whole text too, or leave both to the store's embedder."));
        }
        if !is_stored && row.ttl.is_some() && row.expires_at.is_some() {
            return Err(arguments::both_expiries(&self.fields.path_of("ttl"), "expiresAt"));
        }
        Ok(row)
    }

    fn interval(&mut self, is_stored: bool) -> Result<(Option<Micros>, Option<Micros>)> {
        let (from, until) = (self.time("validFrom")?, self.time("validUntil")?);
        let checked = if is_stored { validity::stored_interval } else { validity::interval };
        checked((&self.fields.path_of("validFrom"), from), ("validUntil", until))
    }

    fn exported_entry(&mut self, line: &str) -> Result<ExportedEntry> {
        let made_by = self.made_by()?;
        let entry = ExportedEntry {
            line: line.to_owned(),
            row: self.entry(true)?,
            made_by,
            deletion_scheduled_time: self.time("deletionScheduledTime")?,
            superseded_by: self.uuid("supersededBy")?,
            superseded_time: self.time("supersededTime")?,
            access_count: self.fields.take_integer("accessCount", 0..=i64::MAX)?.unwrap_or_default(),
            last_accessed_at: self.time("lastAccessedAt")?,
            feedback: Feedback {
                helpful: self.fields.take_integer("helpful", 0..=i64::MAX)?.unwrap_or_default(),
                unhelpful: self.fields.take_integer("unhelpful", 0..=i64::MAX)?.unwrap_or_default(),
            },
        };
        if entry.superseded_by.is_some() != entry.superseded_time.is_some() {
            let path = self.fields.path_of("supersededBy");
            return Err(Error::invalid(format!("{path} and supersededTime must be given together, or neither"))
                .hint("Leave both out for an entry that nothing replaced."));
        }
        Ok(entry)
    }

    fn exported_context(&mut self, line: &str) -> Result<ExportedContext> {
        Ok(ExportedContext {
            line: line.to_owned(),
            made_by: self.made_by()?,
            context_id: self.uuid("contextId")?,
            entry_id: self.uuid("entryId")?,
            user_id: self.name("userId", true)?,
            context: self.required_text("context")?,
            creation_time: self.time("creationTime")?,
            deletion_scheduled_time: self.time("deletionScheduledTime")?,
            embedding: self.fields.take_vector("embedding", bounds_and_defaults::MAX_DIMENSIONS)?,
        })
    }

    fn exported_link(&mut self, line: &str) -> Result<ExportedLink> {
        let (valid_from, valid_until) = self.interval(true)?;
        let link = ExportedLink {
            line: line.to_owned(),
            from_entry: self.required_uuid("fromEntry")?,
            to_entry: self.required_uuid("toEntry")?,
            kind: self.required_text("linkKind")?,
            weight: self.fields.take_number("weight", bounds_and_defaults::UNIT)?.unwrap_or(1.0) as f32,
            valid_from,
            valid_until,
            metadata: self.stored_metadata(),
            creation_time: self.time("creationTime")?,
        };
        if link.from_entry == link.to_entry && !link.from_entry.is_empty() {
            let path = self.fields.path_of("toEntry");
            return Err(Error::invalid(format!("{path} is the same entry as fromEntry, {}", link.to_entry))
                .hint("A link leads to another entry: leave this line out."));
        }
        if self.lacks.is_none() && link.kind.is_empty() {
            return Err(Error::invalid(format!("{} must not be empty", self.fields.path_of("linkKind")))
                .hint("Say how the entries are related, for example \"mentions\"."));
        }
        Ok(link)
    }

    /// Plain SQL can store names that are folded differently, and those are kept.
    fn exported_alias(&mut self, line: &str) -> Result<ExportedAlias> {
        let alias = ExportedAlias {
            line: line.to_owned(),
            alias: self.required_text("alias")?,
            entity: self.required_text("entity")?,
            creation_time: self.time("creationTime")?,
        };
        for (key, text) in [("alias", &alias.alias), ("entity", &alias.entity)] {
            if self.lacks.is_none() && text.is_empty() {
                return Err(Error::invalid(format!("{} must not be empty", self.fields.path_of(key))).hint(
                    "An alias is another name of an entity: both are texts. Leave a line without one of them out.",
                ));
            }
        }
        Ok(alias)
    }

    fn required_uuid(&mut self, key: &'static str) -> Result<String> {
        let id = self.uuid(key)?;
        if id.is_none() {
            let hint = null_arguments::hint_for_key(key, "\"id of an entry\"");
            self.lacks = Some(Error::null(&self.fields.path_of(key)).hint(hint));
        }
        Ok(id.unwrap_or_default())
    }

    /// Null means that there was no embedding; a missing key means that one is to be computed.
    fn made_by(&mut self) -> Result<MadeBy> {
        let is_given = self.fields.holds("embedding");
        let model = self.fields.take_text("embeddingModel")?;
        Ok(if is_given { MadeBy::Given(model) } else { MadeBy::NotGiven })
    }

    /// A required text: [`Object::finish`] reports it if it is missing.
    fn required_text(&mut self, key: &'static str) -> Result<String> {
        let text = self.fields.take_text(key)?;
        if text.is_none() {
            let hint = null_arguments::hint_for_key(key, "\"text\"");
            self.lacks = Some(Error::null(&self.fields.path_of(key)).hint(hint));
        }
        Ok(text.unwrap_or_default())
    }

    fn finish(self) -> Result<()> {
        self.fields.finish_beside(&[OF_THE_CALL, OF_FILTERS])?;
        self.lacks.map_or(Ok(()), Err)
    }

    /// The ids of user and agent: plain SQL can store ids that `memory_add` refuses, and those are kept.
    fn name(&mut self, key: &'static str, is_stored: bool) -> Result<Option<String>> {
        let value = self.fields.take_text(key)?;
        if is_stored { Ok(value) } else { identifier(&self.fields.path_of(key), value) }
    }

    fn uuid(&mut self, key: &'static str) -> Result<Option<String>> {
        let Some(text) = self.fields.take_text(key)? else { return Ok(None) };
        let id = IdKind::Uuid.value(&text);
        let path = self.fields.path_of(key);
        id.map(Some).ok_or_else(|| {
            Error::invalid(format!("{path} must be a uuid, not \"{}\"", shown(&text)))
                .hint("Keep an id of the application in entryKey, or in metadata.")
        })
    }

    fn time(&mut self, key: &'static str) -> Result<Option<Micros>> {
        let Some(text) = self.fields.take_text(key)? else { return Ok(None) };
        Ok(Some(match text.as_str() {
            "infinity" => Micros::MAX,
            "-infinity" => Micros::MIN,
            text => timestamp::parse(&self.fields.path_of(key), text)?,
        }))
    }

    /// Metadata keep their text: a number must not lose digits in a double.
    fn metadata(&mut self) -> Result<Option<String>> {
        let Some(value) = self.fields.take("metadata") else { return Ok(None) };
        if !value.is_object() {
            let path = self.fields.path_of("metadata");
            return Err(Error::invalid(format!("{path} must be a JSON object, not {}", described(&value)))
                .hint(arguments::METADATA_FORM));
        }
        Ok(self.raw.get("metadata").map(|json| json.get().to_owned()))
    }

    /// Any JSON value of a row, because a plain INSERT may store any.
    fn stored_metadata(&mut self) -> Option<String> {
        self.fields.take("metadata");
        self.raw.get("metadata").map(|json| json.get().to_owned())
    }

    fn entities(&mut self) -> Result<Option<Vec<Option<String>>>> {
        let path = self.fields.path_of("entities");
        let Some(names) = self.fields.take_texts("entities", usize::MAX)? else { return Ok(None) };
        Ok(Some(arguments::entities(&path, names)?.into_iter().map(Some).collect()))
    }

    /// The value of a row, which may contain nulls.
    fn stored_texts(&mut self, key: &'static str) -> Result<Option<Vec<Option<String>>>> {
        let path = self.fields.path_of(key);
        match self.fields.take(key) {
            Some(texts @ Value::Array(_)) => serde_json::from_value(texts)
                .map(Some)
                .map_err(|_| Error::invalid(format!("{path} must be a list of texts or nulls")).hint(TEXTS_FORM)),
            Some(Value::String(text)) => Ok(Some(vec![Some(text)])),
            Some(other) => {
                Err(Error::invalid(format!("{path} must be a list of texts, not {}", described(&other)))
                    .hint(TEXTS_FORM))
            }
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_needs_nothing_but_its_text() {
        let rows = parse_entries("entries", r#"[{"rawEntry": "a"}, {"rawEntry": "b", "summary": null}]"#).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].raw_entry.as_str(), rows[0].importance), ("a", 50));
        assert_eq!(rows[1], EntryRow { raw_entry: "b".to_owned(), ..rows[0].clone() });
        assert_eq!(parse_entries("entries", "[]").unwrap(), []);
    }

    #[test]
    fn everything_that_memory_add_takes_has_a_key() {
        let text = r#"[{"rawEntry": "r", "summary": "s", "context": "c", "tags": ["t"],
            "metadata": {"id": 123456789012345678901234567890}, "importance": 7, "embedding": [1, 0.5], "userId": "u",
            "agentId": "a", "sourceType": "chat", "creationTime": "2025-01-01T00:00:00Z",
            "entryId": "{0000002A-0000-4000-8000-00000000000F}", "expiresAt": "infinity"}]"#;
        let row = parse_entries("entries", text).unwrap().remove(0);
        assert_eq!(row.metadata.as_deref(), Some(r#"{"id": 123456789012345678901234567890}"#));
        assert_eq!(row.entry_id.as_deref(), Some("0000002a-0000-4000-8000-00000000000f"));
        assert_eq!((row.expires_at, row.creation_time), (Some(i64::MAX), Some(1_735_689_600_000_000)));
        assert_eq!((row.embedding, row.tags), (Some(vec![1.0, 0.5]), Some(vec![Some("t".to_owned())])));
    }

    #[test]
    fn a_refusal_names_the_entry_and_the_key() {
        for (bad, message) in [
            (r#"{"rawEntry": "a"}"#, "entries must be a JSON list"),
            (r#"[{"rawEntry": "a"}, 5]"#, "entries[1] must be a JSON object"),
            (r#"[{"summary": "a"}]"#, "entries[0].rawEntry must not be null"),
            (r#"[{"rawEntry": "a", "importance": 101}]"#, "entries[0].importance must be"),
            (r#"[{"rawEntry": "a", "metadata": [1]}]"#, "entries[0].metadata must be a JSON object"),
            (r#"[{"rawEntry": "a", "entryId": "x"}]"#, "entries[0].entryId must be a uuid"),
            (r#"[{"rawEntry": "a", "userId": ""}]"#, "entries[0].userId must not be empty"),
            (r#"[{"rawEntry": "a", "creationTime": "today"}]"#, "entries[0].creationTime must be a timestamp"),
            (r#"[{"rawEntry": "a", "embedding": "[1]"}]"#, "entries[0].embedding must be a list of numbers"),
        ] {
            let refusal = parse_entries("entries", bad).unwrap_err();
            assert!(refusal.message.starts_with(message), "{bad}: {refusal}");
        }
        let refusal = parse_entries("entries", r#"[{"raw_entry": "a"}]"#).unwrap_err();
        assert_eq!(refusal.message, "unknown key \"raw_entry\" in entries[0]");
        assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"rawEntry\"?"));
        for (key, hint) in [
            ("memoryId", "memoryId is an argument of the call, not of an entry: write it once, as memory_id."),
            ("createdAt", "createdAt is a filter's name: write creationTime."),
        ] {
            let refusal = parse_entries("entries", &format!(r#"[{{"rawEntry": "a", "{key}": "b"}}]"#)).unwrap_err();
            assert_eq!(refusal.hint.as_deref(), Some(hint));
        }
    }

    #[test]
    fn a_line_is_an_entry_or_a_context() {
        let lines = r#"[{"kind": "context", "context": "c", "memoryId": "m"},
            {"kind": "entry", "rawEntry": "a", "embedding": null}, {"kind": "entry", "rawEntry": "b",
             "embedding": [1], "embeddingModel": "x", "accessCount": 3}]"#;
        let exported = parse_exported("lines", lines).unwrap();
        assert_eq!((exported.entries.len(), exported.contexts.len()), (2, 1));
        assert_eq!(exported.contexts[0].made_by, MadeBy::NotGiven);
        assert_eq!(exported.entries[0].made_by, MadeBy::Given(None));
        assert_eq!(exported.entries[1].made_by, MadeBy::Given(Some("x".to_owned())));
        assert_eq!(exported.entries[1].access_count, 3);
        assert_eq!(parse_exported("lines", r#"{"kind": "entry", "rawEntry": "a"}"#).unwrap().entries.len(), 1);
        let stored = |fields: &str| {
            let line = format!(r#"{{"kind": "entry", "rawEntry": "a", {fields}}}"#);
            parse_exported("lines", &line).unwrap().entries.remove(0).row
        };
        assert_eq!(stored(r#""tags": ["t", null]"#).tags, Some(vec![Some("t".to_owned()), None]));
        for json in ["[1.0]", "null", "\"x\"", "7", "{}", "1e400", "[1e400]", "{\"n\": 1e400}"] {
            assert_eq!(stored(&format!("\"metadata\": {json}")).metadata.as_deref(), Some(json));
        }
        for bad in [
            r#"{"kind": "entry", "rawEntry": "a", "tags": [["t"]]}"#,
            r#"{"kind": "entry", "rawEntry": "a", "tags": {}}"#,
            r#"{"rawEntry": "a"}"#,
            r#"{"kind": "entries", "rawEntry": "a"}"#,
            r#"{"kind": "context", "rawEntry": "a"}"#,
            r#"{"kind": "entry", "rawEntry": "a", "supersededBy": "00000000-0000-0000-0000-000000000001"}"#,
            r#"{"kind": "entry", "rawEntry": "a", "accessCount": -1}"#,
            r#"{"kind": "alias", "alias": "", "entity": "x"}"#,
            r#"{"kind": "alias", "alias": "x"}"#,
            r#"{"kind": "link", "toEntry": "00000000-0000-0000-0000-000000000001", "linkKind": "k"}"#,
            "5",
        ] {
            assert!(parse_exported("lines", bad).is_err(), "{bad}");
        }
    }
}
