//! The arguments that all searching functions share.

use memory_search_core::request::search_request::{Purpose, SearchRequest};
use memory_search_core::request::searched_memories::AskedMemories;

use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::id_array::IdArray;
use crate::pg::datum::json::JsonbText;

/// SQL arguments as a request.
#[allow(clippy::too_many_arguments)]
pub fn request(
    memories: AskedMemories,
    query: Option<String>,
    top_ke: Option<i32>,
    top_kc: Option<i32>,
    embedding: Option<MemoryEmbedding>,
    filters: Option<JsonbText>,
    options: Option<JsonbText>,
    store: Option<String>,
) -> SearchRequest {
    SearchRequest {
        purpose: Purpose::Answer,
        memories,
        query,
        top_ke: top_ke.map(i64::from),
        top_ke_name: None,
        top_kc: top_kc.map(i64::from),
        embedding: embedding.map(|MemoryEmbedding(vector)| vector),
        filters: filters.map(|JsonbText(text)| text),
        options: options.map(|JsonbText(text)| text),
        store,
    }
}

/// The arguments that name several memories.
pub fn several(memory_ids: Option<IdArray>, prefixes: Option<Vec<Option<String>>>) -> AskedMemories {
    AskedMemories::Several {
        ids: memory_ids.map(|IdArray(ids)| ids),
        prefixes: prefixes.unwrap_or_default().into_iter().flatten().collect(),
    }
}
