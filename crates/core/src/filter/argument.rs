//! The `filters` argument: which entries may be found. Filters apply before any limit.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::condition_count::ConditionCount;
use super::metadata;
use super::operators::{self, Column, list};
use super::weakening::of_users;
use crate::bounds_and_defaults::{IMPORTANCE_FILTER, MAX_FILTERS_BYTES};
use crate::error::{Error, ErrorKind, Result, shown};
use crate::filter::condition::{Comparison, Condition, NumberField, TagMatch, TextColumn, TextField, TimeField};
use crate::filter::option_names;
use crate::json_fields::{Beside, Fields, described, unreadable};
use crate::timestamp::{self, Micros};

/// The columns that have their own filter, by the name in requests, with its meaning.
pub const COLUMNS: [(&str, Column, &str); 16] = [
    ("userId", Column::Id(TextField::UserId, TextColumn::UserId), "Only entries of this user, or of one of these"),
    ("agentId", Column::Id(TextField::AgentId, TextColumn::AgentId), "Only entries of this agent, or of one of these"),
    (
        "sessionId",
        Column::Id(TextField::SessionId, TextColumn::SessionId),
        "Only entries of this session (thread, run), or of one of these",
    ),
    ("tags", Column::Tags, "Only entries with one of these tags; with all of them: tagMatch"),
    ("entities", Column::Entities, "Only entries that name one of these, in any case and accents; $all: all of them"),
    ("importance", Column::Number(NumberField::Importance), "Only entries of this importance, a number or bounds"),
    ("sourceType", Column::Id(TextField::SourceType, TextColumn::SourceType), "Only entries from these sources"),
    ("source.type", Column::Id(TextField::SourceType, TextColumn::SourceType), "The same as sourceType"),
    (
        "entryKey",
        Column::Id(TextField::EntryKey, TextColumn::EntryKey),
        "Only the entry with this key of the application, or with one of these",
    ),
    ("accessCount", Column::Number(NumberField::AccessCount), "Only entries used this often, a number or bounds"),
    ("createdAt", Column::Time(TimeField::Creation), "Only entries created then"),
    ("expiresAt", Column::Time(TimeField::Expiry), "Only entries that expire then"),
    ("validFrom", Column::Time(TimeField::ValidFrom), "Only entries that hold from then on"),
    ("validUntil", Column::Time(TimeField::ValidUntil), "Only entries that hold until then"),
    ("rawEntry", Column::Text(TextColumn::RawEntry), "Only entries whose text is like this"),
    ("summary", Column::Text(TextColumn::Summary), "Only entries whose short form is like this"),
];

/// The filters on no column.
const OTHER_FILTERS: [&str; 10] = [
    "tagMatch",
    "minImportance",
    "createdAfter",
    "createdBefore",
    "ids",
    "excludeIds",
    "metadata",
    "$and",
    "$or",
    "$not",
];

/// The parts of a search beside its options.
pub const FILTERS: Beside = Beside {
    has: |key| {
        let is_column = COLUMNS.iter().any(|(name, ..)| *name == key);
        is_column || OTHER_FILTERS.contains(&key) || key.starts_with("metadata.")
    },
    is: "a filter, not an option",
    place: |key| format!("{{\"{key}\": ...}} into filters"),
};

/// The filters of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filters {
    conditions: Vec<(String, Condition)>,
    /// Their demand on the user, which applies to contexts too.
    user: Option<Condition>,
}

impl Filters {
    /// Each filter by its name in the request; all must hold.
    pub fn conditions(&self) -> &[(String, Condition)] {
        &self.conditions
    }

    /// Their demand on `userId`, for contexts as well as entries.
    pub fn user(&self) -> Option<&Condition> {
        self.user.as_ref()
    }

    /// All of them as one condition.
    pub fn condition(&self) -> Condition {
        Condition::all(self.conditions.iter().map(|(_, condition)| condition.clone()))
    }

    /// The filters with one more, which has this name.
    #[must_use]
    pub fn with(mut self, name: &str, condition: Condition) -> Self {
        self.conditions.push((name.to_owned(), condition));
        self
    }

    /// Refuses filters on anything except times of creation, the only field of entries that contexts share.
    pub fn require_creation_times(&self, path: &str) -> Result<()> {
        match self.conditions.iter().find(|(_, condition)| !condition.is_of_creation()) {
            None => Ok(()),
            Some((name, _)) => Err(Error::invalid(format!("{path}.{name} is not a filter of contexts")).hint(
                "Filters of contexts are createdAt, createdAfter and createdBefore; filters.userId applies to \
                 contexts too.",
            )),
        }
    }

