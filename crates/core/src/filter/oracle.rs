//! Conditions, filters and visibility beside naive oracles that know no conditions.

use proptest::prelude::*;

use crate::filter::condition::When;
use crate::filter::condition::{Comparison, Condition, Field, NumberField, Row, TextField, TimeField};
use crate::filter::visibility;
use crate::filter::{Containment, Filters, NumberRange, TagMatch};
use crate::timestamp::Micros;

/// A row with everything, in the simplest form.
#[derive(Debug, Clone)]
struct Entry {
    texts: [Option<String>; 3],
    numbers: [Option<f64>; 2],
    times: [Option<Micros>; 4],
    tags: Option<Vec<Option<String>>>,
}

impl Row for Entry {
    fn says(field: Field) -> bool {
        !matches!(field, Field::Metadata | Field::Words | Field::OtherRows)
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
}

/// SQL's logic as the standard's tables have it: false is 0, unknown 1, true 2; AND is the least, OR the greatest.
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
            // NaN stands above infinity.
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
        Condition::Metadata(_) | Condition::Words(_) | Condition::StandsAgain(_) | Condition::HasItsEntry(_) => 1,
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
        texts in prop::array::uniform3(prop::option::of(word())),
        numbers in prop::array::uniform2(prop::option::of(number())),
        times in prop::array::uniform4(prop::option::of(instant())),
        tags in prop::option::of(prop::collection::vec(prop::option::of(word()), 0..3)),
    ) -> Entry {
        Entry { texts, numbers, times, tags }
    }
}

fn condition() -> impl Strategy<Value = Condition> {
    let text = prop::sample::select(vec![TextField::UserId, TextField::AgentId, TextField::SourceType]);
    let of_number = prop::sample::select(vec![NumberField::Importance, NumberField::AccessCount]);
    let time = prop::sample::select(vec![
        TimeField::Creation,
        TimeField::DeletionScheduled,
        TimeField::Expiry,
        TimeField::Superseded,
    ]);
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
        (prop::collection::vec(word(), 1..3), matching).prop_map(|(tags, m)| Condition::Tags(tags, m)),
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

prop_compose! {
    fn range()(bounds in prop::array::uniform5(prop::option::weighted(0.2, number()))) -> NumberRange {
        let [at_least, above, at_most, below, equal] = bounds;
        NumberRange { at_least, above, at_most, below, equal }
    }
}

prop_compose! {
    fn filters()(
        (user_id, agent_id) in (prop::option::of(word()), prop::option::of(word())),
        tags in prop::collection::vec(word(), 0..3),
        tag_match in prop::sample::select(vec![TagMatch::Any, TagMatch::All]),
        (importance, access_count) in (range(), range()),
        (created_after, created_before) in (prop::option::of(instant()), prop::option::of(instant())),
        source_types in prop::option::of(prop::collection::vec(word(), 0..3)),
    ) -> Filters {
        Filters {
            user_id, agent_id, tags, tag_match, importance, created_after, created_before, source_types,
            access_count, metadata: None,
        }
    }
}

/// What the documentation says of the filters, without conditions.
fn passes(filters: &Filters, row: &Entry) -> bool {
    let is = |text: &Option<String>, wanted: &Option<String>| wanted.is_none() || text == wanted;
    let within = |number: Option<f64>, range: &NumberRange| {
        let at = |bound: Option<f64>, holds: fn(f64, f64) -> bool| {
            bound.is_none_or(|bound| number.is_some_and(|number| holds(number, bound)))
        };
        at(range.at_least, |a, b| a.is_nan() || a >= b)
            && at(range.above, |a, b| a.is_nan() && !b.is_nan() || a > b)
            && at(range.at_most, |a, b| b.is_nan() || a <= b)
            && at(range.below, |a, b| b.is_nan() && !a.is_nan() || a < b)
            && at(range.equal, |a, b| a == b || a.is_nan() && b.is_nan())
    };
    let has = |tag: &String| row.tags.iter().flatten().any(|own| own.as_ref() == Some(tag));
    is(&row.texts[0], &filters.user_id)
        && is(&row.texts[1], &filters.agent_id)
        && match (filters.tags.is_empty(), filters.tag_match) {
            (true, _) => true,
            (_, TagMatch::Any) => filters.tags.iter().any(has),
            (_, TagMatch::All) => filters.tags.iter().all(has),
        }
        && within(row.numbers[0], &filters.importance)
        && within(row.numbers[1], &filters.access_count)
        && filters.created_after.is_none_or(|after| row.times[0].is_some_and(|time| time >= after))
        && filters.created_before.is_none_or(|before| row.times[0].is_some_and(|time| time <= before))
        && match &filters.source_types {
            Some(types) if !types.is_empty() => row.texts[2].as_ref().is_some_and(|own| types.contains(own)),
            _ => true,
        }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn conditions_have_the_values_of_sql(condition in condition(), row in entry()) {
        prop_assert_eq!(condition.evaluate(&row), value(naive(&condition, &row)));
    }

    #[test]
    fn filters_pass_what_they_are_documented_to_pass(filters in filters(), row in entry()) {
        let condition = Condition::all(filters.conditions().into_iter().map(|(_, condition)| condition));
        prop_assert_eq!(condition.evaluate(&row) == Some(true), passes(&filters, &row));
        prop_assert!(condition.is_known_to::<Entry>());
    }

    #[test]
    fn visible_is_what_has_come_and_not_yet_gone(when in when(), row in entry()) {
        let [created, deleted, expires, superseded] = row.times;
        // As of an instant what happens later has not happened; without one a deletion holds whenever it is due.
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
        // Whether what is corrected stands again is not the row's to say.
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
    assert!(!known.or(Condition::Not(Box::new(Condition::Words("'tea'".to_owned())))).is_known_to::<Entry>());
    assert!(!visibility::visible(When::Now(0)).is_known_to::<Entry>());
}
