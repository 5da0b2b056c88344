//! The fields of tokenizer.json, read one by one.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde_json::value::RawValue;

use crate::ModelError;

/// The fields of a JSON object, still as text.
pub(crate) type Fields<'a> = BTreeMap<String, &'a RawValue>;

/// The value of a field; `None` if it is missing or null.
pub(crate) fn field<'a, T: serde::Deserialize<'a>>(fields: &Fields<'a>, name: &str) -> Result<Option<T>, ModelError> {
    match fields.get(name) {
        None => Ok(None),
        Some(raw) => serde_json::from_str(raw.get()).map_err(|e| unusable(format!("\"{name}\": {e}"))),
    }
}

pub(crate) fn unusable(problem: impl Display) -> ModelError {
    ModelError::Tokenizer { problem: problem.to_string() }
}
