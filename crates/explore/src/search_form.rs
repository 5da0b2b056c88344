//! The fields of the search form, defined once: the form of each, and its filter or option.

use memory_search_core::error::{Error, Result};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::asked::Asked;

/// The way in which a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One text.
    Text,
    /// Texts with commas between them.
    List,
    /// An instant; without an offset in UTC.
    Time,
    /// A number.
    Number,
    /// Yes, or nothing.
    Check,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// The destination of a field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A key of `filters`.
    Filter(&'static str),
    /// A key of `options`.
    Option(&'static str),
}

/// A field of the form.
#[derive(Debug)]
pub struct Field {
    /// Its name in addresses.
    pub name: &'static str,
    /// The label for people.
    pub label: &'static str,
    /// The way in which it is filled in.
    pub kind: Kind,
    /// Its destination in the call.
    pub place: Place,
}

const fn field(name: &'static str, label: &'static str, kind: Kind, place: Place) -> Field {
    Field { name, label, kind, place }
}

/// The fields that become filters or options.
pub const FIELDS: [Field; 13] = [
    field("tags", "Tags", Kind::List, Place::Filter("tags")),
    field("tagMatch", "Of these tags", Kind::Choice(&["any", "all"]), Place::Filter("tagMatch")),
    field("user", "User", Kind::Text, Place::Filter("userId")),
    field("agent", "Agent", Kind::Text, Place::Filter("agentId")),
    field("session", "Session", Kind::Text, Place::Filter("sessionId")),
    field("source", "Source type", Kind::Text, Place::Filter("sourceType")),
    field("from", "Created from (UTC)", Kind::Time, Place::Filter("createdAfter")),
    field("to", "Created up to (UTC)", Kind::Time, Place::Filter("createdBefore")),
    field("minImportance", "Least importance", Kind::Number, Place::Filter("minImportance")),
    field("minScore", "Least score", Kind::Number, Place::Option("minScore")),
    field("strategy", "Strategy", Kind::Choice(STRATEGIES), Place::Option("strategy")),
    field("asOf", "As of (UTC)", Kind::Time, Place::Option("asOf")),
    field("superseded", "Corrected entries, too", Kind::Check, Place::Option("includeSuperseded")),
];

const STRATEGIES: &[&str] = &["auto", "hybrid", "semantic", "keyword", "recent"];

/// The names of all fields of a search, for links that keep it.
pub const SEARCH: [&str; 18] = [
    "q",
    "k",
    "tags",
    "tagMatch",
    "user",
    "agent",
    "session",
    "source",
    "from",
    "to",
    "minImportance",
    "minScore",
    "strategy",
    "asOf",
    "superseded",
    "filters",
    "options",
    "embedding",
];

/// Options for the form of an answer. The pages have their own form; ranking does not depend on these.
const OF_THE_ANSWER: [&str; 8] =
    ["cursor", "diagnostics", "fields", "maxCharacters", "neighbours", "newest", "pinned", "snippets"];

/// A search as the functions take it.
#[derive(Debug, Clone)]
pub struct Search {
    /// The question.
    pub query: String,
    /// The number of entries.
    pub k: Option<String>,
    /// Filters as JSON.
    pub filters: String,
    /// Options as JSON.
    pub options: String,
    /// The embedding of the question, where the application makes it.
    pub embedding: Option<String>,
    /// Given options that have no effect here.
    pub left_out: Vec<String>,
}

impl Search {
    /// The search of an address; `None` if it has no question.
    pub fn of(asked: &Asked) -> Result<Option<Self>> {
        let Some(query) = asked.get("q") else { return Ok(None) };
        let (mut filters, mut options) = (object(asked, "filters")?, object(asked, "options")?);
        let left_out: Vec<String> =
            OF_THE_ANSWER.iter().filter(|key| options.remove(**key).is_some()).map(|key| (*key).to_owned()).collect();
        for field in &FIELDS {
            let Some(value) = asked.get(field.name) else { continue };
            let (key, said, named) = match field.place {
                Place::Filter(key) => (key, &mut filters, "filters"),
                Place::Option(key) => (key, &mut options, "options"),
            };
            let value = serde_json::value::to_raw_value(&json_of(field.kind, value))
                .map_err(|error| Error::invalid(error.to_string()))?;
            if said.insert(key.to_owned(), value).is_some() {
                return Err(Error::invalid(format!("{key} is both in the form and in {named} as JSON"))
                    .hint("Give it in only one of the two."));
            }
        }
        let text = |map: &BTreeMap<String, Box<RawValue>>| {
            serde_json::to_string(map).map_err(|error| Error::invalid(error.to_string()))
        };
        Ok(Some(Search {
            query: query.to_owned(),
            k: asked.get("k").map(str::to_owned),
            filters: text(&filters)?,
            options: text(&options)?,
            embedding: asked.get("embedding").map(str::to_owned),
            left_out,
        }))
    }
}

/// Numbers within stay as they were written, to the last digit.
fn object(asked: &Asked, name: &str) -> Result<BTreeMap<String, Box<RawValue>>> {
    let Some(text) = asked.get(name) else { return Ok(BTreeMap::new()) };
    serde_json::from_str(text).map_err(|error| {
        Error::invalid(format!("{name} is no JSON object: {error}"))
            .hint("Write it as {\"key\": value}, with double quotes, as the application does.")
    })
}

/// The value as it was written, if it does not fit the field: then the database's error explains it.
fn json_of(kind: Kind, value: &str) -> Value {
    let value = value.trim();
    match kind {
        Kind::Text | Kind::Choice(_) => json!(value),
        Kind::List => json!(value.split(',').map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>()),
        Kind::Number => value.parse().ok().and_then(serde_json::Number::from_f64).map_or(json!(value), Value::Number),
        Kind::Check => json!(true),
        Kind::Time => json!(instant(value)),
    }
}

/// A browser's field for a time gives neither seconds nor an offset.
fn instant(value: &str) -> String {
    let has_offset = |time: &str| time.ends_with(['Z', 'z']) || time.contains(['+', '-']);
    match value.split_once(['T', ' ']) {
        None if value.len() == 10 => format!("{value}T00:00:00Z"),
        Some((day, time)) if time.len() == 5 => format!("{day}T{time}:00Z"),
        Some((day, time)) if !has_offset(time) => format!("{day}T{time}Z"),
        _ => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(query: &str) -> Result<Option<Search>> {
        Search::of(&Asked::read(query).unwrap())
    }

    #[test]
    fn fields_and_json_make_one_search() {
        let found = search("q=x&tags=a,+b&minScore=0.5&from=2025-01-02T03:04&options={\"mmr\":0.50}").unwrap().unwrap();
        assert_eq!(found.filters, r#"{"createdAfter":"2025-01-02T03:04:00Z","tags":["a","b"]}"#);
        assert_eq!(found.options, r#"{"minScore":0.5,"mmr":0.50}"#);
    }

    #[test]
    fn a_repeated_field_and_invalid_json_are_refused() {
        assert!(search("q=x&tags=a&filters={\"tags\":\"b\"}").is_err());
        assert!(search("q=x&filters=[1]").unwrap_err().hint.is_some());
        assert!(search("filters=[1]").unwrap().is_none());
    }

    #[test]
    fn options_of_the_answer_are_left_out_and_named() {
        let found = search("q=x&options={\"fields\":\"rawEntry\",\"mmr\":1}").unwrap().unwrap();
        assert_eq!((found.options.as_str(), found.left_out), ("{\"mmr\":1}", vec!["fields".to_owned()]));
    }

    #[test]
    fn every_field_belongs_to_a_search() {
        for field in &FIELDS {
            assert!(SEARCH.contains(&field.name), "{}", field.name);
        }
    }

    #[test]
    fn an_invalid_number_reaches_the_database_as_it_is() {
        assert_eq!(search("q=x&minScore=much").unwrap().unwrap().options, r#"{"minScore":"much"}"#);
        for (written, meant) in [
            ("2025-01-02", "2025-01-02T00:00:00Z"),
            ("2025-01-02T03:04:05", "2025-01-02T03:04:05Z"),
            ("2025-01-02T03:04:05+02:00", "2025-01-02T03:04:05+02:00"),
            ("yesterday", "yesterday"),
        ] {
            assert_eq!(instant(written), meant);
        }
    }
}
