//! Tests of conditions, filters and visibility against naive oracles that do not use conditions.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::filter::condition::When;
use crate::filter::condition::{Comparison, Condition, Field, NumberField, Row, TextField, TimeField};
use crate::filter::visibility;
use crate::filter::{Containment, Filters, TagMatch};
use crate::text::entity_key::entity_key;
use crate::timestamp::Micros;

/// A row with everything, in the simplest form.
#[derive(Debug, Clone)]
struct Entry {
    texts: [Option<String>; TextField::ALL.len()],
    numbers: [Option<f64>; 2],
    times: [Option<Micros>; TimeField::ALL.len()],
    tags: Option<Vec<Option<String>>>,
    entities: Option<Vec<Option<String>>>,
}

impl Row for Entry {
    fn says(field: Field) -> bool {
        !matches!(field, Field::Metadata | Field::Words | Field::OtherRows | Field::WholeRow)
    }

    fn equals(&self, field: TextField, value: &str) -> Option<bool> {
        self.texts[field as usize].as_ref().map(|text| text == value)
    }

    fn number(&self, field: NumberField) -> Option<f64> {
        self.numbers[field as usize]
    }

    fn time(&self, field: TimeField) -> Option<Micros> {
        self.times[field as usize]
    }

    fn has_tag(&self, tag: &str) -> Option<bool> {
        self.tags.as_ref().map(|tags| tags.iter().any(|own| own.as_deref() == Some(tag)))
    }

    fn names_entity(&self, key: &str) -> Option<bool> {
        self.entities.as_ref().map(|names| names.iter().flatten().any(|own| entity_key(own).as_deref() == Some(key)))
    }
}

/// SQL's logic by the tables of the standard: false is 0, unknown 1, true 2; AND is the least, OR the greatest.
fn naive(condition: &Condition, row: &Entry) -> u8 {
    let truth = |value: bool| if value { 2 } else { 0 };
    let is_one_of = |text: &Option<String>, values: &[String]| match text {
        None => 1,
        Some(text) => truth(values.contains(text)),
    };
    let compared = |comparison: &Comparison, less: bool, equal: bool| {
        truth(match comparison {
            Comparison::Less => less,
            Comparison::LessOrEqual => less || equal,
            Comparison::Equal => equal,
            Comparison::GreaterOrEqual => !less,
            Comparison::Greater => !less && !equal,
        })
    };
    match condition {
        Condition::Equals(field, value) => is_one_of(&row.texts[*field as usize], std::slice::from_ref(value)),
        Condition::IsAmong(field, values) => is_one_of(&row.texts[*field as usize], values),
        Condition::Number(field, comparison, bound) => match row.numbers[*field as usize] {
            None => 1,
            // NaN is above infinity.
            Some(number) if number.is_nan() => compared(comparison, false, bound.is_nan()),
            Some(number) => compared(comparison, bound.is_nan() || number < *bound, number == *bound),
        },
        Condition::Time(field, comparison, instant) => match row.times[*field as usize] {
            None => 1,
            Some(time) => compared(comparison, time < *instant, time == *instant),
        },
        Condition::NullOrTime(field, comparison, instant) => match row.times[*field as usize] {
            None => 2,
            Some(time) => compared(comparison, time < *instant, time == *instant),
        },
        Condition::IsNull(field) => truth(row.times[*field as usize].is_none()),
        Condition::Tags(wanted, matching) => match &row.tags {
            None => 1,
            Some(tags) => {
                let held = wanted.iter().filter(|tag| tags.contains(&Some((*tag).clone()))).count();
                truth(if *matching == TagMatch::All { held == wanted.len() } else { held > 0 })
            }
        },
        Condition::Entities(wanted, matching) => match &row.entities {
            None => 1,
            Some(names) => {
                let is_named = |key: &&String| names.iter().flatten().any(|name| name.to_lowercase() == **key);
                let held = wanted.iter().filter(is_named).count();
                truth(if *matching == TagMatch::All { held == wanted.len() } else { held > 0 })
            }
        },
        Condition::Metadata(_)
        | Condition::MetadataPath(_)
        | Condition::MetadataTime(..)
        | Condition::Like(..)
        | Condition::HasText(_)
        | Condition::Id(_)
        | Condition::Demands
        | Condition::StandsAgain(_)
        | Condition::HasItsEntry(_) => 1,
        Condition::All(parts) => parts.iter().map(|part| naive(part, row)).min().unwrap_or(2),
        Condition::Any(parts) => parts.iter().map(|part| naive(part, row)).max().unwrap_or(0),
        Condition::Not(part) => 2 - naive(part, row),
        Condition::IsTrue(part) => naive(part, row) / 2 * 2,
    }
}

