//! The kinds of options: how a value is read and stored, and its JSON Schema.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use crate::bounds_and_defaults;
use crate::entry_fields::ENTRY_FIELDS;
use crate::error::{Error, Result, shown};
use crate::filter::Filters;
use crate::filter::validity::Validity;
use crate::json_fields::{Choice, Fields, OBJECT_FORM, described, nearest, words};
use crate::rank::choices::{Strategy, WordMatch};
use crate::rank::group::{self, AtMost};
use crate::rank::scoring::Scoring;
use crate::request::newest::Newest;
use crate::request::rerank::Rerank;
use crate::request::search_page::AskedPage;
use crate::request::snippets::Snippets;
use crate::timestamp::{self, Micros};

/// The number of entries of its session that are shown with an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The entries before it.
    pub before: i64,
    /// The entries after it.
    pub after: i64,
}

/// The options of a search: the given values, or those of the preset.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The way in which candidates are found.
    pub strategy: Strategy,
    /// Whether a strategy without candidates falls back to the next.
    pub fallback: bool,
    /// The words of the query that an entry must hold to be found by words; `None` if not given.
    pub word_match: Option<WordMatch>,
    /// Whether a word that no entry holds finds words that differ in one letter; `None` if not given.
    pub typos: Option<bool>,
    /// The weight of meaning, if given.
    pub semantic_weight: Option<f64>,
    /// The weight of words, if given.
    pub keyword_weight: Option<f64>,
    /// The scoring of entries, except for given weights.
    pub scoring: Scoring,
    /// Least cosine similarity of an entry that has an embedding.
    pub min_similarity: Option<f64>,
    /// Least final score.
    pub min_score: Option<f64>,
    /// Whether only relevant entries are returned.
    pub relevant_only: bool,
    /// Entries more similar than this to a better one are dropped.
    pub dedup_threshold: Option<f64>,
    /// The weight of score against difference, for a diverse answer.
    pub mmr: Option<f64>,
    /// The most entries of a group.
    pub at_most: Vec<AtMost>,
    /// The reranker, if given; `Some(None)` means none.
    pub rerank: Option<Option<Rerank>>,
    /// The entries that are in every prompt.
    pub pinned: Option<Filters>,
    /// The entries at the beginning of a prompt.
    pub newest: Option<Newest>,
    /// The contexts that are read.
    pub contexts: Option<Filters>,
    /// The number of entries of its session that are shown with each entry.
    pub neighbours: Neighbours,
    /// The fields of an entry in the response; `None` means all.
    pub fields: Option<Vec<&'static str>>,
    /// The length at which texts are cut.
    pub max_characters: Option<usize>,
    /// The way in which entries are shortened to fitting passages, if given; `Some(None)` means not at all.
    pub snippets: Option<Option<Snippets>>,
    /// Candidates taken from each signal, if given.
    pub candidates: Option<i64>,
    /// Whether corrected entries are found too.
    pub include_superseded: bool,
    /// Whether entries that belong to the best count, and are found.
    pub expand: bool,
    /// The instant for ages and visibility; `None` means now.
    pub as_of: Option<Micros>,
    /// The intervals that entries must have, if given.
    pub validity: Option<Validity>,
    /// Whether the response has diagnostics.
    pub diagnostics: bool,
    /// The page of the search; `None` means a search without pages.
    pub page: Option<AskedPage>,
    /// Wanted entries if the request does not say. This is no option, but presets differ in it.
    pub top_ke: i64,
}

/// The type and range of an option's value, with the field that stores the value.
pub trait Kind {
    /// Reads the field, if it is given, into its place.
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

/// True or false, with a setting as the default.
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
    /// The range, both ends included.
    pub range: RangeInclusive<i64>,
    /// The documented default; `None` means no bound.
    pub default: Option<i64>,
    /// The field that stores a given value.
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

/// The interval in which entries hold, which was read before, because two options give it.
pub struct ValidAt;

impl Kind for ValidAt {
    fn read(&self, _: &mut Fields, _: &'static str, _: &mut Options) -> Result<()> {
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        Validity::schema_of_instant()
    }
}

/// The other one of these two options.
pub struct ValidDuring;

impl Kind for ValidDuring {
    fn read(&self, _: &mut Fields, _: &'static str, _: &mut Options) -> Result<()> {
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        Validity::schema_of_interval()
    }
}

/// The most entries of a group: an object of counts.
pub struct Groupings;

impl Kind for Groupings {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(counts) = fields.take_map(key)? {
            into.at_most = group::at_most(&fields.path_of(key), counts)?;
        }
        Ok(())
    }

    fn schema(&self, _: &mut Options) -> Value {
        let (least, most) = (bounds_and_defaults::AT_MOST.start(), bounds_and_defaults::AT_MOST.end());
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

/// The options of snippets.
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

/// A value that was read before, in its original text.
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

/// Filters, which were read before.
pub struct OwnFilters;

impl Kind for OwnFilters {
    fn read(&self, fields: &mut Fields, key: &'static str, _: &mut Options) -> Result<()> {
        match fields.take(key) {
            None | Some(Value::Object(_)) => Ok(()),
            Some(other) => Err(Error::invalid(format!(
                "{} must be an object of filters, not {}",
                fields.path_of(key),
                described(&other)
            ))
            .hint(OBJECT_FORM)),
        }
    }

    fn schema(&self, _: &mut Options) -> Value {
        json!({"type": "object"})
    }
}
