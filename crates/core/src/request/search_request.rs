//! The caller's arguments, from SQL or from the JSON request of ADR-0003, before anything is resolved.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::bounds_and_defaults;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::argument::FILTERS;
use crate::filter::option_names;
use crate::json_fields::{Fields, unreadable, word_of};
use crate::request::detail::Detail;
use crate::request::searched_memories::AskedMemories;

/// The use of the found entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Purpose {
    /// A response.
    #[default]
    Answer,
    /// Rows, which may be more than those of a response.
    Rows,
    /// A prompt with a budget, for which as many entries as allowed compete, without repetitions.
    Prompt,
}

/// The arguments of a search as given; `None` means "not given".
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs)]
pub struct SearchRequest {
    pub purpose: Purpose,
    pub memories: AskedMemories,
    pub query: Option<String>,
    pub top_ke: Option<i64>,
    /// The name of the caller's argument for `top_ke`, for messages.
    pub top_ke_name: Option<&'static str>,
    pub top_kc: Option<i64>,
    pub embedding: Option<Vec<f32>>,
    /// Whether the newest entries are wanted, whatever the strategy, if there is neither a query nor an embedding.
    pub newest_without_query: bool,
    /// Compares texts as a whole, not by their passages.
    pub whole_texts: bool,
    /// JSON text.
    pub filters: Option<String>,
    /// JSON text.
    pub options: Option<String>,
    pub store: Option<String>,
    /// For the JSON response.
    pub detail: Detail,
}

/// Names in earlier versions of the API, with their replacements.
const RETIRED: [(&str, &str); 4] = [
    ("topK", "top_ke"),
    ("ke", "top_ke"),
    ("kc", "top_kc"),
    ("contextTimestamp", "latestContextTimestamp (a field of the response, not of the request)"),
];

/// Names in other systems, with the names here.
const FOREIGN: [(&str, &str); 3] = [("top_k", "top_ke"), ("k", "top_ke"), ("limit", "top_ke")];

impl SearchRequest {
    /// Parses the JSON request: `{"memoryId": ..., "query": ..., "top_ke": ..., ...}`.
    pub fn parse(text: &str) -> Result<Self> {
        let mut fields = Fields::parse("request", text)?;
        for (retired, current) in RETIRED {
            if fields.holds(retired) {
                return Err(Error::invalid(format!("\"{retired}\" is a retired name")).hint(format!("Use {current}.")));
            }
        }
        for (foreign, own) in FOREIGN {
            if fields.holds(foreign) {
                return Err(Error::invalid(format!("unknown key \"{foreign}\" in request"))
                    .hint(format!("Did you mean \"{own}\"?")));
            }
        }
        let request = SearchRequest {
            purpose: Purpose::Answer,
            memories: AskedMemories::take(&mut fields, "memoryId")?.unwrap_or_default(),
            query: fields.take_text("query")?,
            top_ke: fields.take_any_integer("top_ke")?,
            top_ke_name: None,
            top_kc: fields.take_any_integer("top_kc")?,
            embedding: fields.take_vector("embedding", bounds_and_defaults::MAX_DIMENSIONS)?,
            newest_without_query: false,
            whole_texts: false,
            filters: raw_object(&mut fields, text, "filters")?,
            options: raw_object(&mut fields, text, "options")?,
            store: fields.take_text("store")?,
            detail: fields.take_choice("detail")?.unwrap_or_default(),
        };
        fields.finish_beside(&[FILTERS, option_names::OPTIONS])?;
        if request.memories == AskedMemories::default() {
            return Err(Error::invalid("the request has no memoryId")
                .hint("Name the memory to search: {\"memoryId\": \"trip-planner\", \"query\": \"...\"}."));
        }
        if request.query.is_none() {
            return Err(Error::invalid("the request has no query")
                .hint("Give the text to search for; \"\" asks for the most recent entries."));
        }
        Ok(request)
    }
}

