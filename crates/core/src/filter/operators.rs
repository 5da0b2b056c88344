//! Operators on the columns of an entry: `{"$gte": 50, "$lt": 90}`, `{"$in": ["chat", "mail"]}`.

use serde_json::Value;

use super::condition::{Comparison, Condition, NumberField, TagMatch, TextColumn, TextField, TimeField};
use super::number_ranges;
use crate::bounds_and_defaults;
use crate::error::{Error, ErrorKind, Result, shown};
use crate::json_fields::{Fields, described};
use crate::text::entity_key;
use crate::timestamp::{self, Micros};

/// Comparisons by their operators.
pub const COMPARISONS: [(&str, Comparison); 5] = [
    ("$gte", Comparison::GreaterOrEqual),
    ("$gt", Comparison::Greater),
    ("$lte", Comparison::LessOrEqual),
    ("$lt", Comparison::Less),
    ("$eq", Comparison::Equal),
];

/// A column that has operators.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub enum Column {
    /// A text that is compared as a whole, or by patterns.
    Id(TextField, TextColumn),
    /// A text that is only compared by patterns.
    Text(TextColumn),
    Number(NumberField),
    Time(TimeField),
    Tags,
    /// Names, which are compared by their keys.
    Entities,
}

/// A condition of a filter as it is written: a value, a list of values, or an object of operators, which all must hold.
/// `null`, an empty list and an empty object do not filter.
pub fn condition(path: &str, value: &Value, column: Column) -> Result<Option<Condition>> {
    let written = match value {
        Value::Null => return Ok(None),
        Value::Array(items) if items.is_empty() => return Ok(None),
        Value::Object(operators) if operators.is_empty() => return Ok(None),
        Value::Object(_) => return operators(path, value, column).map(Some),
        Value::Array(_) => ("$in", value),
        _ => ("$eq", value),
    };
    let fits = |value: &Value| match column {
        Column::Number(_) => value.is_number(),
        _ => value.is_string(),
    };
    if !value.as_array().map_or_else(|| fits(value), |items| items.iter().all(fits)) {
        return Err(wrong(path, value, column));
    }
    let condition = one(path, written.0, written.1, column)?;
    refuse_values_that_none_has(path, column, std::slice::from_ref(&condition))?;
    Ok(Some(condition))
}

