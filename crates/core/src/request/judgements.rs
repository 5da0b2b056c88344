//! Judgements of users: searches as they were made, each with the entries that helped.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::bounds_and_defaults::MAX_JUDGEMENTS;
use crate::error::{Error, ErrorKind, Result};
use crate::json_fields::{Fields, unreadable};
use crate::request::search_request::SearchRequest;
use crate::request::store_ranking;

/// A search with the entries that helped.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Its place in the list, for messages: `judgements[3]`.
    pub path: String,
    /// The search.
    pub request: SearchRequest,
    /// The ids of the entries that helped, at least one.
    pub helpful: Vec<String>,
}

const FORM: &str = "Give a list: [{\"request\": {\"memoryId\": \"m\", \"query\": \"...\"}, \"helpful\": [\"id\"]}].";

/// Options that decide the order of entries, beside those that are learned.
const OTHER_SCORING: [&str; 2] = ["preset", "fusion"];

/// Reads `[{"request": {"memoryId": ..., "query": ...}, "helpful": ["id", ...]}, ...]`. A request has the form of
/// `memory_search`; it names no store, and none of the options that are learned.
///
/// # Errors
///
/// 22023 for any other form, 54000 for more than [`MAX_JUDGEMENTS`].
pub fn parse(text: &str) -> Result<Vec<Judgement>> {
    let list: Vec<&RawValue> = match serde_json::from_str(text) {
        Ok(list) => list,
        Err(error) if error.is_data() => return Err(Error::invalid("judgements must be a list").hint(FORM)),
        Err(error) => return Err(unreadable("judgements", &error)),
    };
    if list.len() > MAX_JUDGEMENTS {
        let message = format!("judgements has {} items, more than {MAX_JUDGEMENTS}", list.len());
        return Err(Error::new(ErrorKind::LimitExceeded, message).hint("Give the newest judgements, or a sample."));
    }
    list.into_iter().enumerate().map(|(at, item)| judgement(format!("judgements[{at}]"), item.get())).collect()
}

fn judgement(path: String, text: &str) -> Result<Judgement> {
    let mut fields = Fields::parse(&path, text).map_err(|refusal| refusal.hint(FORM))?;
    let request = fields.take_map("request")?;
    let helpful = fields.take_texts("helpful", MAX_JUDGEMENTS)?.unwrap_or_default();
    fields.finish()?;
    let Some(request) = request else {
        return Err(Error::invalid(format!("{path} has no request"))
            .hint("Give the search as memory_search takes it: {\"memoryId\": \"m\", \"query\": \"...\"}."));
    };
    if helpful.is_empty() {
        return Err(Error::invalid(format!("{path}.helpful names no entry"))
            .hint("Leave out searches in which no entry helped: they have no better order."));
    }
    if request.contains_key("store") {
        return Err(Error::invalid(format!("{path}.request.store must be left out"))
            .hint("All judgements are of one store, the argument store."));
    }
    let options = request.get("options").and_then(Value::as_object);
    let decides = |key: &&String| store_ranking::KEYS.contains(&key.as_str()) || OTHER_SCORING.contains(&key.as_str());
    if let Some(key) = options.into_iter().flat_map(Map::keys).find(decides) {
        return Err(Error::invalid(format!("{path}.request.options.{key} decides what would be learned"))
            .hint("Leave it out: memory_learn looks for the values that suit all judgements."));
    }
    // The raw text is kept, so that numbers in filters keep their digits.
    let raw: BTreeMap<Cow<'_, str>, &RawValue> =
        serde_json::from_str(text).map_err(|error| unreadable(&path, &error))?;
    let request = SearchRequest::parse(raw.get("request").map_or("{}", |request| request.get()))
        .map_err(|error| Error { message: format!("{path}: {}", error.message), ..error })?;
    Ok(Judgement { path, request, helpful })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_and_its_helpful_entries_are_read() {
        let read = parse(
            r#"[{"request": {"memoryId": "m", "query": "q", "options": {"asOf": "2030-01-01T00:00:00Z"}},
                 "helpful": ["a", "b"]}]"#,
        )
        .unwrap();
        assert_eq!((read[0].request.query.as_deref(), read[0].helpful.len()), (Some("q"), 2));
        assert!(read[0].request.options.as_ref().unwrap().contains("2030"));
        assert_eq!(parse("[]").unwrap(), []);
    }

    #[test]
    fn any_other_form_is_refused_with_the_place() {
        for (text, part) in [
            ("{}", "judgements must be a list"),
            ("[1]", "judgements[0] must be a JSON object"),
            (r#"[{"helpful": ["a"]}]"#, "judgements[0] has no request"),
            (r#"[{"request": {"memoryId": "m", "query": "q"}}]"#, "judgements[0].helpful names no entry"),
            (r#"[{"request": {"memoryId": "m", "query": "q"}, "helpful": [1]}]"#, "judgements[0].helpful"),
            (r#"[{"request": {"query": "q"}, "helpful": ["a"]}]"#, "judgements[0]: the request has no memoryId"),
            (r#"[{"request": {"memoryId": "m", "query": "q", "store": "s"}, "helpful": ["a"]}]"#, "request.store"),
            (
                r#"[{"request": {"memoryId": "m", "query": "q", "options": {"boosts": {}}}, "helpful": ["a"]}]"#,
                "judgements[0].request.options.boosts",
            ),
            (r#"[{"request": {"memoryId": "m", "query": "q"}, "helpful": ["a"], "unhelpful": []}]"#, "unhelpful"),
        ] {
            let refusal = parse(text).unwrap_err();
            assert!(refusal.message.contains(part), "{text}: {refusal}");
        }
        let many = format!("[{}1]", "1,".repeat(MAX_JUDGEMENTS));
        assert_eq!(parse(&many).unwrap_err().kind, ErrorKind::LimitExceeded);
    }
}
