//! The `filters` argument: which entries may be found. Filters apply before any limit.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::metadata;
use super::operators::{self, Column, list};
use crate::bounds_and_defaults;
use crate::error::{Error, Result, shown};
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
    /// From `userId`, which applies to contexts too.
    user: Option<Condition>,
}

impl Filters {
    /// Each filter by its name in the request; all must hold.
    pub fn conditions(&self) -> &[(String, Condition)] {
        &self.conditions
    }

    /// The condition of `userId`, for contexts as well as entries.
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

    /// Parses the JSON text of filters in another argument.
    pub fn parse_at(path: &str, text: &str) -> Result<Self> {
        let mut reading = Reading { conditions: 0 };
        let conditions = reading.object(path, text)?;
        let of_user: Vec<Condition> =
            conditions.iter().filter(|(name, _)| is_of_user(name)).map(|(_, condition)| condition.clone()).collect();
        let user = (!of_user.is_empty()).then(|| Condition::all(of_user));
        Ok(Filters { conditions, user })
    }
}

/// Whether a filter is `userId`, alone or inside of `$and`.
fn is_of_user(name: &str) -> bool {
    name.split('.').all(|part| part == "userId" || part.starts_with("$and[")) && name.ends_with("userId")
}

/// Reads a tree of filters.
struct Reading {
    /// Conditions so far.
    conditions: usize,
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
        fields.take_choice::<TagMatch>("tagMatch")?;
        if let Some(least) = fields.take_number("minImportance", 0.0..=100.0)? {
            add_least_importance(&mut found, &fields.path_of("importance"), least)?;
        }
        found.extend(created(&mut fields)?);
        for (name, is_wanted) in [("ids", true), ("excludeIds", false)] {
            let Some(value) = fields.take(name) else { continue };
            let ids = Condition::Id(ids(&fields.path_of(name), &value)?);
            found.push((name.to_owned(), if is_wanted { ids } else { ids.is_not_true() }));
        }
        if let Some(value) = fields.take("metadata") {
            let path = fields.path_of("metadata");
            if !value.is_object() {
                return Err(Error::invalid(format!("{path} must be a JSON object, not {}", described(&value)))
                    .hint("Write each key of the metadata with its value: {\"metadata\": {\"page\": 5}}."));
            }
            // One without keys is the same as none.
            if let Some(json) = raw.get("metadata").filter(|_| value.as_object().is_some_and(|keys| !keys.is_empty())) {
                found.push(("metadata".to_owned(), metadata::condition(&path, json)?));
            }
        }
        let (mut own, mut holds_others) = (found.len(), false);
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
                own += 1;
                found.push((key.to_string(), metadata::at_path(&path, &keys, json)?));
            }
        }
        fields.finish_beside(&[option_names::OPTIONS])?;
        // A condition that contains others is not counted, but an empty object is: so the size of a tree is bounded.
        self.conditions += own.max(usize::from(!holds_others));
        if self.conditions > bounds_and_defaults::MAX_FILTER_CONDITIONS {
            return Err(Error::new(
                crate::ErrorKind::LimitExceeded,
                format!("filters has more than {} conditions", bounds_and_defaults::MAX_FILTER_CONDITIONS),
            )
            .hint("Ask for one of several values by {\"$in\": [...]}."));
        }
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

/// Ids as the server writes them: a UUID in lower case.
fn ids(path: &str, value: &Value) -> Result<Vec<String>> {
    list(path, value)?
        .iter()
        .map(|id| match id {
            Value::String(id) if is_uuid(id) => Ok(id.to_lowercase()),
            Value::String(id) => Ok(id.clone()),
            Value::Number(id) if id.is_i64() => Ok(id.to_string()),
            other => Err(Error::invalid(format!("{path} must be a list of ids, not of {}", described(other)))
                .hint("Write ids of entries in quotes, as a search shows them in entryId.")),
        })
        .collect()
}

