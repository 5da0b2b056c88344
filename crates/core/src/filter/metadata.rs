//! The filter `metadata`: content that it must contain as written, and operators on any path of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::condition::Condition;
use super::condition_count::ConditionCount;
use super::containment::Containment;
use super::json_path::{JsonPath, nested, quoted, regular_expression};
use super::metadata_time;
use super::operators::{list, refuse_open_escape, two_bounds};
use crate::bounds_and_defaults;
use crate::error::{Error, ErrorKind, Result, shown};
use crate::json_fields::{described, nearest, unreadable};

/// Operators on a path.
const OPERATORS: [&str; 13] =
    ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$between", "$exists", "$like", "$ilike", "$contains"];
/// The operators that contain conditions on the same path.
const CONNECTIVES: [&str; 3] = ["$and", "$or", "$not"];

/// The condition of a `metadata` filter, from its text, because a number must not lose digits in a double.
pub fn condition(path: &str, json: &RawValue, count: &mut ConditionCount) -> Result<Condition> {
    if !has_operators(&parsed(path, json)?) {
        count.add(1)?;
        return Ok(Condition::Metadata(Containment::of(json.get().to_owned())));
    }
    let mut parts = Vec::new();
    read_object(path, &mut Vec::new(), json, &mut parts, count)?;
    Ok(Condition::all(parts))
}

/// The condition of a path that is written with dots, `metadata.page`: a value means equality.
pub fn at_path(path: &str, keys: &[String], json: &RawValue, count: &mut ConditionCount) -> Result<Condition> {
    let value = parsed(path, json)?;
    if value.is_object() {
        let mut parts = Vec::new();
        read_object(path, &mut keys.to_vec(), json, &mut parts, count)?;
        return Ok(Condition::all(parts));
    }
    count.add(1)?;
    one(path, keys, if value.is_array() { "$in" } else { "$eq" }, json)
}

/// The keys of a path that is written with dots.
pub fn keys_of_path(path: &str, written: &str) -> Result<Vec<String>> {
    let keys: Vec<String> = written.split('.').map(str::to_owned).collect();
    if keys.iter().any(String::is_empty) {
        return Err(Error::invalid(format!("{path} has an empty key")).hint(
            "Write a path as \"metadata.place.city\"; write keys with dots in an object, {\"metadata\": {...}}.",
        ));
    }
    if let Some(operator) = keys.iter().find(|key| key.starts_with('$')) {
        return Err(Error::invalid(format!("{path} names \"{}\" as a key of the metadata", shown(operator)))
            .hint("Operators come after the path: {\"metadata.page\": {\"$gt\": 5}}."));
    }
    Ok(keys)
}

fn parsed(path: &str, json: &RawValue) -> Result<Value> {
    serde_json::from_str(json.get()).map_err(|error| unreadable(path, &error))
}

/// Whether a key that looks like an operator is in it, at any depth: as content it would match nothing.
fn has_operators(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(key, value)| key.starts_with('$') || has_operators(value)),
        Value::Array(items) => items.iter().any(has_operators),
        _ => false,
    }
}

/// Each operator, and each part without operators, is a condition; so is an object without keys.
fn read_object(
    path: &str,
    keys: &mut Vec<String>,
    json: &RawValue,
    parts: &mut Vec<Condition>,
    count: &mut ConditionCount,
) -> Result<()> {
    if !json.get().starts_with('{') {
        let given = described(&parsed(path, json)?);
        return Err(Error::invalid(format!("{path} must be an object of conditions, not {given}"))
            .hint("Write {\"page\": {\"$gt\": 5}}."));
    }
    let fields: BTreeMap<Cow<'_, str>, &RawValue> =
        serde_json::from_str(json.get()).map_err(|error| unreadable(path, &error))?;
    if fields.is_empty() {
        count.add(1)?;
    }
    for (key, json) in fields {
        let below = format!("{path}.{}", shown(&key));
        let value = parsed(&below, json)?;
        if let Some(&connective) = CONNECTIVES.iter().find(|known| **known == key) {
            parts.push(connected(&below, keys, connective, json, count)?);
        } else if key == metadata_time::KEY {
            return Err(Error::invalid(format!("{below} needs an operator before it"))
                .hint("Write {\"$eq\": {\"$date\": \"2025-06-27T11:42:03Z\"}}, or another operator."));
        } else if key.starts_with('$') {
            if keys.is_empty() {
                return Err(Error::invalid(format!("{below} needs a key of the metadata before it"))
                    .hint("Write {\"metadata\": {\"page\": {\"$gt\": 5}}}."));
            }
            count.add(1)?;
            parts.push(one(&below, keys, &key, json)?);
        } else if !has_operators(&value) {
            count.add(1)?;
            let at: Vec<String> = keys.iter().cloned().chain([key.into_owned()]).collect();
            parts.push(Condition::Metadata(Containment::of(nested(&at, json.get()))));
        } else if value.is_object() {
            keys.push(key.into_owned());
            let read = read_object(&below, keys, json, parts, count);
            keys.pop();
            read?;
        } else {
            return Err(Error::invalid(format!("{below} holds operators in a list")).hint(
                "Ask for an element by {\"$contains\": ...}, or for one of several values by {\"$in\": [...]}.",
            ));
        }
    }
    Ok(())
}