fn value(naive: u8) -> Option<bool> {
    match naive {
        0 => Some(false),
        1 => None,
        _ => Some(true),
    }
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["ann", "bob", "Ann", ""]).prop_map(str::to_owned)
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["ann", "bob"]).prop_map(str::to_owned)
}

fn number() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![-1.0, -0.0, 0.0, 49.5, 50.0, 100.0, f64::INFINITY, f64::NAN])
}

fn instant() -> impl Strategy<Value = Micros> {
    prop::sample::select(vec![Micros::MIN, -1, 0, 1, 2, Micros::MAX])
}

fn when() -> impl Strategy<Value = When> {
    prop_oneof![instant().prop_map(When::Now), instant().prop_map(When::AsOf)]
}

prop_compose! {
    fn entry()(
        texts in prop::array::uniform5(prop::option::of(word())),
        numbers in prop::array::uniform2(prop::option::of(number())),
        times in prop::array::uniform6(prop::option::of(instant())),
        tags in prop::option::of(prop::collection::vec(prop::option::of(word()), 0..3)),
        entities in prop::option::of(prop::collection::vec(prop::option::of(word()), 0..3)),
    ) -> Entry {
        Entry { texts, numbers, times, tags, entities }
    }
}

fn condition() -> impl Strategy<Value = Condition> {
    let text = prop::sample::select(TextField::ALL.to_vec());
    let of_number = prop::sample::select(vec![NumberField::Importance, NumberField::AccessCount]);
    let time = prop::sample::select(TimeField::ALL.to_vec());
    let comparison = prop::sample::select(vec![
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Equal,
        Comparison::GreaterOrEqual,
        Comparison::Greater,
    ]);
    let matching = prop::sample::select(vec![TagMatch::Any, TagMatch::All]);
    let leaf = prop_oneof![
        (text.clone(), word()).prop_map(|(field, value)| Condition::Equals(field, value)),
        (text, prop::collection::vec(word(), 1..3)).prop_map(|(field, values)| Condition::IsAmong(field, values)),
        (of_number, comparison.clone(), number()).prop_map(|(f, c, bound)| Condition::Number(f, c, bound)),
        (time.clone(), comparison.clone(), instant()).prop_map(|(f, c, instant)| Condition::Time(f, c, instant)),
        (time.clone(), comparison, instant()).prop_map(|(f, c, instant)| Condition::NullOrTime(f, c, instant)),
        time.prop_map(Condition::IsNull),
        (prop::collection::vec(word(), 1..3), matching.clone()).prop_map(|(tags, m)| Condition::Tags(tags, m)),
        (prop::collection::vec(key(), 1..3), matching).prop_map(|(keys, m)| Condition::Entities(keys, m)),
        when().prop_map(Condition::StandsAgain),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Condition::All),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Condition::Any),
            inner.clone().prop_map(|part| Condition::Not(Box::new(part))),
            inner.prop_map(|part| Condition::IsTrue(Box::new(part))),
        ]
    })
}

