//! `options.newest`: the beginning of a prompt, the last turns of a conversation.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::bounds_and_defaults;
use crate::error::{Error, Result};
use crate::filter::Filters;
use crate::json_fields::{Fields, described, unreadable};

/// The newest entries of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Newest {
    /// The most entries.
    pub entries: usize,
    /// The filters for them, in addition to those of the whole request.
    pub filters: Filters,
}

const PATH: &str = "options.newest";

impl Newest {
    /// Reads the option from its text, which keeps every digit of the filters: a number of entries, or an object
    /// `{"entries": 20, "filters": {"sessionId": "s1"}}`.
    pub fn parse(json: &str) -> Result<Option<Newest>> {
        let example = "Write {\"entries\": 20, \"filters\": {\"sessionId\": \"...\"}}.";
        let mut fields = match serde_json::from_str(json).map_err(|error| unreadable(PATH, &error))? {
            Value::Null => return Ok(None),
            Value::Object(object) => Fields::of_object(PATH, object),
            number @ Value::Number(_) => {
                let mut fields = Fields::of_object("options", [("newest".to_owned(), number)].into_iter().collect());
                let entries = fields.take_integer("newest", bounds_and_defaults::NEWEST_OF_PROMPT)?;
                return Ok(entries.map(|entries| Newest { entries: entries as usize, filters: Filters::default() }));
            }
            other => {
                let given = described(&other);
                return Err(Error::invalid(format!("{PATH} must be a number of entries or an object, not {given}"))
                    .hint(example));
            }
        };
        let entries = fields
            .take_integer("entries", bounds_and_defaults::NEWEST_OF_PROMPT)?
            .ok_or_else(|| Error::invalid(format!("{PATH} does not say how many entries")).hint(example))?;
        let has_filters = fields.take_map("filters")?.is_some();
        fields.finish()?;
        let raw: BTreeMap<Cow<'_, str>, &RawValue> =
            serde_json::from_str(json).map_err(|error| unreadable(PATH, &error))?;
        let filters = raw.get("filters").filter(|_| has_filters);
        let filters = filters.map(|json| Filters::parse_at(&format!("{PATH}.filters"), json.get())).transpose()?;
        Ok(Some(Newest { entries: entries as usize, filters: filters.unwrap_or_default() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_of_any_entries_and_an_object_says_which() {
        assert_eq!(Newest::parse("null"), Ok(None));
        assert_eq!(Newest::parse("3").unwrap().unwrap(), Newest { entries: 3, filters: Filters::default() });
        let of_session = Newest::parse(r#"{"entries": 20, "filters": {"sessionId": "s1"}}"#).unwrap().unwrap();
        assert_eq!(of_session.entries, 20);
        assert_eq!(of_session.filters.conditions()[0].0, "sessionId");
    }

    #[test]
    fn what_is_neither_is_refused_by_its_path() {
        for (bad, begins) in [
            ("0", "options.newest must be a whole number from 1"),
            ("true", "options.newest must be a number of entries or an object"),
            ("{}", "options.newest does not say how many"),
            (r#"{"entries": 1001}"#, "options.newest.entries must be"),
            (r#"{"entries": 1, "filter": {}}"#, "unknown key \"filter\" in options.newest"),
            (r#"{"entries": 1, "filters": {"sesionId": "x"}}"#, "unknown key \"sesionId\" in options.newest.filters"),
        ] {
            let refusal = Newest::parse(bad).unwrap_err();
            assert!(refusal.message.starts_with(begins), "{bad}: {refusal}");
        }
    }
}