    /// Parses the JSON text of `filters`.
    pub fn parse(text: &str) -> Result<Self> {
        Filters::parse_at("filters", text)
    }

    /// Parses the JSON text of filters in another argument. More than [`MAX_FILTERS_BYTES`] are refused (54000).
    pub fn parse_at(path: &str, text: &str) -> Result<Self> {
        if text.len() > MAX_FILTERS_BYTES {
            let message = format!("{path} has {} bytes, more than {MAX_FILTERS_BYTES}", text.len());
            return Err(Error::new(ErrorKind::LimitExceeded, message)
                .hint("Search by parts of the list, or store a tag with the entries and filter by it."));
        }
        let conditions = Reading::default().object(path, text)?;
        let user = of_users(conditions.iter().map(|(_, condition)| condition));
        Ok(Filters { conditions, user })
    }
}

/// Reads a tree of filters.
#[derive(Default)]
struct Reading {
    count: ConditionCount,
}

impl Reading {
    /// The conditions of an object, each with its name.
    fn object(&mut self, path: &str, text: &str) -> Result<Vec<(String, Condition)>> {
        let mut fields = Fields::parse(path, text)?;
        let raw: BTreeMap<Cow<'_, str>, &RawValue> =
            serde_json::from_str(text).map_err(|error| unreadable(path, &error))?;
        let mut found: Vec<(String, Condition)> = Vec::new();
        for (name, column, _) in COLUMNS {
            let condition = match (column, fields.take(name)) {
                (_, None) => None,
                (Column::Tags, Some(value)) => tags(&mut fields, &value)?,
                (_, Some(value)) => operators::condition(&fields.path_of(name), &value, column)?,
            };
            found.extend(condition.map(|condition| (name.to_owned(), condition)));
        }
        if found.iter().filter(|(name, _)| name == "sourceType" || name == "source.type").count() > 1 {
            return Err(Error::invalid(format!("{path} has both sourceType and source.type"))
                .hint("They are two names of one filter: keep sourceType."));
        }
        // Taken with the tags, or not at all.
        let tags_follow_it = matches!(raw.get("tags"), Some(tags) if tags.get().starts_with(['[', '"']));
        if fields.take_choice::<TagMatch>("tagMatch")? == Some(TagMatch::All) && !tags_follow_it {
            return Err(Error::invalid(format!("{} has no list of tags beside it", fields.path_of("tagMatch"))).hint(
                "Write {\"tags\": [\"a\", \"b\"], \"tagMatch\": \"all\"}, or {\"tags\": {\"$all\": [\"a\", \"b\"]}}.",
            ));
        }
        if let Some(least) = fields.take_number("minImportance", IMPORTANCE_FILTER)? {
            add_least_importance(&mut found, &fields.path_of("importance"), least)?;
        }
        found.extend(created(&mut fields)?);
        for (name, is_wanted) in [("ids", true), ("excludeIds", false)] {
            let Some(value) = fields.take(name) else { continue };
            let ids = Condition::Id(ids(&fields.path_of(name), &value)?);
            found.push((name.to_owned(), if is_wanted { ids } else { ids.is_not_true() }));
        }
        let (own, mut holds_others) = (found.len(), false);
        if let Some(value) = fields.take("metadata") {
            let path = fields.path_of("metadata");
            if !value.is_object() {
                return Err(Error::invalid(format!("{path} must be a JSON object, not {}", described(&value)))
                    .hint("Write each key of the metadata with its value: {\"metadata\": {\"page\": 5}}."));
            }
            // One without keys is the same as none.
            if let Some(json) = raw.get("metadata").filter(|_| value.as_object().is_some_and(|keys| !keys.is_empty())) {
                holds_others = true;
                found.push(("metadata".to_owned(), metadata::condition(&path, json, &mut self.count)?));
            }
        }
        for connective in ["$and", "$or", "$not"] {
            if let Some(value) = fields.take(connective) {
                let path = fields.path_of(connective);
                holds_others = true;
                found.extend(self.connected(&path, connective, &value, raw.get(connective))?);
            }
        }
        // "metadata.page": a path with dots.
        for (key, json) in &raw {
            if let Some(keys) = key.strip_prefix("metadata.") {
                fields.forget(key);
                let path = fields.path_of(&shown(key));
                let keys = metadata::keys_of_path(&path, keys)?;
                holds_others = true;
                found.push((key.to_string(), metadata::at_path(&path, &keys, json, &mut self.count)?));
            }
        }
        fields.finish_beside(&[option_names::OPTIONS])?;
        // A condition that contains others counted these, and an empty object is one: so the size of a tree is bounded.
        self.count.add(own.max(usize::from(!holds_others)))?;
        Ok(found)
    }