/// A tree of filters as JSON.
fn filters() -> impl Strategy<Value = Value> {
    let text = || prop::sample::select(vec!["userId", "agentId", "sessionId", "sourceType", "entryKey"]);
    let number_field = || prop::sample::select(vec!["importance", "accessCount"]);
    let number = || prop::sample::select(vec![-1.0, 0.0, 49.5, 50.0, 100.0]);
    let words = || prop::collection::vec(word(), 1..3);
    let names = || prop::collection::vec(prop::sample::select(vec!["ann", "ANN", " Ann", "Bob"]), 1..3);
    let leaf = prop_oneof![
        (text(), word()).prop_map(|(field, value)| json!({ field: value })),
        (text(), words()).prop_map(|(field, values)| json!({ field: values })),
        (text(), prop::sample::select(vec!["$in", "$nin"]), words())
            .prop_map(|(f, op, values)| json!({ f: { op: values } })),
        (text(), prop::sample::select(vec!["$eq", "$ne"]), word())
            .prop_map(|(f, op, value)| json!({ f: { op: value } })),
        (number_field(), number()).prop_map(|(field, value)| json!({ field: value })),
        (number_field(), prop::sample::select(vec!["$gte", "$gt", "$lte", "$lt", "$eq", "$ne"]), number())
            .prop_map(|(f, op, value)| json!({ f: { op: value } })),
        (number_field(), number()).prop_map(|(f, value)| json!({ f: { "$between": [value, value + 50.0] } })),
        (prop::sample::select(vec!["$in", "$nin", "$all", "$contains"]), words())
            .prop_map(|(op, tags)| json!({ "tags": { op: tags } })),
        (prop::sample::select(vec!["$in", "$nin", "$all", "$contains"]), names())
            .prop_map(|(op, names)| json!({ "entities": { op: names } })),
        (words(), prop::sample::select(vec!["any", "all"]))
            .prop_map(|(tags, m)| json!({ "tags": tags, "tagMatch": m })),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let several = || prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            several().prop_map(|parts| json!({ "$and": parts })),
            several().prop_map(|parts| json!({ "$or": parts })),
            several().prop_map(|parts| json!({ "$not": parts })),
            inner.clone().prop_map(|part| json!({ "$not": part })),
        ]
    })
}

/// The documented meaning of the filters, without conditions.
fn passes(filters: &Value, row: &Entry) -> bool {
    let each = |parts: &Value| parts.as_array().unwrap().iter().map(|part| passes(part, row)).collect::<Vec<_>>();
    let words =
        |value: &Value| value.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let text = |own: &Option<String>, operator: &str, value: &Value| match operator {
        "$eq" => own.as_deref() == value.as_str(),
        "$ne" => own.as_deref() != value.as_str(),
        "$in" => own.as_ref().is_some_and(|own| words(value).contains(own)),
        _ => !own.as_ref().is_some_and(|own| words(value).contains(own)),
    };
    let number = |own: Option<f64>, operator: &str, value: &Value| {
        let bound = value.as_f64().unwrap_or_default();
        let is = |holds: fn(f64, f64) -> bool| own.is_some_and(|own| holds(own, bound));
        match operator {
            "$gte" => is(|a, b| a.is_nan() || a >= b),
            "$gt" => is(|a, b| a.is_nan() || a > b),
            "$lte" => is(|a, b| a <= b),
            "$lt" => is(|a, b| a < b),
            "$eq" => is(|a, b| a == b),
            "$ne" => !is(|a, b| a == b),
            _ => {
                let [low, high] = [value[0].as_f64().unwrap(), value[1].as_f64().unwrap()];
                own.is_some_and(|own| own >= low && own <= high)
            }
        }
    };
    let tags = |operator: &str, wanted: Vec<String>| {
        let held = wanted.iter().filter(|tag| row.tags.iter().flatten().any(|own| own.as_ref() == Some(*tag))).count();
        match operator {
            "$in" => held > 0,
            "$nin" => held == 0,
            _ => row.tags.is_some() && held == wanted.len(),
        }
    };
    filters.as_object().unwrap().iter().all(|(key, value)| {
        let operators = |by: &dyn Fn(&str, &Value) -> bool| match value {
            Value::Object(operators) => operators.iter().all(|(operator, value)| by(operator, value)),
            Value::Array(_) => by("$in", value),
            _ => by("$eq", value),
        };
        match key.as_str() {
            "$and" => each(value).iter().all(|holds| *holds),
            "$or" => each(value).iter().any(|holds| *holds),
            "$not" if value.is_array() => !each(value).iter().any(|holds| *holds),
            "$not" => !passes(value, row),
            "userId" => operators(&|operator, value| text(&row.texts[0], operator, value)),
            "agentId" => operators(&|operator, value| text(&row.texts[1], operator, value)),
            "sessionId" => operators(&|operator, value| text(&row.texts[2], operator, value)),
            "sourceType" => operators(&|operator, value| text(&row.texts[3], operator, value)),
            "entryKey" => operators(&|operator, value| text(&row.texts[4], operator, value)),
            "importance" => operators(&|operator, value| number(row.numbers[0], operator, value)),
            "accessCount" => operators(&|operator, value| number(row.numbers[1], operator, value)),
            "entities" => operators(&|operator, value| {
                let is_named = |name: &&String| {
                    let key = name.trim().to_lowercase();
                    row.entities.iter().flatten().flatten().any(|own| own.to_lowercase() == key)
                };
                let wanted = words(value);
                let held = wanted.iter().filter(is_named).count();
                match operator {
                    "$in" => held > 0,
                    "$nin" => held == 0,
                    _ => row.entities.is_some() && held == wanted.len(),
                }
            }),
            "tags" if filters["tagMatch"] == "all" => tags("$all", words(value)),
            "tags" => operators(&|operator, value| tags(operator, words(value))),
            _ => true,
        }
    })
}

