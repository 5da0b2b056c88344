//! What an option may hold: how its value is read, where it lands, and what JSON Schema says of it.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use crate::entry_fields::ENTRY_FIELDS;
use crate::error::{Error, Result, shown};
use crate::filter::Filters;
use crate::filter::validity::Validity;
use crate::json_fields::{Choice, Fields, described, nearest, words};
use crate::limits;
use crate::rank::choices::{Strategy, WordMatch};
use crate::rank::group::{self, AtMost};
use crate::rank::scoring::Scoring;
use crate::request::newest::Newest;
use crate::request::rerank::Rerank;
use crate::request::search_page::AskedPage;
use crate::request::snippets::Snippets;
use crate::timestamp::{self, Micros};

/// How many entries of its session are shown with an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The last of those before it.
    pub before: i64,
    /// The first of those behind it.
    pub after: i64,
}

/// The options of a search: as given, or else as the preset has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How candidates are found.
    pub strategy: Strategy,
    /// Whether a strategy that finds nothing steps down.
    pub fallback: bool,
    /// Which of the query's words an entry must hold to be found by words; `None` when not given.
    pub word_match: Option<WordMatch>,
    /// Whether words that no entry holds are looked for with one letter another; `None` when not given.
    pub typos: Option<bool>,
    /// The weight of meaning, when given.
    pub semantic_weight: Option<f64>,
    /// The weight of words, when given.
    pub keyword_weight: Option<f64>,
    /// How entries are scored, but for weights that are given.
    pub scoring: Scoring,
    /// Least cosine similarity of an entry that has an embedding.
    pub min_similarity: Option<f64>,
    /// Least final score.
    pub min_score: Option<f64>,
    /// Whether only what is relevant is answered with.
    pub relevant_only: bool,
    /// Entries more similar than this to a better one are dropped.
    pub dedup_threshold: Option<f64>,
    /// What score counts beside difference, where the answer is to be diverse.
    pub mmr: Option<f64>,
    /// At most so many entries of a group.
    pub at_most: Vec<AtMost>,
    /// How the best are ranked again, when given; `Some(None)` is not at all.
    pub rerank: Option<Option<Rerank>>,
    /// Which entries a prompt has always.
    pub pinned: Option<Filters>,
    /// Which entries a prompt begins with.
    pub newest: Option<Newest>,
    /// Which contexts are looked at.
    pub contexts: Option<Filters>,
    /// How many entries of its session stand beside each entry.
    pub neighbours: Neighbours,
    /// The fields of an entry in the response; `None` is all.
    pub fields: Option<Vec<&'static str>>,
    /// Texts longer than this are cut.
    pub max_characters: Option<usize>,
    /// How entries are shortened to what fits the query, when given; `Some(None)` is not at all.
    pub snippets: Option<Option<Snippets>>,
    /// Candidates taken from each signal, when given.
    pub candidates: Option<i64>,
    /// Whether entries that a correction replaced are found too.
    pub include_superseded: bool,
    /// Whether entries that belong to the best count, and are found.
    pub expand: bool,
    /// The instant that ages and visibility refer to; `None` is now.
    pub as_of: Option<Micros>,
    /// Which intervals entries must have, when given.
    pub validity: Option<Validity>,
    /// Whether the response says what the search did.
    pub diagnostics: bool,
    /// Which page of the search is asked for; `None` is a search without pages.
    pub page: Option<AskedPage>,
    /// Entries wanted when the request does not say. No option, but presets differ in it.
    pub top_ke: i64,
}

/// The type and range of an option's value, with the place where the value lands.
pub trait Kind {
    /// Reads the field, where it is given, into its place.
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()>;

    /// The JSON Schema of the value, without a description.
    fn schema(&self, defaults: &mut Options) -> Value;
}

/// One of the words of `T`.
pub struct Word<T>(pub fn(&mut Options, T));

impl<T: Choice> Kind for Word<T> {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(word) = fields.take_choice(key)? {
            self.0(into, word);
        }
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        json!({"type": "string", "enum": words::<T>()})
    }
}

/// True or false.
pub struct Flag(pub fn(&mut Options) -> &mut bool);

impl Kind for Flag {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(flag) = fields.take_boolean(key)? {
            *self.0(into) = flag;
        }
        Ok(())
    }

    fn schema(&self, defaults: &mut Options) -> Value {
        json!({"type": "boolean", "default": *self.0(defaults)})
    }
}

/// True or false, as a setting has it where it is left out.
pub struct Switch(pub fn(&mut Options, bool));

impl Kind for Switch {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(flag) = fields.take_boolean(key)? {
            self.0(into, flag);
        }
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        json!({"type": "boolean"})
    }
}

/// A number within a range.
pub struct Number(pub RangeInclusive<f64>, pub fn(&mut Options, f64));

