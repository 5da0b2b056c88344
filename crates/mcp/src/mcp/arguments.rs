//! Arguments of a call, checked before the database sees them: unknown keys are refused, above all keys by which a
//! model would choose arguments that are fixed.

use memory_search_core::error::{Error, Result, shown};
use memory_search_core::json_fields::{Fields, nearest};
use serde_json::{Map, Value};

/// A field that must be there.
pub fn required<T>(field: Option<T>, key: &str) -> Result<T> {
    field.ok_or_else(|| Error::invalid(format!("{key} is missing")))
}

/// A list of one to `most` texts, which must be there.
pub fn required_texts(fields: &mut Fields, key: &'static str, most: i64) -> Result<Vec<String>> {
    let texts = required(fields.take_texts(key, usize::try_from(most).unwrap_or(usize::MAX))?, key)?;
    if texts.is_empty() {
        return Err(Error::invalid(format!("{key} must name at least one entry")));
    }
    Ok(texts)
}

/// A timestamp as it was written, if it is one. This is stricter than the server, which also accepts words.
pub fn take_instant(fields: &mut Fields, key: &'static str) -> Result<Option<String>> {
    let Some(text) = fields.take_text(key)? else { return Ok(None) };
    memory_search_core::timestamp::parse(key, &text)?;
    Ok(Some(text))
}

/// Refuses keys that `schema` does not have, within objects that it describes, too.
pub fn refuse_unknown(schema: &Value, arguments: &Map<String, Value>, path: &str) -> Result<()> {
    let Some(properties) = schema["properties"].as_object() else { return Ok(()) };
    for (key, value) in arguments {
        let Some(property) = properties.get(key) else {
            if schema["additionalProperties"] != false {
                continue;
            }
            let place = if path.is_empty() { String::new() } else { format!(" in {path}") };
            let known: Vec<&str> = properties.keys().map(String::as_str).collect();
            let refusal = Error::invalid(format!("unknown key \"{}\"{place}", shown(key)));
            return Err(match nearest(key, &known) {
                Some(near) => refusal.hint(format!("Did you mean \"{near}\"?")),
                None => refusal.hint(format!("Valid keys are {}.", known.join(", "))),
            });
        };
        if let Some(inner) = value.as_object() {
            let inner_path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            refuse_unknown(property, inner, &inner_path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use memory_search_core::output::tool_description::request_schema;
    use memory_search_core::request::plan::Bounds;
    use serde_json::json;

    use super::*;

    fn refusal(arguments: Value) -> Option<Error> {
        refuse_unknown(&request_schema(Bounds::default()), arguments.as_object().unwrap(), "").err()
    }

    #[test]
    fn arguments_for_applications_alone_are_refused() {
        for arguments in [
            json!({"embedding": [1]}),
            json!({"options": {"rerank": {"function": "f"}}}),
            json!({"options": {"diagnostics": true}}),
            json!({"options": {"boosts": {"x": 1}}}),
            json!({"filters": {"x": 1}}),
        ] {
            assert!(refusal(arguments.clone()).is_some(), "{arguments}");
        }
    }

    #[test]
    fn keys_of_the_schema_are_accepted_and_a_misspelt_key_has_a_hint() {
        assert!(
            refusal(json!({"query": "q", "options": {"boosts": {"recency": 0.1}}, "filters": {"tags": "x"}})).is_none()
        );
        let hint = refusal(json!({"qury": "q"})).unwrap().hint;
        assert_eq!(hint.as_deref(), Some("Did you mean \"query\"?"));
    }

    #[test]
    fn an_instant_is_no_word() {
        for (text, passes) in [("2026-01-02T03:04:05Z", true), ("yesterday", false), ("now", false)] {
            let mut fields = Fields::of_object("", json!({"at": text}).as_object().unwrap().clone());
            assert_eq!(take_instant(&mut fields, "at").is_ok(), passes, "{text}");
        }
    }
}
