//! Parts of the JSON schemas of tools.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

/// An object that has no other keys.
pub(super) fn object(description: &str, properties: Value, required: &[&str]) -> Value {
    let mut schema =
        json!({"type": "object", "description": description, "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// A number of a range.
pub(super) fn number(description: &str, range: &RangeInclusive<f64>) -> Value {
    json!({"type": "number", "minimum": range.start(), "maximum": range.end(), "description": description})
}

/// A whole number of a range, with the default.
pub(super) fn integer(description: &str, least: i64, most: i64, default: i64) -> Value {
    json!({"type": "integer", "minimum": least, "maximum": most, "default": default, "description": description})
}

/// A text.
pub(super) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// A time of RFC 3339.
pub(super) fn instant(description: &str) -> Value {
    json!({"type": "string", "format": "date-time", "description": description})
}

/// An object with some of its keys described: it may have others.
pub(super) fn open_object(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}