fn connected(
    path: &str,
    keys: &mut Vec<String>,
    connective: &str,
    json: &RawValue,
    count: &mut ConditionCount,
) -> Result<Condition> {
    let mut objects: Vec<&RawValue> = Vec::new();
    let value = parsed(path, json)?;
    let is_list = value.is_array();
    if is_list {
        list(path, &value)?;
        objects = serde_json::from_str(json.get()).map_err(|error| unreadable(path, &error))?;
    } else if connective == "$not" {
        objects.push(json);
    }
    if objects.is_empty() {
        let given = if is_list { "an empty one".to_owned() } else { described(&value) };
        return Err(Error::invalid(format!("{path} must be a list of conditions, not {given}"))
            .hint("Write [{\"page\": {\"$gt\": 5}}, {\"place\": \"Rome\"}]."));
    }
    let mut conditions = Vec::new();
    for (at, object) in objects.into_iter().enumerate() {
        let path = if is_list { format!("{path}[{at}]") } else { path.to_owned() };
        let mut parts = Vec::new();
        read_object(&path, keys, object, &mut parts, count)?;
        if connective == "$not" && parts.is_empty() {
            return Err(asks_nothing(&path));
        }
        conditions.push(Condition::all(parts));
    }
    Ok(connect(connective, conditions))
}

/// Refuses a condition that every entry meets, whose negation no entry meets: it is most likely a mistake.
pub fn asks_nothing(path: &str) -> Error {
    Error::invalid(format!("{path} has no condition: its negation would find no entry"))
        .hint("Give a condition that an entry must not meet, or leave $not out.")
}

/// `$and`, `$or` and `$not`, which holds if none of several does.
pub fn connect(connective: &str, conditions: Vec<Condition>) -> Condition {
    match connective {
        "$and" => Condition::all(conditions),
        "$or" => Condition::Any(conditions),
        _ => Condition::Any(conditions).is_not_true(),
    }
}

/// One operator on a path. A missing value meets no comparison, and therefore meets the negation of each. Operands go
/// to the server as they were written: it compares numbers to the last digit.
fn one(path: &str, keys: &[String], operator: &str, json: &RawValue) -> Result<Condition> {
    let operand = &parsed(path, json)?;
    if !matches!(operator, "$ne" | "$nin")
        && let Some(condition) = metadata_time::condition(path, keys, operator, operand)?
    {
        return Ok(condition);
    }
    let meets = |predicate: &str, values: &[&str]| JsonPath::meets(keys, predicate, values);
    let compares = |predicate: &str| Ok::<_, Error>(meets(predicate, &[ordered(path, operand).map(|_| json.get())?]));
    let condition = match operator {
        "$ne" => return one(path, keys, "$eq", json).map(Condition::is_not_true),
        "$nin" => return one(path, keys, "$in", json).map(Condition::is_not_true),
        "$eq" => {
            scalar(path, operand)?;
            meets("@ == $v0", &[json.get()]).with_terms_of(keys, &[json.get()])
        }
        "$gt" => compares("@ > $v0")?,
        "$gte" => compares("@ >= $v0")?,
        "$lt" => compares("@ < $v0")?,
        "$lte" => compares("@ <= $v0")?,
        "$between" => {
            let [low, high] = two_bounds(path, operand)?;
            ordered(path, low)?;
            ordered(path, high)?;
            refuse_empty_range(path, low, high)?;
            // In a list of lists each comparison looks for an element of its own: one element must meet both bounds, and
            // lie no deeper than a comparison alone looks.
            meets("@ >= $v0 && @ <= $v1 && exists(@[*] ? (@ >= $v0 && @ <= $v1))", &items(path, json)?)
        }
        "$in" => {
            let values = list(path, operand)?;
            for value in values {
                scalar(path, value)?;
            }
            if values.is_empty() {
                return Ok(Condition::Any(Vec::new()));
            }
            meets("@ == $v0[*]", &[json.get()]).with_terms_of(keys, &items(path, json)?)
        }
        "$exists" => {
            let Value::Bool(exists) = operand else {
                return Err(Error::invalid(format!("{path} must be true or false, not {}", described(operand)))
                    .hint("Write {\"$exists\": true} for entries that have the key."));
            };
            let condition = Condition::MetadataPath(JsonPath::exists(keys));
            return Ok(if *exists { condition } else { condition.is_not_true() });
        }
        "$like" | "$ilike" => {
            let pattern = text(path, operand)?;
            refuse_open_escape(path, pattern)?;
            refuse_long_pattern(path, pattern)?;
            let flags = if operator == "$like" { "s" } else { "is" };
            meets(&format!("@ like_regex {} flag \"{flags}\"", quoted(&regular_expression(pattern))), &[])
        }
        "$contains" => match operand {
            Value::String(part) => meets(&format!("@ like_regex {} flag \"q\"", quoted(part)), &[]),
            other => {
                scalar(path, other)?;
                meets("@ == $v0", &[json.get()]).with_terms_of(keys, &[json.get()])
            }
        },
        unknown => {
            let refusal = Error::invalid(format!("unknown operator \"{}\" in {path}", shown(unknown)));
            return Err(match nearest(unknown, &OPERATORS) {
                Some(known) => refusal.hint(format!("Did you mean \"{known}\"?")),
                None => refusal.hint(format!("Operators are {}.", OPERATORS.join(", "))),
            });
        }
    };
    Ok(Condition::MetadataPath(condition))
}

