//! `options.snippets`: the passages of an entry that fit the query.

use serde_json::{Value, json};

use crate::bounds_and_defaults;
use crate::error::{Error, Result};
use crate::json_fields::{Fields, described};

/// The marks around a word of the query, if the request does not say.
const MARKS: (&str, &str) = ("<b>", "</b>");

/// The way in which entries are shortened to their passages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippets {
    /// Characters of each passage.
    pub max_characters: usize,
    /// The most passages of an entry.
    pub per_entry: usize,
    /// The marks before and after a word of the query, if the request gives them.
    pub marks: Option<(String, String)>,
}

impl Default for Snippets {
    fn default() -> Self {
        Snippets { max_characters: bounds_and_defaults::DEFAULT_SNIPPET_CHARACTERS, per_entry: 1, marks: None }
    }
}

impl Snippets {
    /// Reads the option: true, `false` for none, or an object of `maxCharacters`, `perEntry`, `start` and `stop`.
    pub fn parse(path: &str, value: Value) -> Result<Option<Snippets>> {
        let object = match value {
            Value::Bool(false) => return Ok(None),
            Value::Bool(true) => return Ok(Some(Snippets::default())),
            Value::Object(object) => object,
            other => {
                return Err(Error::invalid(format!(
                    "{path} must be true, false or an object, not {}",
                    described(&other)
                ))
                .hint("Write true without quotes, or an object of keys: {\"maxCharacters\": 200}."));
            }
        };
        let mut fields = Fields::of_object(path, object);
        let snippets = Snippets::default();
        let size = |given: Option<i64>, otherwise| given.map_or(otherwise, |given| given as usize);
        let snippets = Snippets {
            max_characters: size(
                fields.take_integer("maxCharacters", bounds_and_defaults::SNIPPET_CHARACTERS)?,
                snippets.max_characters,
            ),
            per_entry: size(
                fields.take_integer("perEntry", bounds_and_defaults::SNIPPETS_OF_ENTRY)?,
                snippets.per_entry,
            ),
            marks: match (mark(&mut fields, "start")?, mark(&mut fields, "stop")?) {
                (None, None) => None,
                (Some(start), Some(stop)) => Some((start, stop)),
                _ => {
                    return Err(Error::invalid(format!("{path} needs both start and stop, or neither"))
                        .hint("Write both marks: {\"start\": \"<b>\", \"stop\": \"</b>\"}."));
                }
            },
        };
        fields.finish()?;
        Ok(Some(snippets))
    }

    /// The marks of a response.
    pub fn marks(&self) -> (&str, &str) {
        self.marks.as_ref().map_or(MARKS, |(start, stop)| (start, stop))
    }

    /// The marks of a prompt: none, unless the request asks for them.
    pub fn marks_of_prompt(&self) -> (&str, &str) {
        self.marks.as_ref().map_or(("", ""), |(start, stop)| (start, stop))
    }

    /// The JSON Schema of the option.
    pub fn schema() -> Value {
        let count = |range: &std::ops::RangeInclusive<i64>, default: usize, description: &str| {
            json!({"type": "integer", "minimum": range.start(), "maximum": range.end(),
                   "description": format!("The most {description}; {default} when left out")})
        };
        let mark = |default: &str, place: &str| {
            json!({"type": "string", "maxLength": bounds_and_defaults::MAX_MARK_CHARACTERS,
                   "description": format!("The mark {place} a word of the query; {default} when left out")})
        };
        let defaults = Snippets::default();
        json!({"type": ["boolean", "object"], "additionalProperties": false, "properties": {
            "maxCharacters":
                count(&bounds_and_defaults::SNIPPET_CHARACTERS, defaults.max_characters, "characters of a passage"),
            "perEntry": count(&bounds_and_defaults::SNIPPETS_OF_ENTRY, defaults.per_entry, "passages of an entry"),
            "start": mark(MARKS.0, "before"),
            "stop": mark(MARKS.1, "behind"),
        }})
    }
}

fn mark(fields: &mut Fields, key: &'static str) -> Result<Option<String>> {
    let mark = fields.take_text(key)?;
    match mark.as_ref().map(|mark| mark.chars().count()) {
        Some(characters) if characters > bounds_and_defaults::MAX_MARK_CHARACTERS => Err(Error::invalid(format!(
            "{} has {characters} characters, more than {}",
            fields.path_of(key),
            bounds_and_defaults::MAX_MARK_CHARACTERS
        ))
        .hint("Choose a shorter mark, such as \"<b>\".")),
        _ => Ok(mark),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(value: Value) -> Result<Option<Snippets>> {
        Snippets::parse("options.snippets", value)
    }

    #[test]
    fn true_is_all_it_takes() {
        let snippets = parsed(json!(true)).unwrap().unwrap();
        assert_eq!((snippets.max_characters, snippets.per_entry, snippets.marks()), (300, 1, ("<b>", "</b>")));
        assert_eq!(parsed(json!({})).unwrap(), Some(snippets));
        let plain = parsed(json!({"start": "", "stop": "", "maxCharacters": 50, "perEntry": 3})).unwrap().unwrap();
        assert_eq!((plain.max_characters, plain.per_entry, plain.marks()), (50, 3, ("", "")));
        assert_eq!(parsed(json!(false)).unwrap(), None);
    }

    #[test]
    fn what_is_no_way_to_shorten_is_refused() {
        for bad in [
            json!("x"),
            json!(300),
            json!({"maxCharacters": 19}),
            json!({"maxCharacters": 10_001}),
            json!({"perEntry": 0}),
            json!({"perEntry": 11}),
            json!({"start": "<b>"}),
            json!({"start": 1, "stop": 2}),
            json!({"start": "x".repeat(101), "stop": ""}),
        ] {
            assert!(parsed(bad.clone()).is_err(), "{bad}");
        }
        let refusal = parsed(json!({"maxcharacters": 50})).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"maxCharacters\"?"));
        assert!(refusal.message.ends_with("in options.snippets"), "{refusal}");
    }
}
