//! Whether a memory holds much the same already: its visible entry nearest in meaning.

use memory_search_core::Result;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::request::search_request::{Purpose, SearchRequest};

use crate::search::pipeline;

/// By meaning alone: neither age nor use makes two texts alike.
const OPTIONS: &str = r#"{"strategy": "semantic", "fallback": false, "dedupThreshold": 1, "rerank": false,
  "boosts": {"recency": 0, "importance": 0, "popularity": 0, "author": 0, "date": 0, "length": 0}}"#;

/// The id of the entry whose embedding is nearest to a vector, where their cosine similarity is at least `threshold`.
pub fn nearest(store: &StoreName, memory_id: &MemoryId, vector: &[f32], threshold: f64) -> Result<Option<String>> {
    let found = pipeline::search_entries(SearchRequest {
        purpose: Purpose::Rows,
        memories: (&**memory_id).into(),
        query: Some(String::new()),
        top_ke: Some(1),
        embedding: Some(vector.to_vec()),
        options: Some(OPTIONS.to_owned()),
        store: Some(store.to_string()),
        ..SearchRequest::default()
    })?;
    let is_alike = |cosine: Option<f64>| cosine.is_some_and(|cosine| cosine >= threshold);
    Ok(found
        .into_iter()
        .find(|found| is_alike(found.ranked.candidate.signals.cosine))
        .map(|found| found.entry.entry_id))
}
