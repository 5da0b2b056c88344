//! The description of memory_search for a language model: every parameter with its range and default, every field of
//! the response with its meaning. It is made from the constants and word lists that validate requests, so it cannot
//! differ from them.

use serde_json::{Map, Value, json};

use crate::bounds_and_defaults::{
    DEFAULT_TOP_KC, DEFAULT_TOP_KE, IMPORTANCE, IMPORTANCE_FILTER, MAX_FILTER_VALUES, MIN_TOP_KC, MIN_TOP_KE,
};
use crate::error::Result;
use crate::filter::TagMatch;
use crate::filter::argument::COLUMNS;
use crate::filter::operators::{self, Column};
use crate::json_fields::{self, Choice, words};
use crate::output::json_schema::{instant, integer, number, object, text};
use crate::output::short_tools;
use crate::rank::choices::Strategy;
use crate::request::detail::Detail;
use crate::request::options::{Holds, OPTIONS, OptionSpec, Options};
use crate::request::plan::Bounds;
use crate::request::search_request::Purpose;

const DESCRIPTION: &str = "Searches the long-term memory for what is relevant to a question. Returns the best entries \
(best first), the latest context (what the memory is about now) and older contexts that fit the question. \
Entries can contradict each other: compare creationTime, the newer statement usually holds. \
A score compares entries of one search only; scores.semantic tells how near an entry really is.";

const TITLE: &str = "Search long-term memory";

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The forms a description can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    OpenAi,
    Mcp,
    JsonSchema,
}

impl Choice for Form {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("openai", Form::OpenAi), ("mcp", Form::Mcp), ("json_schema", Form::JsonSchema)];
}

/// The tool description as JSON text.
///
/// # Errors
///
/// Refuses an unknown `name` or `detail`, with the known ones.
pub fn tool_spec(name: &str, detail: &str, bounds: Bounds) -> Result<String> {
    let form = json_fields::choice("name", name)?;
    Ok(match json_fields::choice("detail", detail)? {
        Detail::Full => whole(form, bounds),
        Detail::Short => short(form, bounds),
    }
    .to_string())
}