fn wrong(path: &str, value: &Value, column: Column) -> Error {
    let (expected, example) = match column {
        Column::Id(..) | Column::Tags | Column::Entities => {
            ("a text, a list of texts, or operators", r#"{"$in": ["a", "b"]}"#)
        }
        Column::Text(_) => ("an object of operators", r#"{"$contains": "tea"}"#),
        Column::Number(_) => ("a number, a list of numbers, or operators", r#"{"$gte": 50, "$lt": 90}"#),
        Column::Time(_) => ("a timestamp, a list of them, or operators", r#"{"$gte": "2025-06-01T00:00:00Z"}"#),
    };
    let of_item = value.as_array().and_then(|items| items.iter().find(|item| !item.is_string() && !item.is_number()));
    let shown = described(of_item.unwrap_or(value));
    Error::invalid(format!("{path} must be {expected}, not {shown}")).hint(format!("Operators are written {example}."))
}

fn operators(path: &str, value: &Value, column: Column) -> Result<Condition> {
    let mut fields = Fields::parse(path, &value.to_string())?;
    let mut parts = Vec::new();
    for &operator in known(column) {
        // Not the same as none: who writes it asks for entries without a value, or has an empty variable.
        if value.get(operator).is_some_and(Value::is_null) {
            return Err(Error::invalid(format!("{} must not be null", fields.path_of(operator))).hint(
                if known(column).contains(&"$exists") {
                    "{\"$exists\": false} finds entries without a value; leave an operator out that is not meant."
                } else {
                    "Leave an operator out that is not meant."
                },
            ));
        }
        if let Some(operand) = fields.take(operator) {
            parts.push(one(&fields.path_of(operator), operator, &operand, column)?);
        }
    }
    fields.finish()?;
    if matches!(column, Column::Number(_) | Column::Time(_)) {
        refuse_contradiction(path, &parts)?;
    }
    refuse_values_that_none_has(path, column, &parts)?;
    Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::all(parts) })
}

/// The operators that a column knows.
pub fn known(column: Column) -> &'static [&'static str] {
    match column {
        Column::Id(..) => &["$eq", "$ne", "$in", "$nin", "$like", "$ilike", "$contains", "$exists"],
        Column::Text(_) => &["$like", "$ilike", "$contains", "$exists"],
        Column::Number(_) | Column::Time(_) => {
            &["$gte", "$gt", "$lte", "$lt", "$eq", "$ne", "$in", "$nin", "$between", "$exists"]
        }
        Column::Tags | Column::Entities => &["$in", "$nin", "$all", "$contains"],
    }
}

/// The condition of one operator. A missing value meets no comparison, and therefore meets the negation of each.
fn one(path: &str, operator: &str, operand: &Value, column: Column) -> Result<Condition> {
    match operator {
        "$ne" => return one(path, "$eq", operand, column).map(Condition::is_not_true),
        "$nin" => return one(path, "$in", operand, column).map(Condition::is_not_true),
        "$between" => {
            let [low, high] = two_bounds(path, operand)?;
            return Ok(Condition::all([one(path, "$gte", low, column)?, one(path, "$lte", high, column)?]));
        }
        "$exists" => {
            let Value::Bool(exists) = operand else {
                return Err(Error::invalid(format!("{path} must be true or false, not {}", described(operand)))
                    .hint("true finds entries that have a value, false the others."));
            };
            return Ok(if *exists { present(column) } else { present(column).is_not_true() });
        }
        _ => {}
    }
    match column {
        Column::Id(field, text) => match operator {
            "$eq" => Ok(Condition::Equals(field, self::text(path, operand)?)),
            "$in" => Ok(Condition::IsAmong(field, texts(path, operand)?)),
            _ => pattern(path, operator, operand, text),
        },
        Column::Text(text) => match operator {
            "$eq" | "$in" => {
                Err(Error::invalid(format!("{path} must be an object of operators, not {}", described(operand)))
                    .hint("Write {\"$contains\": \"...\"}, {\"$like\": \"...%\"} or {\"$ilike\": \"...\"}."))
            }
            _ => pattern(path, operator, operand, text),
        },
        Column::Number(field) => {
            compared(operator, operand, number, |comparison, bound| Condition::Number(field, comparison, bound), path)
        }
        Column::Time(field) => {
            compared(operator, operand, time, |comparison, instant| Condition::Time(field, comparison, instant), path)
        }
        Column::Tags => match operator {
            "$in" => Ok(Condition::Tags(texts(path, operand)?, TagMatch::Any)),
            "$all" => Ok(Condition::Tags(texts(path, operand)?, TagMatch::All)),
            "$contains" => {
                let tags = if operand.is_array() { texts(path, operand)? } else { vec![text(path, operand)?] };
                Ok(Condition::Tags(tags, TagMatch::All))
            }
            _ => Ok(Condition::Tags(vec![text(path, operand)?], TagMatch::Any)),
        },
        Column::Entities => {
            let names = if operand.is_array() { texts(path, operand)? } else { vec![text(path, operand)?] };
            let keys = names.iter().map(|name| entity_key::required(path, name)).collect::<Result<Vec<_>>>()?;
            let matching = if matches!(operator, "$all" | "$contains") { TagMatch::All } else { TagMatch::Any };
            Ok(Condition::Entities(keys, matching))
        }
    }
}

/// The condition that a column is not null.
fn present(column: Column) -> Condition {
    match column {
        Column::Id(_, text) | Column::Text(text) => Condition::HasText(text),
        Column::Time(field) => Condition::IsNull(field).negated(),
        // In a store's own table neither is null; in an adopted table it may be.
        Column::Number(field) => Condition::Number(field, Comparison::GreaterOrEqual, f64::NEG_INFINITY),
        Column::Tags => Condition::Tags(Vec::new(), TagMatch::All),
        Column::Entities => Condition::Entities(Vec::new(), TagMatch::All),
    }
}

fn compared<T>(
    operator: &str,
    operand: &Value,
    read: impl Fn(&str, &Value) -> Result<T>,
    condition: impl Fn(Comparison, T) -> Condition,
    path: &str,
) -> Result<Condition> {
    if operator == "$in" {
        let values = list(path, operand)?.iter().enumerate();
        let values = values.map(|(at, value)| Ok(condition(Comparison::Equal, read(&format!("{path}[{at}]"), value)?)));
        return values.collect::<Result<Vec<_>>>().map(Condition::Any);
    }
    let (_, comparison) = COMPARISONS.into_iter().find(|(name, _)| *name == operator).unwrap_or(COMPARISONS[4]);
    Ok(condition(comparison, read(path, operand)?))
}

fn pattern(path: &str, operator: &str, operand: &Value, column: TextColumn) -> Result<Condition> {
    let text = text(path, operand)?;
    let pattern = if operator == "$contains" { containing(&text) } else { text };
    refuse_open_escape(path, &pattern)?;
    Ok(Condition::Like(column, pattern, operator == "$ilike"))
}

/// The pattern of texts that contain a text.
fn containing(text: &str) -> String {
    let mut pattern = "%".to_owned();
    for character in text.chars() {
        if matches!(character, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern + "%"
}

/// LIKE fails on a pattern that ends with its escape character.
pub fn refuse_open_escape(path: &str, pattern: &str) -> Result<()> {
    let backslashes = pattern.chars().rev().take_while(|character| *character == '\\').count();
    if backslashes % 2 == 1 {
        return Err(Error::invalid(format!(
            "{path} ends with a backslash that escapes nothing: \"{}\"",
            shown(pattern)
        ))
        .hint("A backslash makes the next character of a pattern plain; write two for one."));
    }
    Ok(())
}

fn text(path: &str, value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(Error::invalid(format!("{path} must be a text, not {}", described(other)))
            .hint("Write the text in quotes.")),
    }
}

fn texts(path: &str, value: &Value) -> Result<Vec<String>> {
    list(path, value)?.iter().enumerate().map(|(at, item)| text(&format!("{path}[{at}]"), item)).collect()
}

/// The two bounds of `$between`.
pub fn two_bounds<'a>(path: &str, value: &'a Value) -> Result<[&'a Value; 2]> {
    let given = match value {
        Value::Array(items) => match items.as_slice() {
            [low, high] => return Ok([low, high]),
            others => format!("of {}", others.len()),
        },
        other => described(other),
    };
    Err(Error::invalid(format!("{path} must be a list of two bounds, not {given}"))
        .hint("Write {\"$between\": [40, 60]}: both bounds belong to it."))
}

/// The items of a list, up to the most that are allowed.
pub fn list<'a>(path: &str, value: &'a Value) -> Result<&'a [Value]> {
    let Value::Array(items) = value else {
        return Err(Error::invalid(format!("{path} must be a list, not {}", described(value)))
            .hint("Write the values in brackets: [...]."));
    };
    if items.len() > bounds_and_defaults::MAX_FILTER_VALUES {
        let message =
            format!("{path} has {} values, more than {}", items.len(), bounds_and_defaults::MAX_FILTER_VALUES);
        return Err(Error::new(ErrorKind::LimitExceeded, message).hint("Divide the values among several calls."));
    }
    Ok(items)
}

