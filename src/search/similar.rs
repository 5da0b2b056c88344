//! The visible entry of a memory that is nearest in meaning to a new text: `if_similar` asks whether the memory already
//! has such an entry.

use memory_search_core::Result;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::request::search_request::{Purpose, SearchRequest};
use memory_search_core::timestamp::{self, Micros};

use crate::search::pipeline;

/// Scores depend on meaning alone, because neither age nor use makes two texts alike.
const OPTIONS: &str = r#"{"strategy": "semantic", "candidates": 1, "fallback": false, "dedupThreshold": 1, "rerank": false,
  "boosts": {"recency": 0, "importance": 0, "popularity": 0, "author": 0, "date": 0, "length": 0}{validity}}"#;

/// The id of the entry whose embedding is nearest to a vector, if their cosine similarity is at least `threshold`.
///
/// For a new entry with an interval (`None` is an open end), only entries that hold in the same interval count; for one
/// without an interval, those that hold now.
pub fn nearest(
    store: &StoreName,
    memory_id: &MemoryId,
    vector: &[f32],
    interval: (Option<Micros>, Option<Micros>),
    threshold: f64,
) -> Result<Option<String>> {
    // A bound of the interval beyond the calendar counts as open.
    let bound = |instant: Option<Micros>| {
        let written = instant.map(timestamp::format).filter(|text| !text.ends_with("infinity"));
        written.map_or("null".to_owned(), |text| format!("\"{text}\""))
    };
    let validity = match interval {
        (None, None) => String::new(),
        (from, until) => format!(", \"validDuring\": [{}, {}]", bound(from), bound(until)),
    };
    let found = pipeline::search_entries(SearchRequest {
        purpose: Purpose::Rows,
        memories: (&**memory_id).into(),
        query: Some(String::new()),
        top_ke: Some(1),
        embedding: Some(vector.to_vec()),
        // A text that is like a part of a long one is another text.
        whole_texts: true,
        options: Some(OPTIONS.replace("{validity}", &validity)),
        store: Some(store.to_string()),
        ..SearchRequest::default()
    })?;
    let is_alike = |cosine: Option<f64>| cosine.is_some_and(|cosine| cosine >= threshold);
    Ok(found
        .into_iter()
        .find(|found| is_alike(found.ranked.candidate.signals.cosine))
        .map(|found| found.entry.entry_id))
}