fn whole(form: Form, bounds: Bounds) -> Value {
    let (name, input, output) = ("memory_search", request_schema(bounds), response_schema());
    match form {
        Form::OpenAi => json!({"type": "function", "function": {
            "name": name, "description": format!("{DESCRIPTION} {}", fields_in_words(&output)), "parameters": input}}),
        Form::Mcp => json!({"name": name, "title": TITLE, "description": DESCRIPTION,
            "inputSchema": input, "outputSchema": output,
            "annotations": {"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false}}),
        Form::JsonSchema => json!({"$schema": DRAFT,
            "title": name, "description": DESCRIPTION, "$defs": {"request": input, "response": output},
            "$ref": "#/$defs/request"}),
    }
}

fn short(form: Form, bounds: Bounds) -> Value {
    let (name, description, input) = ("memory_search", short_tools::SEARCH, short_tools::search(bounds));
    match form {
        Form::OpenAi => json!({"type": "function", "function": {
            "name": name, "description": description, "parameters": input}}),
        Form::Mcp => json!({"name": name, "title": TITLE, "description": description, "inputSchema": input,
            "annotations": {"readOnlyHint": true, "openWorldHint": false}}),
        Form::JsonSchema => json!({"$schema": DRAFT,
            "title": name, "description": description, "$defs": {"request": input}, "$ref": "#/$defs/request"}),
    }
}

fn choice<T: Choice>(description: &str) -> Value {
    json!({"type": "string", "enum": words::<T>(), "description": description})
}

/// The JSON request of memory_search(jsonb).
pub fn request_schema(bounds: Bounds) -> Value {
    let most = bounds.of_entries(Purpose::Answer);
    object(
        "A search of one memory",
        json!({
            "memoryId": {"type": "string", "minLength": 1, "description": "The memory to search"},
            "query": text("The question in natural language, with names and codes verbatim. An empty text gives the most \
                recent entries"),
            "top_ke": integer("How many entries to return; 0 for contexts only", MIN_TOP_KE, most,
                DEFAULT_TOP_KE.min(most)),
            "top_kc": integer("How many older contexts to return", MIN_TOP_KC, bounds.max_top_kc,
                DEFAULT_TOP_KC.min(bounds.max_top_kc)),
            "filters": filters_schema(),
            "options": options_schema(),
            "store": text("The store, if there are several"),
        }),
        &["memoryId", "query"],
    )
}

/// The filters of searches and listings.
pub fn filters_schema() -> Value {
    let mut properties = serde_json::Map::new();
    for (name, column, description) in COLUMNS {
        // An alias is for those who know it.
        if !name.contains('.') {
            properties.insert(name.to_owned(), column_schema(column, description));
        }
    }
    let list_of = |items: Value, about: &str| {
        let most = MAX_FILTER_VALUES;
        json!({"type": "array", "items": items, "maxItems": most, "description": about})
    };
    let ids = |description: &str| list_of(json!({"type": "string"}), description);
    let filters = |description: &str| list_of(json!({"type": "object"}), description);
    let others = [
        (
            "tagMatch",
            choice::<TagMatch>("Beside tags: whether one of them is enough (any, the default) or all are needed"),
        ),
        ("minImportance", number("Only entries at least this important", &IMPORTANCE_FILTER)),
        ("createdAfter", instant("Only entries created at this time or later")),
        ("createdBefore", instant("Only entries created at this time or earlier")),
        ("ids", ids("Only these entries")),
        ("excludeIds", ids("Not these entries, for example because they were shown before")),
        (
            "metadata",
            json!({"type": "object", "description": "Only entries whose metadata contains this; on any key operators: \
                {\"page\": {\"$gt\": 5}}, {\"kind\": {\"$in\": [\"a\", \"b\"]}}"}),
        ),
        ("$and", filters("Filters that must all hold")),
        ("$or", filters("Filters, one of which must hold")),
        ("$not", json!({"type": "object", "description": "A filter that must not hold"})),
    ];
    properties.extend(others.map(|(name, schema)| (name.to_owned(), schema)));
    object("Which entries may be found; applied before the limit", Value::Object(properties), &[])
}

/// A column's filter: a value, a list of values, or operators.
fn column_schema(column: Column, description: &str) -> Value {
    let value = match column {
        Column::Id(..) | Column::Text(_) | Column::Tags | Column::Entities => json!({"type": "string"}),
        Column::Number(_) => json!({"type": "number"}),
        Column::Time(_) => json!({"type": "string", "format": "date-time"}),
    };
    let list = json!({"type": "array", "items": value, "maxItems": MAX_FILTER_VALUES});
    let operand = |operator: &str| match operator {
        "$exists" => json!({"type": "boolean"}),
        "$in" | "$nin" | "$all" => list.clone(),
        "$between" => json!({"type": "array", "items": value, "minItems": 2, "maxItems": 2}),
        _ => value.clone(),
    };
    let operators: serde_json::Map<String, Value> =
        operators::known(column).iter().map(|operator| ((*operator).to_owned(), operand(operator))).collect();
    let operators = json!({"type": "object", "additionalProperties": false, "properties": operators});
    match column {
        Column::Text(_) => json!({"description": description, "oneOf": [operators]}),
        _ => json!({"description": description, "oneOf": [value, list, operators]}),
    }
}

fn options_schema() -> Value {
    object("How to search; the defaults suit most questions", properties(OPTIONS), &[])
}

fn properties(options: &[OptionSpec]) -> Value {
    let described = options.iter().filter_map(|option| Some((option, option.description?)));
    let properties = described.map(|(option, description)| {
        let schema = match option.holds {
            Holds::Object(options) => object(description, properties(options), &[]),
            Holds::Value(kind) => {
                let mut schema = kind.schema(&mut Options::default());
                schema["description"] = json!(description);
                schema
            }
        };
        (option.key.to_owned(), schema)
    });
    Value::Object(properties.collect())
}

fn nullable(kind: &str, description: &str) -> Value {
    json!({"type": [kind, "null"], "description": description})
}

fn nullable_instant(description: &str) -> Value {
    json!({"type": ["string", "null"], "format": "date-time", "description": description})
}

/// The meaning of importance, from its least to its greatest value.
pub(super) fn importance_in_words() -> String {
    format!("{} trivial to {} vital", IMPORTANCE.start(), IMPORTANCE.end())
}

/// The stored fields of an entry, which searches and listings show in the same way.
pub(super) fn remembered_fields() -> Map<String, Value> {
    let fields = json!({
        "entryId": text("Names the entry in other calls"),
        "memoryId": text("The memory it belongs to"),
        "userId": nullable("string", "The person it is about"),
        "agentId": nullable("string", "The agent that remembered it"),
        "sessionId": nullable("string", "The conversation or run it is from"),
        "entryKey": nullable("string", "The name that the application has for it"),
        "summary": nullable("string", "A short form"),
        "rawEntry": text("The remembered text"),
        "tags": {"type": "array", "items": {"type": "string"}, "description": "Labels"},
        "entities": {"type": "array", "items": {"type": "string"}, "description":
            "People, places and things that it names; only if it names any"},
        "metadata": {"type": "object", "description": "Anything else"},
        "sourceType": nullable("string", "Where it came from"),
        "importance": nullable("integer", &importance_in_words()),
        "accessCount": {"type": "integer", "description": "How often it was used"},
        "creationTime": nullable_instant("When it was said or happened: of two statements that differ, the newer usually holds"),
        "validFrom": text("From when it holds; only if it has a beginning"),
        "validUntil": text("Until when it holds; only if it has an end"),
    });
    fields.as_object().cloned().unwrap_or_default()
}

/// The strategies that answers name.
fn found_by() -> Vec<&'static str> {
    words::<Strategy>().into_iter().filter(|word| *word != Strategy::Auto.word()).collect()
}

fn response_schema() -> Value {
    let scores = json!({
        "semantic": nullable("number", "Cosine similarity of meaning; null without an embedding. Below about 0.2 hardly related"),
        "keyword": nullable("number", "Match of words, 1 for the best of this search; null if no word matches"),
        "relevance": {"type": "number", "description": "How strong the evidence is that it answers, 0 to 1: from 0.5 on it probably does"},
        "recency": {"type": "number", "description": "1 for new, falling to 0 with age"},
        "importance": {"type": "number", "description": "Importance as 0 to 1"},
        "popularity": {"type": "number", "description": "How often it was used, as 0 to 1"},
        "author": {"type": "number", "description": "1 if the query names its author"},
        "date": {"type": "number", "description": "1 if the query names the time of its creation"},
        "length": {"type": "number", "description": "Grows with the length of its text, 0 to 1"},
        "usedRecency": {"type": "number", "description": "Recency of its last use, 0 to 1; only if that has a weight"},
        "feedback": {"type": "number", "description":
            "The factor on relevance by the feedback of users; only if that has a weight"},
        "association": {"type": "number", "description":
            "How much it belongs to the best entries by links, rare words or entities, 0 to 1; only with expand"},
        "rerank": {"type": "number", "description": "Its score by a reranker, 0 to 1; only if one was asked"},
    });
    let neighbour = json!({
        "place": {"type": "integer", "description": "How many entries later it comes; below 0 is before"},
        "entryId": text("Names the entry in other calls"),
        "userId": nullable("string", "The person it is about"),
        "agentId": nullable("string", "The agent that remembered it"),
        "summary": nullable("string", "A short form"),
        "rawEntry": text("The remembered text"),
        "creationTime": nullable_instant("When it was said or happened"),
        "validFrom": text("From when it holds; only if it has a beginning"),
        "validUntil": text("Until when it holds; only if it has an end"),
    });
    let range = json!({"type": "array", "items": {"type": "integer"}});
    let snippet = json!({
        "text": text("Its best passages, with the words of the question marked"),
        "ranges": {"type": "array", "items": range, "description": "The places of these words in it, in characters"},
    });
    let mut entry = remembered_fields();
    let found = json!({
        "snippet": object("The parts that fit the question; only with snippets", snippet, &[]),
        "supersededBy": text("The entry that corrects this one; only with includeSuperseded"),
        // An answer says what found an entry, never that it was left open.
        "strategy": {"type": "string", "enum": found_by(),
            "description": "How it was found; recent means that nothing matched the question"},
        "score": {"type": "number", "description": "The score by which entries are ordered"},
        "scores": object("Where the score comes from", scores, &[]),
        "embedding": {"type": ["array", "null"], "items": {"type": "number"}, "description":
            "Its embedding; only if fields names it"},
        "neighbours": {"type": "array", "items": object("An entry", neighbour, &[]), "description":
            "The entries just before (place below 0) and after it in its session; only with neighbours"},
    });
    entry.extend(found.as_object().cloned().unwrap_or_default());
    let entry = Value::Object(entry);
    let context = json!({
        "contextId": text("Names the context"),
        "memoryId": text("The memory it belongs to"),
        "context": text("What the memory was about at that time"),
        "creationTime": nullable_instant("When that was"),
        "score": {"type": "number", "description": "How well it fits the question, within this search"},
    });
    object(
        "Always the same five fields, and nextCursor if pages are requested",
        json!({
            "entries": {"type": "array", "items": object("An entry", entry, &[]),
                "description": "The entries found, best first"},
            "count": {"type": "integer", "description": "How many entries there are"},
            "latestContext": text("What the memory is about now; empty if nobody said"),
            "latestContextTimestamp": nullable("string", "The time of the latest context, which lacks later entries"),
            "contexts": {"type": "array", "items": object("An older context", context, &[]),
                "description": "Older contexts that fit the question, best first"},
            "nextCursor": nullable("string", "The cursor for the next page; null after the last one; only with cursor"),
        }),
        &["entries", "count", "latestContext", "latestContextTimestamp", "contexts"],
    )
}

/// The response in words, for a format without an output schema.
fn fields_in_words(output: &Value) -> String {
    let none = Map::new();
    let words: Vec<String> = output["properties"]
        .as_object()
        .unwrap_or(&none)
        .iter()
        .map(|(name, field)| format!("{name}: {}", field["description"].as_str().unwrap_or_default()))
        .collect();
    format!("Response fields: {}.", words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::plan::Plan;
    use crate::request::search_request::SearchRequest;

    fn accepted(request: &Value) -> bool {
        SearchRequest::parse(&request.to_string()).and_then(|request| Plan::resolve(request, Bounds::default())).is_ok()
    }

    /// A request that holds `value` at `path` and nothing else beyond what is required.
    fn with(path: &[String], value: Value) -> Value {
        let nested = path.iter().rev().fold(value, |inner, key| json!({ key: inner }));
        let mut request = json!({"memoryId": "m", "query": "q"});
        for (key, value) in nested.as_object().unwrap() {
            request[key] = value.clone();
        }
        request
    }

    /// Calls `check` with every leaf of the request schema.
    fn leaves(schema: &Value, path: &mut Vec<String>, check: &mut impl FnMut(&[String], &Value)) {
        for (key, property) in schema["properties"].as_object().unwrap() {
            path.push(key.clone());
            if property["properties"].is_object() {
                leaves(property, path, check);
            } else {
                check(path, property);
            }
            path.pop();
        }
    }

    #[test]
    fn the_bounds_of_the_schema_are_accepted_and_anything_beyond_is_refused() {
        let mut checked = 0;
        leaves(&request_schema(Bounds::default()), &mut Vec::new(), &mut |path, leaf| {
            for (bound, step) in [("minimum", -1.0), ("maximum", 1.0)] {
                let Some(value) = leaf[bound].as_f64() else { continue };
                let is_integer = leaf["type"] == "integer";
                let as_json = |v: f64| if is_integer { json!(v as i64) } else { json!(v) };
                // Boosts must sum below 1 with the other boosts' defaults, and weights must not all be
                // 0: another rule closes those ends, so a value inside is tried.
                let inside = match path.iter().rev().nth(1).map(String::as_str) {
                    Some("boosts") if step > 0.0 => 0.84,
                    Some("weights") if step < 0.0 => 0.001,
                    _ => value,
                };
                assert!(accepted(&with(path, as_json(inside))), "{path:?} refuses its {bound} {inside}");
                assert!(!accepted(&with(path, as_json(value + step))), "{path:?} accepts beyond its {bound} {value}");
                checked += 2;
            }
        });
        assert!(checked >= 40, "only {checked} bounds were checked");
    }

    #[test]
    fn a_default_of_the_schema_is_what_holds_without_it() {
        let resolved = |request: Value| {
            Plan::resolve(SearchRequest::parse(&request.to_string()).unwrap(), Bounds::default()).unwrap()
        };
        let mut checked = 0;
        leaves(&request_schema(Bounds::default()), &mut Vec::new(), &mut |path, leaf| {
            let Some(default) = leaf.get("default") else { return };
            let without = resolved(json!({"memoryId": "m", "query": "q"}));
            assert_eq!(resolved(with(path, default.clone())), without, "{path:?}");
            checked += 1;
        });
        assert!(checked >= 5, "only {checked} defaults were checked");
    }

    #[test]
    fn every_option_that_is_for_a_model_is_described() {
        let schema = options_schema();
        let described: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        let mut all: Vec<&str> = OPTIONS
            .iter()
            .map(|option| option.key)
            .filter(|key| !["diagnostics", "rerank", "pinned", "newest"].contains(key))
            .collect();
        all.sort_unstable();
        assert_eq!(described, all);
    }

    #[test]
    fn every_word_of_the_schema_is_accepted_and_no_other() {
        let mut checked = 0;
        leaves(&request_schema(Bounds::default()), &mut Vec::new(), &mut |path, leaf| {
            for word in leaf["enum"].as_array().into_iter().flatten() {
                let mut request = with(path, word.clone());
                if path.last().is_some_and(|key| key == "tagMatch") {
                    request["filters"]["tags"] = json!(["a"]);
                }
                assert!(accepted(&request), "{path:?} refuses {word}");
                checked += 1;
            }
            if leaf["enum"].is_array() {
                assert!(!accepted(&with(path, json!("nonsense"))));
            }
        });
        assert!(checked >= 20, "only {checked} words were checked");
    }

    #[test]
    fn a_key_that_the_schema_does_not_have_is_refused() {
        for path in [vec!["x"], vec!["filters", "x"], vec!["options", "x"], vec!["options", "boosts", "x"]] {
            let path: Vec<String> = path.into_iter().map(str::to_owned).collect();
            assert!(!accepted(&with(&path, json!(1))), "{path:?}");
        }
    }

    #[test]
    fn a_raised_bound_shows_in_the_schema() {
        let schema = request_schema(Bounds { max_top_ke: 50, ..Bounds::default() });
        assert_eq!(schema["properties"]["top_ke"]["maximum"], 50);
    }

    #[test]
    fn the_strategies_of_an_answer_are_those_that_find_something() {
        let strategy = response_schema()["properties"]["entries"]["items"]["properties"]["strategy"].clone();
        assert_eq!(strategy["enum"], json!(["hybrid", "semantic", "keyword", "recent"]));
    }

    #[test]
    fn each_format_has_its_frame_and_a_misspelt_one_a_hint() {
        let spec = |form| serde_json::from_str::<Value>(&tool_spec(form, "full", Bounds::default()).unwrap()).unwrap();
        assert_eq!(spec("openai")["function"]["parameters"]["type"], "object");
        assert_eq!(spec("mcp")["inputSchema"]["required"], json!(["memoryId", "query"]));
        assert!(spec("json_schema")["$defs"]["response"]["properties"]["entries"].is_object());
        let refusal = |name, detail| tool_spec(name, detail, Bounds::default()).unwrap_err();
        assert_eq!(refusal("opnai", "short").hint.as_deref(), Some("Did you mean \"openai\"?"));
        assert_eq!(refusal("openai", "ful").hint.as_deref(), Some("Did you mean \"full\"?"));
        assert_eq!(refusal("openai", "1").hint.as_deref(), Some("Use one of short, full."));
    }
}
