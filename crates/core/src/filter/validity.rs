//! The interval in which the fact of an entry holds, independent of when it was said: `valid_from` is part of it,
//! `valid_until` is not, and null is open. It is a filter and no part of visibility: an entry that held once is still
//! stored, listed and counted.

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::filter::condition::{Comparison, Condition, TimeField};
use crate::json_fields::{Fields, described};
use crate::timestamp::{self, Micros};

/// The word for all entries, independent of their intervals.
const ANY: &str = "any";

/// The intervals that entries must have to be found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Validity {
    /// Intervals with the instant of the search.
    #[default]
    OfSearch,
    /// Intervals with this instant.
    At(Micros),
    /// Intervals that share an instant with this one, both half-open; `None` is open.
    During(Option<Micros>, Option<Micros>),
    /// Any interval.
    Any,
}

impl Validity {
    /// Reads `validAt` or `validDuring`, the one that is given.
    pub fn take(fields: &mut Fields) -> Result<Option<Validity>> {
        let (at, during) = (fields.take("validAt"), fields.take("validDuring"));
        match (at, during) {
            (Some(_), Some(_)) => Err(Error::invalid(format!(
                "{} and {} contradict each other",
                fields.path_of("validAt"),
                fields.path_of("validDuring")
            ))
            .hint("Give one of them: an instant, or an interval [from, until].")),
            (Some(at), None) => Self::at(&fields.path_of("validAt"), &at).map(Some),
            (None, Some(during)) => Self::during(&fields.path_of("validDuring"), &during).map(Some),
            (None, None) => Ok(None),
        }
    }

    fn at(path: &str, value: &Value) -> Result<Validity> {
        match value {
            Value::String(text) if text == ANY => Ok(Validity::Any),
            Value::String(text) => timestamp::parse(path, text)
                .map(Validity::At)
                .map_err(|refusal| refusal.hint("Write it as \"2025-06-27T11:42:03Z\", or \"any\" for every time.")),
            other => Err(Error::invalid(format!("{path} must be a timestamp or \"{ANY}\", not {}", described(other)))
                .hint("Write it as \"2025-06-27T11:42:03Z\", or \"any\" for every time.")),
        }
    }

    fn during(path: &str, value: &Value) -> Result<Validity> {
        let example = "Write [\"2025-01-01T00:00:00Z\", \"2025-07-01T00:00:00Z\"]; null is open.";
        let Value::Array(bounds) = value else {
            return Err(Error::invalid(format!("{path} must be a list of two timestamps, not {}", described(value)))
                .hint(example));
        };
        let [from, until] = bounds.as_slice() else {
            return Err(Error::invalid(format!("{path} must be a list of two timestamps, not of {}", bounds.len()))
                .hint(example));
        };
        let bound = |place: usize, value: &Value| match value {
            Value::Null => Ok(None),
            Value::String(text) => timestamp::parse(&format!("{path}[{place}]"), text).map(Some),
            other => {
                Err(Error::invalid(format!("{path}[{place}] must be a timestamp or null, not {}", described(other)))
                    .hint(example))
            }
        };
        let (from, until) = (bound(0, from)?, bound(1, until)?);
        if let (Some(from), Some(until)) = (from, until)
            && from >= until
        {
            return Err(Error::invalid(format!(
                "{path} ends at {}, which is not after its beginning, {}",
                timestamp::format(until),
                timestamp::format(from)
            ))
            .hint("The end must be after the beginning: swap the two, or ask for one instant by validAt."));
        }
        Ok(Validity::During(from, until))
    }

    /// Parts of the condition on an entry, all of which must hold, in a search at `now`: each reads one column.
    pub fn conditions(self, now: Micros) -> Vec<Condition> {
        let begins = |comparison, instant| Condition::NullOrTime(TimeField::ValidFrom, comparison, instant);
        let ends_after = |instant| Condition::NullOrTime(TimeField::ValidUntil, Comparison::Greater, instant);
        match self {
            Validity::Any => Vec::new(),
            Validity::OfSearch => Validity::At(now).conditions(now),
            Validity::At(instant) => vec![begins(Comparison::LessOrEqual, instant), ends_after(instant)],
            Validity::During(from, until) => {
                let begins = until.map(|until| begins(Comparison::Less, until));
                begins.into_iter().chain(from.map(ends_after)).collect()
            }
        }
    }

    /// The name of the option that asks for it; `None` for the default of a search, and for any interval.
    pub fn asked_by(self) -> Option<&'static str> {
        match self {
            Validity::OfSearch | Validity::Any => None,
            Validity::At(_) => Some("validAt"),
            Validity::During(..) => Some("validDuring"),
        }
    }

    /// The condition in words: "not valid ...".
    pub fn in_words(self, now: Micros) -> String {
        let bound = |instant: Option<Micros>, open| instant.map_or(String::from(open), timestamp::format);
        match self {
            Validity::Any => "at any time".to_owned(),
            Validity::OfSearch => Validity::At(now).in_words(now),
            Validity::At(instant) => format!("at {}", timestamp::format(instant)),
            Validity::During(from, until) => {
                format!("between {} and {}", bound(from, "the beginning"), bound(until, "the end"))
            }
        }
    }

    /// The JSON Schema of `validAt`, without a description.
    pub fn schema_of_instant() -> Value {
        json!({"type": "string"})
    }

    /// The JSON Schema of `validDuring`, without a description.
    pub fn schema_of_interval() -> Value {
        json!({"type": "array", "items": {"type": ["string", "null"]}, "minItems": 2, "maxItems": 2})
    }
}