    fn connected(
        &mut self,
        path: &str,
        connective: &str,
        value: &Value,
        json: Option<&&RawValue>,
    ) -> Result<Vec<(String, Condition)>> {
        let json = json.map_or("null", |json| json.get());
        let objects: Vec<&RawValue> = match value {
            Value::Array(items) if !items.is_empty() => {
                list(path, value)?;
                serde_json::from_str(json).map_err(|error| unreadable(path, &error))?
            }
            Value::Object(_) if connective == "$not" => {
                let parts = self.object(path, json)?;
                if parts.is_empty() {
                    return Err(metadata::asks_nothing(path));
                }
                let condition = Condition::all(parts.into_iter().map(|(_, condition)| condition));
                return Ok(vec![(connective.to_owned(), metadata::connect(connective, vec![condition]))]);
            }
            other => {
                let given = if other.is_array() { "an empty one".to_owned() } else { described(other) };
                return Err(Error::invalid(format!("{path} must be a list of filters, not {given}")).hint(format!(
                    "Write {{\"{connective}\": [{{\"userId\": \"ana\"}}, {{\"importance\": {{\"$gte\": 50}}}}]}}."
                )));
            }
        };
        let (mut named, mut conditions) = (Vec::new(), Vec::new());
        for (at, object) in objects.into_iter().enumerate() {
            let path = format!("{path}[{at}]");
            let parts = self.object(&path, object.get())?;
            if connective == "$not" && parts.is_empty() {
                return Err(metadata::asks_nothing(&path));
            }
            if connective == "$and" {
                // Each removes entries by itself, and says so.
                named.extend(parts.into_iter().map(|(name, part)| (format!("$and[{at}].{name}"), part)));
            } else {
                conditions.push(Condition::all(parts.into_iter().map(|(_, condition)| condition)));
            }
        }
        if connective != "$and" {
            named.push((connective.to_owned(), metadata::connect(connective, conditions)));
        }
        Ok(named)
    }
}

/// `tagMatch` says whether one tag of a list is enough.
fn tags(fields: &mut Fields, value: &Value) -> Result<Option<Condition>> {
    let condition = operators::condition(&fields.path_of("tags"), value, Column::Tags)?;
    Ok(match (condition, fields.peek_choice("tagMatch"), value) {
        (Some(Condition::Tags(tags, _)), Some(matching), Value::Array(_) | Value::String(_)) => {
            Some(Condition::Tags(tags, matching))
        }
        (condition, ..) => condition,
    })
}

/// `minImportance` is a bound of `importance`.
fn add_least_importance(found: &mut Vec<(String, Condition)>, path: &str, least: f64) -> Result<()> {
    let bound = Condition::Number(NumberField::Importance, Comparison::GreaterOrEqual, least);
    let Some((_, importance)) = found.iter_mut().find(|(name, _)| name == "importance") else {
        found.push(("importance".to_owned(), bound));
        return Ok(());
    };
    *importance = Condition::all([importance.clone(), bound]);
    match importance {
        Condition::All(parts) => operators::refuse_contradiction(path, parts),
        _ => Ok(()),
    }
}

fn created(fields: &mut Fields) -> Result<Vec<(String, Condition)>> {
    let mut found = Vec::new();
    let mut instants: [Option<Micros>; 2] = [None, None];
    let bounds = [("createdAfter", Comparison::GreaterOrEqual), ("createdBefore", Comparison::LessOrEqual)];
    for ((key, comparison), known) in bounds.into_iter().zip(&mut instants) {
        if let Some(instant) = fields.take_text(key)? {
            let instant = timestamp::parse(&fields.path_of(key), &instant)?;
            *known = Some(instant);
            found.push((key.to_owned(), Condition::Time(TimeField::Creation, comparison, instant)));
        }
    }
    if let [Some(after), Some(before)] = instants
        && after > before
    {
        return Err(Error::invalid(format!(
            "{} ({}) is later than {} ({})",
            fields.path_of("createdAfter"),
            timestamp::format(after),
            fields.path_of("createdBefore"),
            timestamp::format(before)
        ))
        .hint("Swap the two, or leave one out."));
    }
    Ok(found)
}

/// Ids as they were written: only the store knows their type, in which they are compared.
fn ids(path: &str, value: &Value) -> Result<Vec<String>> {
    list(path, value)?
        .iter()
        .map(|id| match id {
            Value::String(id) => Ok(id.clone()),
            Value::Number(id) if id.is_i64() => Ok(id.to_string()),
            other => Err(Error::invalid(format!("{path} must be a list of ids, not of {}", described(other)))
                .hint("Write ids of entries in quotes, as a search shows them in entryId.")),
        })
        .collect()
}

#[cfg(test)]
mod tests;