fn number(path: &str, value: &Value) -> Result<f64> {
    value.as_f64().ok_or_else(|| {
        Error::invalid(format!("{path} must be a number, not {}", described(value)))
            .hint("Write the number without quotes.")
    })
}

fn time(path: &str, value: &Value) -> Result<Micros> {
    timestamp::parse(path, &text(path, value)?)
}

/// Refuses bounds that no value of a column meets, because they are a mistake.
pub fn refuse_contradiction(path: &str, parts: &[Condition]) -> Result<()> {
    let (mut numbers, mut times) = (Vec::new(), Vec::new());
    let mut add = |part: &Condition| match part {
        Condition::Number(_, comparison, bound) => numbers.push((*comparison, *bound)),
        Condition::Time(_, comparison, bound) => times.push((*comparison, *bound)),
        _ => {}
    };
    for part in parts {
        match part {
            Condition::All(inner) => inner.iter().for_each(&mut add),
            part => add(part),
        }
    }
    let (value, values) = if times.is_empty() { ("number", "numbers") } else { ("time", "times") };
    if can_be_met(&numbers) && can_be_met(&times) {
        return Ok(());
    }
    Err(Error::invalid(format!("{path} contradicts itself: no {value} meets all its bounds"))
        .hint(format!("For {values} outside of two bounds write {{\"$or\": [...]}}.")))
}

/// Refuses bounds beyond what a column can hold.
fn refuse_values_that_none_has(path: &str, column: Column, parts: &[Condition]) -> Result<()> {
    let Column::Number(field) = column else { return Ok(()) };
    let (least, most) = number_ranges::of(field);
    let range = match field {
        NumberField::Importance => format!("importance is from {least} to {most}"),
        NumberField::AccessCount => "a count is 0 or more".to_owned(),
    };
    let is_met = |part: &Condition| match part {
        Condition::Number(_, comparison, bound) => {
            can_be_met(&[(*comparison, *bound), (Comparison::GreaterOrEqual, least), (Comparison::LessOrEqual, most)])
        }
        _ => true,
    };
    let can_be_met = |part: &Condition| match part {
        Condition::All(inner) => inner.iter().all(is_met),
        Condition::Any(inner) => inner.is_empty() || inner.iter().any(is_met),
        // For an entry that exists.
        Condition::Number(_, Comparison::GreaterOrEqual, f64::NEG_INFINITY) => true,
        part => is_met(part),
    };
    if parts.iter().all(can_be_met) {
        return Ok(());
    }
    Err(Error::invalid(format!("{path} matches no entry: {range}")).hint("Correct the bound, or leave it out."))
}

/// Whether there may be a value within all bounds.
fn can_be_met<T: PartialOrd + Copy>(bounds: &[(Comparison, T)]) -> bool {
    let holds = |comparison: Comparison, value: T, bound: T| {
        value.partial_cmp(&bound).is_some_and(|order| comparison.holds(order))
    };
    let of = |wanted: [Comparison; 2]| bounds.iter().filter(move |(comparison, _)| wanted.contains(comparison));
    if let Some((_, value)) = bounds.iter().find(|(comparison, _)| *comparison == Comparison::Equal) {
        return bounds.iter().all(|(comparison, bound)| holds(*comparison, *value, *bound));
    }
    let lows = of([Comparison::GreaterOrEqual, Comparison::Greater]);
    lows.into_iter().all(|(above, low)| {
        of([Comparison::LessOrEqual, Comparison::Less])
            .all(|(below, high)| low < high || (holds(*above, *high, *low) && holds(*below, *low, *high)))
    })
}