/// One element must meet both bounds: no value lies between two bounds if the first is higher, or if their types
/// differ.
fn refuse_empty_range(path: &str, low: &Value, high: &Value) -> Result<()> {
    // Numbers that are the same to double precision may differ in a digit beyond it: those are left to the server.
    let is_empty = match (low, high) {
        (Value::String(low), Value::String(high)) => low > high,
        (Value::Number(low), Value::Number(high)) => low.as_f64() > high.as_f64(),
        _ => true,
    };
    if !is_empty {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{path} contradicts itself: no value lies between {} and {}",
        described(low),
        described(high)
    ))
    .hint("Write two numbers or two texts, the lower one first."))
}

/// Patterns of metadata become regular expressions, and the server compiles only short ones fast.
fn refuse_long_pattern(path: &str, pattern: &str) -> Result<()> {
    let characters = pattern.chars().count();
    if characters <= bounds_and_defaults::MAX_METADATA_PATTERN_CHARACTERS {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::LimitExceeded,
        format!(
            "{path} has {characters} characters, more than the {} of a metadata pattern",
            bounds_and_defaults::MAX_METADATA_PATTERN_CHARACTERS
        ),
    )
    .hint("$eq compares long texts, $contains looks for them."))
}

/// The items of a list, as they are written.
fn items<'a>(path: &str, json: &'a RawValue) -> Result<Vec<&'a str>> {
    let items: Vec<&RawValue> = serde_json::from_str(json.get()).map_err(|error| unreadable(path, &error))?;
    Ok(items.into_iter().map(RawValue::get).collect())
}

/// A text, a number, a truth value or null.
fn scalar(path: &str, value: &Value) -> Result<()> {
    if value.is_object() || value.is_array() {
        return Err(Error::invalid(format!(
            "{path} must be a text, a number, true, false or null, not {}",
            described(value)
        ))
        .hint(match value {
            Value::Array(_) => {
                "Ask for an element by {\"$contains\": ...}, for one of several values by {\"$in\": [...]}, for the \
                 whole list: {\"metadata\": {\"key\": [\"a\", \"b\"]}}."
            }
            _ => "An object is compared as a whole: {\"metadata\": {\"key\": {\"inner\": 5}}}.",
        }));
    }
    Ok(())
}

/// A number or a text: values that have an order.
fn ordered(path: &str, value: &Value) -> Result<()> {
    if value.is_number() || value.is_string() {
        return Ok(());
    }
    Err(Error::invalid(format!("{path} must be a number or a text, not {}", described(value)))
        .hint("Only numbers and texts have an order; $eq compares other values."))
}

fn text<'a>(path: &str, value: &'a Value) -> Result<&'a str> {
    value.as_str().ok_or_else(|| {
        Error::invalid(format!("{path} must be a text, not {}", described(value)))
            .hint("Write the pattern as a text: {\"$like\": \"Rom%\"}. $eq compares other values.")
    })
}
