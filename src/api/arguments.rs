//! Conversions of SQL arguments that several functions have.

use memory_search_core::Result;
use memory_search_core::filter::validity;
use memory_search_core::request::arguments::{self, both_expiries};
use memory_search_core::request::detail::Detail;
use memory_search_core::request::search_request::{Purpose, SearchRequest};
use memory_search_core::request::searched_memories::AskedMemories;
use memory_search_core::timestamp::Micros;
use pgrx::datum::{Interval, TimestampWithTimeZone};
use pgrx::pg_sys;

use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::id_array::IdArray;
use crate::pg::datum::json::JsonbText;
use crate::pg::datum::text_array::{TextArray, without_nulls};
use crate::pg::epoch::from_postgres;

/// The arguments of a searching function as a request.
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
        newest_without_query: false,
        whole_texts: false,
        filters: filters.map(|JsonbText(text)| text),
        options: options.map(|JsonbText(text)| text),
        store,
        detail: Detail::Full,
    }
}

/// The arguments that name several memories. A null among them is refused: a search that passed over it would be over
/// fewer memories than its caller counted.
pub fn several(memory_ids: Option<IdArray>, prefixes: Option<Vec<Option<String>>>) -> Result<AskedMemories> {
    Ok(AskedMemories::Several {
        ids: memory_ids.map(|ids| ids.list("memory_ids")).transpose()?,
        prefixes: without_nulls("prefixes", prefixes.unwrap_or_default())?,
    })
}

/// The names of entities that an entry is about.
pub fn entity_names(entities: Option<TextArray>) -> Result<Option<Vec<String>>> {
    entities.map(|names| arguments::entities("entities", names.list("entities")?)).transpose()
}

/// The interval in which an entry or a link holds; refuses one that contains no time.
pub fn interval(
    valid_from: Option<TimestampWithTimeZone>,
    valid_until: Option<TimestampWithTimeZone>,
) -> Result<(Option<Micros>, Option<Micros>)> {
    let time = |time: Option<TimestampWithTimeZone>| time.map(|time| from_postgres(pg_sys::TimestampTz::from(time)));
    validity::interval(("valid_from", time(valid_from)), ("valid_until", time(valid_until)))
}

/// The argument `ttl` as text, from which PostgreSQL reads the same interval. Refused beside `expires_at`.
pub fn time_to_live(ttl: Option<Interval>, has_expiry: bool) -> Result<Option<String>> {
    if ttl.is_some() && has_expiry {
        return Err(both_expiries("ttl", "expires_at"));
    }
    Ok(ttl.map(|ttl| format!("{} months {} days {} microseconds", ttl.months(), ttl.days(), ttl.micros())))
}
