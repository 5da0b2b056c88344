//! Tools as they are described to a model by default: the arguments that models use well, one line each. The rest of
//! the grammar is accepted too.

use serde_json::{Map, Value, json};

use crate::bounds_and_defaults::{DEFAULT_TOP_KE, MIN_TOP_KE};
use crate::filter::argument::COLUMNS;
use crate::output::json_schema::{instant, integer, open_object, text};
use crate::request::plan::Bounds;
use crate::request::search_request::Purpose;

/// The description of `memory_search`, for a model.
pub const SEARCH: &str = "Searches the long-term memory for what is relevant to a question. Returns the best \
entries first, and what the memory is about now. Entries can contradict each other: the newer one usually holds.";

/// The filters that models use well: the others are for applications, or need knowledge of the memory.
const FILTERS: [&str; 2] = ["tags", "sourceType"];

/// The arguments of `memory_search`, for a model.
pub fn search(bounds: Bounds) -> Value {
    let most = bounds.of_entries(Purpose::Answer);
    open_object(
        json!({
            "memoryId": text("The memory"),
            "query": text("The question in natural language, names and codes verbatim; empty for the newest entries"),
            "top_ke": integer("How many entries", MIN_TOP_KE, most, DEFAULT_TOP_KE.min(most)),
            "filters": filters(),
        }),
        &["memoryId", "query"],
    )
}

/// These filters, for searches and for lists.
pub fn filters() -> Value {
    let mut properties = Map::new();
    properties.insert("createdAfter".to_owned(), instant("Only entries from then on"));
    properties.insert("createdBefore".to_owned(), instant("Only entries until then"));
    for (name, _, description) in COLUMNS.iter().filter(|(name, ..)| FILTERS.contains(name)) {
        let description = description.split(';').next().unwrap_or_default();
        properties.insert(
            (*name).to_owned(),
            json!({"type": "array", "items": {"type": "string"}, "description": description}),
        );
    }
    open_object(Value::Object(properties), &[])
}

/// A tool's arguments in short: those of `kept`, with the few filters.
pub fn of(input: &Value, kept: &[&str]) -> Value {
    let none = Map::new();
    let all = input["properties"].as_object().unwrap_or(&none);
    let properties = all.iter().filter(|(name, _)| kept.contains(&name.as_str())).map(|(name, schema)| {
        let schema = if name == "filters" { filters() } else { schema.clone() };
        (name.clone(), schema)
    });
    let mut short = open_object(Value::Object(properties.collect()), &[]);
    if let Some(required) = input.get("required") {
        short["required"] = required.clone();
    }
    short
}
