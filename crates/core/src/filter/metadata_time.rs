//! Times in metadata, for which JSON has no type: a bound is marked as one, `{"$gte": {"$date":
//! "2025-06-27T11:42:03Z"}}`, as in MongoDB's extended JSON. Texts are then compared as instants, in any notation; a
//! time without an offset, and a day, is in UTC. A text that is no time meets nothing.

use serde_json::Value;

use super::condition::{Comparison, Condition};
use super::json_path::JsonPath;
use super::operators::{list, two_bounds};
use crate::error::{Error, Result};
use crate::json_fields::described;
use crate::timestamp::{self, Micros};

/// The key that marks a time.
pub const KEY: &str = "$date";

/// The condition of an operator with at least one time among its operands; `None` without a time.
pub fn condition(path: &str, keys: &[String], operator: &str, operand: &Value) -> Result<Option<Condition>> {
    let operands = match operand {
        Value::Array(_) => list(path, operand)?,
        single => std::slice::from_ref(single),
    };
    if !operands.iter().any(|operand| operand.get(KEY).is_some()) {
        return Ok(None);
    }
    let times = operands.iter().map(|operand| instant(path, operand)).collect::<Result<Vec<_>>>()?;
    let meets = |bounds: Vec<(Comparison, Vec<Micros>)>| Condition::MetadataTime(JsonPath::texts(keys), bounds);
    let one = |comparison| match (operand.is_array(), times.as_slice()) {
        (false, [time]) => Ok(meets(vec![(comparison, vec![*time])])),
        _ => Err(Error::invalid(format!("{path} must be one time, not {}", described(operand)))
            .hint("Write one timestamp, such as \"2025-06-27T11:42:03Z\"; $in takes a list.")),
    };
    Ok(Some(match operator {
        "$eq" => one(Comparison::Equal)?,
        "$gt" => one(Comparison::Greater)?,
        "$gte" => one(Comparison::GreaterOrEqual)?,
        "$lt" => one(Comparison::Less)?,
        "$lte" => one(Comparison::LessOrEqual)?,
        "$between" => match times.as_slice() {
            [low, high] if low > high => {
                return Err(Error::invalid(format!(
                    "{path} contradicts itself: the first time is later than the second"
                ))
                .hint("Swap the two."));
            }
            [low, high] => {
                meets(vec![(Comparison::GreaterOrEqual, vec![*low]), (Comparison::LessOrEqual, vec![*high])])
            }
            _ => {
                two_bounds(path, operand)?;
                return Err(Error::invalid(format!("{path} must be a list of two times, not {}", described(operand)))
                    .hint("Write [\"2025-01-01T00:00:00Z\", \"2025-07-01T00:00:00Z\"]."));
            }
        },
        "$in" if operand.is_array() => meets(vec![(Comparison::Equal, times)]),
        "$in" => {
            return Err(Error::invalid(format!("{path} must be a list, not {}", described(operand)))
                .hint("Write the value in brackets: [\"2025-06-27T11:42:03Z\"]."));
        }
        _ => {
            return Err(Error::invalid(format!("{path} cannot be a time"))
                .hint("Times are for $eq, $ne, $gt, $gte, $lt, $lte, $between, $in and $nin."));
        }
    }))
}

fn instant(path: &str, operand: &Value) -> Result<Micros> {
    let text = match operand {
        Value::Object(fields) if fields.len() == 1 => fields.get(KEY),
        _ => None,
    };
    let Some(text) = text else {
        return Err(Error::invalid(format!("{path} holds a time beside {}", described(operand)))
            .hint("Each is a time, {\"$date\": \"2025-06-27T11:42:03Z\"}, or none is."));
    };
    let named = format!("{path}.{KEY}");
    match text {
        Value::String(text) => timestamp::parse(&named, text),
        other => Err(Error::invalid(format!("{named} must be a timestamp, not {}", described(other)))
            .hint("Write it as RFC 3339 with an offset, for example \"2025-06-27T11:42:03Z\".")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(operator: &str, operand: Value) -> Result<Option<Condition>> {
        condition("filters.metadata.due", &["due".to_owned()], operator, &operand)
    }

    #[test]
    fn a_bound_is_an_instant_whatever_offset_it_is_written_in() {
        let expected = |text| {
            let bounds = vec![(Comparison::GreaterOrEqual, vec![timestamp::parse("due", text).unwrap()])];
            Some(Condition::MetadataTime(JsonPath::texts(&["due".to_owned()]), bounds))
        };
        let written = json!({"$date": "2025-06-27T13:42:03.25+02:00"});
        assert_eq!(read("$gte", written).unwrap(), expected("2025-06-27T11:42:03.25Z"));
    }

    #[test]
    fn what_is_no_time_is_left_to_others() {
        assert_eq!(read("$gte", json!("2025-06-27")).unwrap(), None);
        assert_eq!(read("$in", json!([1, "a"])).unwrap(), None);
    }

    #[test]
    fn times_beside_other_values_and_operators_without_an_order_are_refused() {
        let day = json!({"$date": "2025-06-27T00:00:00Z"});
        for (operator, operand) in [
            ("$in", json!([day, "2025"])),
            ("$in", day.clone()),
            ("$between", json!([day])),
            ("$between", json!([{"$date": "2025-06-28T00:00:00Z"}, day])),
            ("$between", day.clone()),
            ("$like", day.clone()),
            ("$exists", day.clone()),
            ("$gte", json!([day])),
            ("$in", Value::from(vec![day.clone(); crate::bounds_and_defaults::MAX_FILTER_VALUES + 1])),
            ("$gte", json!({"$date": 5})),
            ("$gte", json!({"$date": "2025-06-27"})),
            ("$gte", json!({"$date": "2025-06-27T00:00:00Z", "x": 1})),
        ] {
            assert!(read(operator, operand.clone()).is_err(), "{operator} {operand}");
        }
    }
}