/// Whether no importance from 0 to 100, or no count, meets a part of the filters.
fn asks_for_what_none_has(filters: &Value, row: &Entry) -> bool {
    filters.as_object().unwrap().iter().any(|(key, value)| {
        let (of, highest) = match key.as_str() {
            "$and" | "$or" | "$not" => {
                let parts = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
                return parts.iter().any(|part| asks_for_what_none_has(part, row));
            }
            "importance" => (0, 100),
            "accessCount" => (1, 1_000),
            _ => return false,
        };
        let mut halves = (0..=2 * highest).map(|half| f64::from(half) / 2.0);
        let mut row = row.clone();
        !halves.any(|number| {
            row.numbers[of] = Some(number);
            passes(&json!({ key: value }), &row)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn conditions_have_the_values_of_sql(condition in condition(), row in entry()) {
        prop_assert_eq!(condition.evaluate(&row), value(naive(&condition, &row)));
    }

    #[test]
    fn filters_pass_what_they_are_documented_to_pass(filters in filters(), row in entry()) {
        let read = Filters::parse(&filters.to_string());
        // Filters that no value of a column meets are refused, and no others.
        prop_assert_eq!(read.is_err(), asks_for_what_none_has(&filters, &row), "{}: {:?}", filters, read);
        let Ok(read) = read else { return Ok(()) };
        let condition = Condition::all(read.conditions().iter().map(|(_, condition)| condition.clone()));
        prop_assert_eq!(condition.evaluate(&row) == Some(true), passes(&filters, &row), "{}", filters);
        prop_assert!(condition.is_known_to::<Entry>());
    }

    #[test]
    fn visible_is_what_has_come_and_not_yet_gone(when in when(), row in entry()) {
        let [created, deleted, expires, superseded, ..] = row.times;
        // As of an instant, later events have not happened; without one, a deletion holds whenever it is due.
        let has_gone = |time: Option<Micros>| match when {
            When::Now(_) => time.is_some(),
            When::AsOf(then) => time.is_some_and(|time| time <= then),
        };
        let (When::Now(instant) | When::AsOf(instant)) = when;
        let is_future = matches!(when, When::AsOf(then) if created.is_some_and(|created| created > then));
        let is_present = !has_gone(deleted) && expires.is_none_or(|expires| expires > instant) && !is_future;
        prop_assert_eq!(visibility::deleted(when).evaluate(&row), Some(has_gone(deleted)));
        prop_assert_eq!(visibility::corrected(when).evaluate(&row), Some(has_gone(superseded)));
        prop_assert_eq!(visibility::present(when).evaluate(&row), Some(is_present));
        // The row itself does not know whether a corrected entry is reinstated.
        let expected = match (is_present, has_gone(superseded)) {
            (false, _) => Some(false),
            (true, false) => Some(true),
            (true, true) => None,
        };
        prop_assert_eq!(visibility::visible(when).evaluate(&row), expected);
    }
}

#[test]
fn a_condition_is_known_where_each_of_its_fields_is() {
    let known = Condition::Equals(TextField::UserId, "ann".to_owned());
    assert!(known.is_known_to::<Entry>());
    assert!(
        !Condition::all([known.clone(), Condition::Metadata(Containment::of("{}".to_owned()))]).is_known_to::<Entry>()
    );
    assert!(!known.or(Condition::Not(Box::new(Condition::Demands))).is_known_to::<Entry>());
    assert!(!visibility::visible(When::Now(0)).is_known_to::<Entry>());
}