fn is_uuid(text: &str) -> bool {
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| if is_dash(at) { byte == b'-' } else { byte.is_ascii_hexdigit() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        Filters::parse(text).unwrap().conditions().iter().map(|(name, _)| name.clone()).collect()
    }

    fn one(text: &str) -> Condition {
        let filters = Filters::parse(text).unwrap();
        let [(_, condition)] = filters.conditions() else { panic!("{filters:?}") };
        condition.clone()
    }

    #[test]
    fn a_number_means_equality_and_an_object_bounds() {
        let number = |comparison, bound| Condition::Number(NumberField::AccessCount, comparison, bound);
        assert_eq!(one(r#"{"accessCount": 70}"#), number(Comparison::Equal, 70.0));
        let bounds = [number(Comparison::GreaterOrEqual, 2.0), number(Comparison::Less, 9.0)];
        assert_eq!(one(r#"{"accessCount": {"$lt": 9, "$gte": 2}}"#), Condition::All(bounds.to_vec()));
    }

    #[test]
    fn a_list_means_one_of_several_and_a_text_equality() {
        let among = Condition::IsAmong(TextField::AgentId, vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(one(r#"{"agentId": ["a", "b"]}"#), among);
        assert_eq!(one(r#"{"agentId": {"$in": ["a", "b"]}}"#), among);
        assert_eq!(one(r#"{"agentId": {"$nin": ["a", "b"]}}"#), among.is_not_true());
        assert_eq!(one(r#"{"source.type": "mail"}"#), Condition::Equals(TextField::SourceType, "mail".to_owned()));
    }

    #[test]
    fn trees_hold_trees() {
        let user = |user: &str| Condition::Equals(TextField::UserId, user.to_owned());
        assert_eq!(
            one(r#"{"$or": [{"userId": "a"}, {"$not": {"userId": "b"}}]}"#),
            Condition::Any(vec![
                Condition::All(vec![user("a")]),
                Condition::All(vec![Condition::Any(vec![Condition::All(vec![user("b")])]).is_not_true()]),
            ])
        );
        assert_eq!(
            names(r#"{"userId": "a", "$or": [{"tags": ["x"]}], "metadata.page": {"$gt": 5}}"#),
            ["userId", "$or", "metadata.page"]
        );
    }

    #[test]
    fn who_wrote_it_is_asked_of_contexts_too() {
        let users = |text: &str| Filters::parse(text).unwrap().user().cloned();
        let among = Condition::IsAmong(TextField::UserId, vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(users(r#"{"userId": ["a", "b"], "agentId": "c"}"#), Some(Condition::All(vec![among.clone()])));
        assert_eq!(users(r#"{"$and": [{"$and": [{"userId": ["a", "b"]}]}]}"#), Some(Condition::All(vec![among])));
        assert_eq!(users(r#"{"$or": [{"userId": "a"}, {"metadata.userId": "b"}]}"#), None);
        assert_eq!(Filters::parse(r#"{"agentId": "c"}"#).unwrap().user(), None);
    }

    #[test]
    fn what_does_not_filter_is_no_condition() {
        assert_eq!(
            names(r#"{"userId": null, "tags": [], "sourceType": [], "importance": {}, "metadata": null}"#),
            [""; 0]
        );
        assert_eq!(one(r#"{"ids": []}"#), Condition::Id(Vec::new()), "an empty list of ids is none of them");
        let id = "00000000-0000-0000-0000-0000000000AB";
        assert_eq!(one(&format!(r#"{{"ids": ["{id}"]}}"#)), Condition::Id(vec![id.to_lowercase()]));
    }

    #[test]
    fn contradictions_are_named() {
        for bad in [
            r#"{"importance": {"$gt": 50, "$lt": 40}}"#,
            r#"{"importance": {"$gt": 50, "$lte": 50}}"#,
            r#"{"importance": {"$lt": 40}, "minImportance": 70}"#,
            r#"{"createdAfter": "2025-02-01T00:00:00Z", "createdBefore": "2025-01-01T00:00:00Z"}"#,
            r#"{"sourceType": "chat", "source.type": "mail"}"#,
            r#"{"accessCount": {"$between": [9, 2]}}"#,
            r#"{"accessCount": -1}"#,
            r#"{"accessCount": {"$lt": 0}}"#,
            r#"{"importance": {"$gt": 100}}"#,
            r#"{"importance": 101}"#,
            r#"{"importance": [101, -1]}"#,
            r#"{"importance": {"$lt": 0}}"#,
            r#"{"importance": {"$between": [101, 200]}}"#,
            r#"{"metadata.a": {"$between": [4, 0]}}"#,
            r#"{"metadata.a": {"$between": ["b", "a"]}}"#,
            r#"{"metadata.a": {"$between": [1, "b"]}}"#,
            r#"{"createdAt": {"$gt": "2025-02-01T00:00:00Z", "$lt": "2025-01-01T00:00:00Z"}}"#,
            r#"{"expiresAt": {"$between": ["2025-02-01T00:00:00Z", "2025-01-01T00:00:00Z"]}}"#,
        ] {
            assert!(Filters::parse(bad).is_err(), "{bad}");
        }
        for good in [
            r#"{"importance": {"$gte": 50, "$lte": 50}}"#,
            r#"{"importance": {"$gte": 0, "$lte": -0.0, "$eq": 0.0}}"#,
            r#"{"importance": {"$lt": 70}, "minImportance": 40}"#,
            r#"{"createdAt": {"$gte": "2025-01-01T00:00:00Z", "$lte": "2025-01-01T00:00:00Z"}}"#,
            r#"{"importance": {"$between": [-10, 200]}}"#,
            r#"{"importance": [50, 101]}"#,
            r#"{"importance": {"$in": []}}"#,
            r#"{"importance": {"$ne": 101}}"#,
            r#"{"importance": {"$exists": true}}"#,
            r#"{"accessCount": {"$gte": 0, "$lt": 1e300}}"#,
            r#"{"metadata.a": {"$between": [4, 4.0]}}"#,
            r#"{"metadata.a": {"$between": ["", "a"]}}"#,
            // A list may meet them, each bound by another element.
            r#"{"metadata": {"a": {"$gt": 5, "$lt": 3}}}"#,
        ] {
            assert!(Filters::parse(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn metadata_keeps_digits_that_no_double_holds() {
        let Condition::Metadata(part) = one(r#"{"metadata": {"id": 123456789012345678901234567890}}"#) else {
            panic!()
        };
        assert_eq!(part.json(), r#"{"id": 123456789012345678901234567890}"#);
        for (filter, variables) in [
            (
                r#"{"metadata": {"id": {"$gt": 123456789012345678901234567890}}}"#,
                r#"{"v0":123456789012345678901234567890}"#,
            ),
            (r#"{"metadata.id": 0.12345678901234567890}"#, r#"{"v0":0.12345678901234567890}"#),
            (
                r#"{"metadata": {"id": {"$between": [1.00000000000000000001, 2]}}}"#,
                r#"{"v0":1.00000000000000000001,"v1":2}"#,
            ),
            (r#"{"metadata": {"id": {"$in": [1.00000000000000000001]}}}"#, r#"{"v0":[1.00000000000000000001]}"#),
        ] {
            let mut condition = one(filter);
            if let Condition::All(parts) = &mut condition {
                condition = parts.remove(0);
            }
            let Condition::MetadataPath(path) = condition else { panic!("{condition:?}") };
            assert_eq!(path.variables(), variables);
        }
    }

    #[test]
    fn operators_in_metadata_stand_for_their_path() {
        for (filter, path) in [
            (r#"{"metadata": {"page": {"$gt": 5}}}"#, r#"$."page" ? (@ > $v0)"#),
            (r#"{"metadata": {"a": {"b": {"$in": [1]}}}}"#, r#"$."a"."b" ? (@ == $v0[*])"#),
            (r#"{"metadata.a.b": 5}"#, r#"$."a"."b" ? (@ == $v0)"#),
            (r#"{"metadata": {"$or": [{"a": {"$exists": true}}]}}"#, r#"$."a""#),
        ] {
            let text = format!("{:?}", one(filter));
            assert!(text.contains(&format!("{path:?}")), "{filter}: {text}");
        }
        let both = one(r#"{"metadata": {"kind": "a", "page": {"$gte": 1, "$lt": 9}}}"#);
        assert!(matches!(&both, Condition::All(parts) if parts.len() == 3), "{both:?}");
        assert!(Filters::parse(r#"{"metadata": {"price": "5 $", "us$": 5}}"#).is_ok());
    }

    #[test]
    fn what_no_operator_means_is_refused() {
        for (bad, word) in [
            (r#"{"metadata": {"page": {"$gtt": 5}}}"#, "$gtt"),
            (r#"{"metadata": {"pages": [{"of": {"$in": [1]}}]}}"#, "list"),
            (r#"{"metadata": {"$gt": 5}}"#, "needs a key of the metadata"),
            (r#"{"metadata": {"a": {"$eq": {"b": 1}}}}"#, "$eq"),
            (r#"{"metadata": {"a": {"$gt": null}}}"#, "$gt"),
            (r#"{"metadata": {"a": {"$between": [1]}}}"#, "two bounds"),
            (r#"{"metadata": {"a": {"$like": "x\\"}}}"#, "backslash"),
            (r#"{"metadata.a": {"$between": [1]}}"#, "not of 1"),
            (r#"{"userId": {"$in": ["a", null]}}"#, "userId.$in[1] must be a text, not null"),
            (r#"{"importance": {"$in": ["x"]}}"#, "importance.$in[0] must be a number"),
            (r#"{"$not": {}}"#, "$not has no condition"),
            (r#"{"$not": {"userId": null, "metadata": {}}}"#, "$not has no condition"),
            (r#"{"$not": [{"userId": "a"}, {}]}"#, "$not[1] has no condition"),
            (r#"{"metadata": {"$not": {}}}"#, "$not has no condition"),
            (r#"{"metadata": {"a": {"$not": {}}}}"#, "$not has no condition"),
            (r#"{"metadata.$gt": 1}"#, "metadata.$gt"),
            (r#"{"metadata.a.$gt": 1}"#, "$gt"),
            (r#"{"metadata.": 1}"#, "empty key"),
            (r#"{"metadata..a": 1}"#, "empty key"),
            (r#"{"metadata.a.": 1}"#, "empty key"),
            (r#"{"$or": []}"#, "$or must be a list of filters, not an empty one"),
            (r#"{"metadata": {"$and": []}}"#, "$and must be a list of conditions, not an empty one"),
            (r#"{"$or": {"userId": "a"}}"#, "$or"),
            (r#"{"$and": ["a"]}"#, "$and[0]"),
            (r#"{"rawEntry": "x"}"#, "operators"),
            (r#"{"ids": "x"}"#, "list"),
            (r#"{"importance": {"$in": ["x"]}}"#, "number"),
        ] {
            let refusal = Filters::parse(bad).unwrap_err();
            assert_eq!(refusal.kind, crate::ErrorKind::InvalidArgument);
            assert!(refusal.message.contains(word), "{bad}: {refusal:?}");
        }
    }

    #[test]
    fn patterns_of_metadata_have_a_bound() {
        for operator in ["$like", "$ilike"] {
            let of = |characters| format!(r#"{{"metadata.a": {{"{operator}": "{}"}}}}"#, "é".repeat(characters));
            assert!(Filters::parse(&of(bounds_and_defaults::MAX_METADATA_PATTERN_CHARACTERS)).is_ok());
            let refusal = Filters::parse(&of(bounds_and_defaults::MAX_METADATA_PATTERN_CHARACTERS + 1)).unwrap_err();
            assert_eq!(refusal.kind, crate::ErrorKind::LimitExceeded);
            assert!(refusal.hint.is_some());
        }
    }

    #[test]
    fn a_tree_has_an_end() {
        for of in ["$or", "$and", "$not"] {
            for one in [r#"{"userId": "a"}"#, "{}"] {
                if of == "$not" && one == "{}" {
                    continue;
                }
                let many = |count| format!(r#"{{"{of}": [{}]}}"#, vec![one; count].join(","));
                let refusal = Filters::parse(&many(bounds_and_defaults::MAX_FILTER_CONDITIONS + 1)).unwrap_err();
                assert_eq!(refusal.kind, crate::ErrorKind::LimitExceeded);
                assert!(Filters::parse(&many(bounds_and_defaults::MAX_FILTER_CONDITIONS)).is_ok(), "{of} of {one}");
            }
        }
    }

    #[test]
    fn every_option_among_the_filters_is_answered_with_its_place() {
        for option in option_names::OPTION_NAMES {
            for filters in [format!(r#"{{"{option}": 1}}"#), format!(r#"{{"$or": [{{"{option}": 1}}]}}"#)] {
                let hint = Filters::parse(&filters).unwrap_err().hint.unwrap_or_default();
                let wanted = format!(
                    r#"{option} is an option of searches, not a filter: write {{"{option}": ...}} into options."#
                );
                assert_eq!(hint, wanted, "{filters}");
            }
        }
    }

    #[test]
    fn an_unknown_filter_is_answered_with_the_nearest_one() {
        let refusal = Filters::parse(r#"{"user_id": "u1"}"#).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"userId\"?"));
        let refusal = Filters::parse(r#"{"importance": {"gte": 5}}"#).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"$gte\"?"));
        let refusal = Filters::parse(r#"{"$or": [{"agentID": "x"}]}"#).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"agentId\"?"));
    }
}
