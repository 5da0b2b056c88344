//! The response of a search: always the same five fields, serialised once.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};

/// Scores have six digits after the point: enough to tell entries apart, few enough to read.
const SCORE_SCALE: f64 = 1e6;

/// The document that `memory_search` returns.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResponse {
    /// By score, best first.
    pub entries: Vec<EntryResponse>,
    /// How many entries there are.
    pub count: usize,
    /// The newest context; empty when there is none.
    pub latest_context: String,
    /// When it was made; null when there is none.
    pub latest_context_timestamp: Option<String>,
    /// Older contexts, by relevance.
    pub contexts: Vec<ContextResponse>,
}

/// One entry of the response.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct EntryResponse {
    pub entry_id: String,
    pub memory_id: String,
    pub user_id: Option<String>,
    pub agent_id: Option<String>,
    pub summary: Option<String>,
    pub raw_entry: String,
    pub tags: Box<RawValue>,
    pub metadata: Box<RawValue>,
    pub source_type: Option<String>,
    /// Null where an adopted table has none.
    pub importance: Option<i64>,
    pub access_count: i64,
    /// Null where an adopted table has none.
    pub creation_time: Option<String>,
    /// The entry that corrects this one; left out of entries that stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    pub strategy: &'static str,
    pub score: f64,
    pub scores: ScoresResponse,
}

/// Where an entry's score comes from. A signal that the entry lacks is null.
#[derive(Debug, Serialize)]
#[allow(missing_docs)]
pub struct ScoresResponse {
    /// Cosine similarity.
    pub semantic: Option<f64>,
    /// BM25 divided by the best of this search.
    pub keyword: Option<f64>,
    pub relevance: f64,
    pub recency: f64,
    pub importance: f64,
    pub popularity: f64,
}

/// One relevant context of the response.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct ContextResponse {
    pub context_id: String,
    pub context: String,
    /// Null where an adopted table has none.
    pub creation_time: Option<String>,
    pub score: f64,
}

/// A score as a response shows it.
pub fn rounded(score: f64) -> f64 {
    (score * SCORE_SCALE).round() / SCORE_SCALE
}

/// JSON text from the database, to be spliced in verbatim.
pub fn verbatim(json: String) -> Result<Box<RawValue>> {
    RawValue::from_string(json)
        .map_err(|error| Error::new(ErrorKind::Corrupted, format!("stored JSON cannot be read: {error}")))
}

impl SearchResponse {
    /// The JSON text.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| {
            Error::new(ErrorKind::Corrupted, format!("the response cannot be written as JSON: {error}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_memory_answers_with_the_same_five_fields() {
        let empty = SearchResponse {
            entries: Vec::new(),
            count: 0,
            latest_context: String::new(),
            latest_context_timestamp: None,
            contexts: Vec::new(),
        };
        assert_eq!(
            empty.to_json().unwrap(),
            r#"{"entries":[],"count":0,"latestContext":"","latestContextTimestamp":null,"contexts":[]}"#
        );
    }

    #[test]
    fn stored_json_is_spliced_in_to_the_last_digit() {
        let raw = verbatim(r#"{"id": 123456789012345678901234567890}"#.to_owned()).unwrap();
        assert_eq!(serde_json::to_string(&raw).unwrap(), r#"{"id": 123456789012345678901234567890}"#);
    }
}