impl Kind for Number {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(number) = fields.take_number(key, self.0.clone())? {
            self.1(into, number);
        }
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        json!({"type": "number", "minimum": self.0.start(), "maximum": self.0.end()})
    }
}

/// A whole number within a range.
pub struct Integer {
    /// Both ends belong to it.
    pub range: RangeInclusive<i64>,
    /// What is documented as the default; `None` is no bound.
    pub default: Option<i64>,
    /// Where a given value lands.
    pub set: fn(&mut Options, i64),
}

impl Kind for Integer {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(number) = fields.take_integer(key, self.range.clone())? {
            (self.set)(into, number);
        }
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        let mut schema = json!({"type": "integer", "minimum": self.range.start(), "maximum": self.range.end()});
        if let Some(default) = self.default {
            schema["default"] = default.into();
        }
        schema
    }
}

/// A time in RFC 3339.
pub struct Instant(pub fn(&mut Options, Micros));

impl Kind for Instant {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(text) = fields.take_text(key)? {
            self.0(into, timestamp::parse(&fields.path_of(key), &text)?);
        }
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        json!({"type": "string", "format": "date-time"})
    }
}

/// When entries hold, which was read beforehand: two options say it.
pub struct ValidAt;

impl Kind for ValidAt {
    fn read(&self, _: &mut Fields, _: &'static str, _: &mut Options) -> Result<()> {
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        Validity::schema_of_instant()
    }
}

/// The other of the two.
pub struct ValidDuring;

impl Kind for ValidDuring {
    fn read(&self, _: &mut Fields, _: &'static str, _: &mut Options) -> Result<()> {
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        Validity::schema_of_interval()
    }
}

/// At most so many entries of a group: an object of counts.
pub struct Groupings;

impl Kind for Groupings {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(counts) = fields.take_map(key)? {
            into.at_most = group::at_most(&fields.path_of(key), counts)?;
        }
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        let (least, most) = (limits::AT_MOST.start(), limits::AT_MOST.end());
        let count = json!({"type": "integer", "minimum": least, "maximum": most, "description": "Entries of one"});
        let columns = group::COLUMNS.iter().map(|(column, _)| ((*column).to_owned(), count.clone()));
        let properties: serde_json::Map<String, Value> = columns.collect();
        json!({"type": "object", "properties": properties, "additionalProperties": false,
               "patternProperties": {"^metadata[.].+": count}})
    }
}

/// Names of fields of an entry.
pub struct EntryFields;

impl Kind for EntryFields {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        let Some(named) = fields.take_texts(key, ENTRY_FIELDS.len())? else { return Ok(()) };
        let path = fields.path_of(key);
        let known = |name: &String| {
            ENTRY_FIELDS.iter().find(|field| *field == name).copied().ok_or_else(|| {
                let refusal = Error::invalid(format!("{path} has no field \"{}\" of an entry", shown(name)));
                match nearest(name, &ENTRY_FIELDS) {
                    Some(field) => refusal.hint(format!("Did you mean \"{field}\"?")),
                    None => refusal.hint(format!("Fields are {}.", ENTRY_FIELDS.join(", "))),
                }
            })
        };
        into.fields = Some(named.iter().map(known).collect::<Result<Vec<_>>>()?);
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        json!({"type": "array", "items": {"type": "string", "enum": ENTRY_FIELDS}, "maxItems": ENTRY_FIELDS.len()})
    }
}

/// A reranker.
pub struct Reranker;

impl Kind for Reranker {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(value) = fields.take(key) {
            into.rerank = Some(Rerank::parse(&fields.path_of(key), value)?);
        }
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        json!({"type": ["string", "boolean", "object"]})
    }
}

/// How snippets are made.
pub struct Shortened;

impl Kind for Shortened {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(value) = fields.take(key) {
            into.snippets = Some(Snippets::parse(&fields.path_of(key), value)?);
        }
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        Snippets::schema()
    }
}

/// What was read beforehand, as it is written.
pub struct ReadBefore(pub fn() -> Value);

impl Kind for ReadBefore {
    fn read(&self, fields: &mut Fields, key: &'static str, _: &mut Options) -> Result<()> {
        fields.take(key);
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        self.0()
    }
}

/// A page of the search.
pub struct Paged;

impl Kind for Paged {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(value) = fields.take(key) {
            into.page = AskedPage::parse(&fields.path_of(key), value)?;
        }
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        AskedPage::schema()
    }
}

/// Filters, which were read beforehand.
pub struct OwnFilters;

impl Kind for OwnFilters {
    fn read(&self, fields: &mut Fields, key: &'static str, _: &mut Options) -> Result<()> {
        match fields.take(key) {
            None | Some(Value::Object(_)) => Ok(()),
            Some(other) => Err(Error::invalid(format!(
                "{} must be an object of filters, not {}",
                fields.path_of(key),
                described(&other)
            ))),
        }
    }

    fn schema(&self, _: &mut Options) -> Value {
        json!({"type": "object"})
    }
}