/// An interval from an argument or a row: an open end is null, in any notation. An interval without an instant is
/// refused; `name` gives the names of its two ends.
pub fn interval(
    (from_name, from): (&str, Option<Micros>),
    (until_name, until): (&str, Option<Micros>),
) -> Result<(Option<Micros>, Option<Micros>)> {
    if from == Some(Micros::MAX) {
        return Err(Error::invalid(format!("{from_name} is infinity: the entry would never hold"))
            .hint(format!("Leave {from_name} out for an entry that has always held.")));
    }
    if until == Some(Micros::MIN) {
        return Err(Error::invalid(format!("{until_name} is -infinity: the entry would never hold"))
            .hint(format!("Leave {until_name} out for an entry that still holds.")));
    }
    let (from, until) = (from.filter(|from| *from != Micros::MIN), until.filter(|until| *until != Micros::MAX));
    match (from, until) {
        (Some(begins), Some(ends)) if begins >= ends => Err(Error::invalid(format!(
            "{from_name} ({}) must be before {until_name} ({})",
            timestamp::format(begins),
            timestamp::format(ends)
        ))
        .hint("The entry holds from the first on, and no longer at the second.")),
        open_or_ordered => Ok(open_or_ordered),
    }
}

/// The interval of a stored row. Plain SQL may have stored one that never holds, with one end at infinity: it is kept.
pub fn stored_interval(
    (from_name, from): (&str, Option<Micros>),
    (until_name, until): (&str, Option<Micros>),
) -> Result<(Option<Micros>, Option<Micros>)> {
    match (from, until) {
        (Some(Micros::MAX), None) | (None, Some(Micros::MIN)) => Ok((from, until)),
        _ => interval((from_name, from), (until_name, until)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filter::condition::{Field, NumberField, Row, TextField};

    struct Interval(Option<Micros>, Option<Micros>);

    impl Row for Interval {
        fn says(_: Field) -> bool {
            true
        }

        fn equals(&self, _: TextField, _: &str) -> Option<bool> {
            None
        }

        fn number(&self, _: NumberField) -> Option<f64> {
            None
        }

        fn time(&self, field: TimeField) -> Option<Micros> {
            if field == TimeField::ValidFrom { self.0 } else { self.1 }
        }
    }

    fn parsed(text: &str) -> Result<Option<Validity>> {
        Validity::take(&mut Fields::parse("options", text).unwrap())
    }

    #[test]
    fn an_instant_an_interval_any_or_nothing_is_asked_for() {
        assert_eq!(parsed("{}").unwrap(), None);
        assert_eq!(parsed(r#"{"validAt": "any"}"#).unwrap(), Some(Validity::Any));
        assert_eq!(parsed(r#"{"validAt": "1970-01-01T00:00:01Z"}"#).unwrap(), Some(Validity::At(1_000_000)));
        let during = r#"{"validDuring": [null, "1970-01-01T00:00:01Z"]}"#;
        assert_eq!(parsed(during).unwrap(), Some(Validity::During(None, Some(1_000_000))));
        let second = r#""1970-01-01T00:00:01Z""#;
        for wrong in [
            format!(r#"{{"validAt": {second}, "validDuring": [null, null]}}"#),
            format!(r#"{{"validDuring": [{second}, {second}]}}"#),
            format!(r#"{{"validDuring": [{second}]}}"#),
            format!(r#"{{"validDuring": {second}}}"#),
            r#"{"validDuring": [1, 2]}"#.to_owned(),
            r#"{"validAt": "ANY"}"#.to_owned(),
            r#"{"validAt": 5}"#.to_owned(),
        ] {
            assert!(parsed(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn infinities_are_open_and_what_never_holds_is_refused() {
        let of = |from, until| interval(("valid_from", from), ("valid_until", until));
        assert_eq!(of(Some(Micros::MIN), Some(Micros::MAX)).unwrap(), (None, None));
        assert_eq!(of(Some(1), Some(2)).unwrap(), (Some(1), Some(2)));
        for (from, until) in
            [(Some(2), Some(2)), (Some(3), Some(2)), (Some(Micros::MAX), None), (None, Some(Micros::MIN))]
        {
            assert!(of(from, until).is_err());
        }
        let stored = |from, until| stored_interval(("validFrom", from), ("validUntil", until));
        for kept in [(Some(Micros::MAX), None), (None, Some(Micros::MIN)), (Some(1), Some(2))] {
            assert_eq!(stored(kept.0, kept.1).unwrap(), kept);
        }
        assert_eq!(stored(Some(Micros::MIN), Some(Micros::MAX)).unwrap(), (None, None));
        assert!(stored(Some(2), Some(2)).is_err() && stored(Some(Micros::MAX), Some(Micros::MAX)).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Instants are few, so the test can try each.
        #[test]
        fn found_is_what_shares_an_instant_with_what_is_asked(
            from in prop::option::of(-3..4i64), until in prop::option::of(-3..4i64), now in -4..5i64,
            asked_from in prop::option::of(-3..4i64), asked_until in prop::option::of(-3..4i64),
        ) {
            let holds = |instant: i64, from: Option<i64>, until: Option<i64>| {
                from.is_none_or(|from| from <= instant) && until.is_none_or(|until| instant < until)
            };
            prop_assume!(from.zip(until).is_none_or(|(from, until)| from < until));
            let row = Interval(from, until);
            let found = |asked: Validity| Condition::All(asked.conditions(now)).evaluate(&row) == Some(true);
            prop_assert!(found(Validity::Any));
            prop_assert_eq!(found(Validity::OfSearch), holds(now, from, until));
            prop_assert_eq!(found(Validity::At(now)), holds(now, from, until));
            if asked_from.zip(asked_until).is_none_or(|(from, until)| from < until) {
                let shared = (-10..10).any(|at| holds(at, from, until) && holds(at, asked_from, asked_until));
                prop_assert_eq!(found(Validity::During(asked_from, asked_until)), shared);
            }
        }
    }
}
