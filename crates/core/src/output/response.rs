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
    /// What the search did; left out unless it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Diagnostics>,
}

/// What a search did.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostics {
    /// Each way that rows were read, in order.
    reads: Vec<ReadDiagnostics>,
    /// Milliseconds of each phase, and of all.
    phases_ms: serde_json::Map<String, serde_json::Value>,
}

/// One way that rows were read.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadDiagnostics {
    /// `entries` or `contexts`.
    pub relation: &'static str,
    /// `memory index`; `table`: a query over the rows; `newest`: the newest rows by an index.
    pub path: &'static str,
    /// Visible rows that were looked at.
    pub rows: u64,
    /// Those of them that hold a word of the query.
    pub matching: u64,
    /// Rows that the memory index asked the table about, by which exact distances are known; null where each row's
    /// was computed.
    pub distances: Option<u64>,
    /// Rows met whose embeddings are by another embedder than the query's, and were not compared; left out when there
    /// was none.
    #[serde(skip_serializing_if = "is_zero")]
    pub other_embedder: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Diagnostics {
    /// Of the ways rows were read, the phases, and the milliseconds of all.
    pub fn new(reads: &[ReadDiagnostics], phases: &[(&'static str, f64)], total_ms: f64) -> Self {
        let milliseconds = |ms: f64| serde_json::Value::from((ms * 1e3).round() / 1e3);
        let mut phases_ms: serde_json::Map<_, _> =
            phases.iter().map(|(name, ms)| ((*name).to_owned(), milliseconds(*ms))).collect();
        phases_ms.insert("total".to_owned(), milliseconds(total_ms));
        Diagnostics { reads: reads.to_vec(), phases_ms }
    }
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
    pub author: f64,
    pub date: f64,
    pub length: f64,
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
            diagnostics: None,
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