/// A request on one memory as JSON.
#[derive(Serialize)]
struct OfOneMemory<'a> {
    #[serde(rename = "memoryId")]
    memory_id: &'a str,
    query: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_ke: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_kc: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filters: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<&'a RawValue>,
    store: &'a str,
    detail: &'static str,
}

impl SearchRequest {
    /// The request as JSON for [`SearchRequest::parse`], on one memory of a store, without its embedding.
    pub fn of_one_memory(&self, memory_id: &str, store: &str) -> Result<String> {
        let raw = |name: &str, text: &Option<String>| -> Result<Option<Box<RawValue>>> {
            let parsed = text.as_deref().map(|text| RawValue::from_string(text.to_owned())).transpose();
            parsed.map_err(|error| unreadable(name, &error))
        };
        let (filters, options) = (raw("filters", &self.filters)?, raw("options", &self.options)?);
        let request = OfOneMemory {
            memory_id,
            query: self.query.as_deref().unwrap_or_default(),
            top_ke: self.top_ke,
            top_kc: self.top_kc,
            filters: filters.as_deref(),
            options: options.as_deref(),
            store,
            detail: word_of(self.detail),
        };
        serde_json::to_string(&request).map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))
    }
}

/// The original text of a nested object: it is parsed with its own error paths.
fn raw_object(fields: &mut Fields, text: &str, key: &'static str) -> Result<Option<String>> {
    use std::collections::BTreeMap;

    if fields.take(key).is_none() {
        return Ok(None);
    }
    let all: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(|error| unreadable("request", &error))?;
    Ok(all.get(key).map(|raw| raw.get().to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_json_request_carries_what_the_arguments_carry() {
        let request = SearchRequest::parse(
            r#"{"memoryId": "m", "query": "q", "top_ke": 3, "top_kc": 1, "embedding": [0.5, 1],
                "filters": {"userId": "u"}, "options": {"strategy": "auto"}, "store": "memory"}"#,
        )
        .unwrap();
        assert_eq!(request.top_ke, Some(3));
        assert_eq!(request.embedding, Some(vec![0.5, 1.0]));
        assert_eq!(request.filters.as_deref(), Some(r#"{"userId": "u"}"#));
    }

    #[test]
    fn a_request_that_is_written_for_another_node_is_read_as_the_same_request() {
        let asked = SearchRequest {
            memories: AskedMemories::from("a \"b\" {c}"),
            query: Some("tea\n\\ 東京".to_owned()),
            top_ke: Some(3),
            top_kc: None,
            filters: Some(r#"{"metadata.n": 1.50, "tags": ["t"]}"#.to_owned()),
            options: Some(r#"{"typos": false}"#.to_owned()),
            store: Some("my \"store\"".to_owned()),
            detail: Detail::Short,
            ..SearchRequest::default()
        };
        let written = asked.of_one_memory("a \"b\" {c}", "my \"store\"").unwrap();
        assert_eq!(SearchRequest::parse(&written).unwrap(), asked);
    }

    #[test]
    fn retired_names_are_refused_with_the_new_name_in_the_hint() {
        for (retired, current) in
            [("topK", "top_ke"), ("ke", "top_ke"), ("kc", "top_kc"), ("contextTimestamp", "latestContextTimestamp")]
        {
            let refusal =
                SearchRequest::parse(&format!(r#"{{"memoryId": "m", "query": "q", "{retired}": 5}}"#)).unwrap_err();
            assert!(refusal.message.contains(retired), "{refusal}");
            assert!(refusal.hint.unwrap().contains(current));
        }
    }

    #[test]
    fn a_request_without_memory_or_query_is_refused() {
        assert!(SearchRequest::parse(r#"{"query": "q"}"#).unwrap_err().message.contains("memoryId"));
        assert!(SearchRequest::parse(r#"{"memoryId": "m", "query": null}"#).unwrap_err().message.contains("query"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,80}") {
            let _ = SearchRequest::parse(&text);
            let _ = crate::filter::Filters::parse(&text);
            let _ = crate::request::options::Options::parse(&text);
        }
    }
}
