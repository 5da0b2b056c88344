//! How many of the entries that a search finds have each value.

use memory_search_core::Result;
use memory_search_core::entities::aliases::Aliases;
use memory_search_core::entities::facets::{Count, Counter, Facet, Values};
use memory_search_core::request::names::MemoryId;
use memory_search_core::request::search_request::SearchRequest;

use crate::pg::settings;
use crate::search::pipeline;
use crate::store::aliases;
use crate::store::reading::of_memory;

/// Counts the entries that a search of a memory finds.
pub fn of_found(
    request: SearchRequest,
    memory_id: &MemoryId,
    facets: &[(String, Facet)],
    most_values: usize,
) -> Result<Vec<Count>> {
    let store_name = settings::store_or(request.store.clone())?;
    let found = pipeline::search_entries(request)?;
    let aliases = match facets.iter().any(|(_, facet)| *facet == Facet::Entities) {
        true => of_memory(&store_name, memory_id, |reader, store| aliases::known(reader, store, memory_id))?,
        false => Aliases::default(),
    };
    let mut counter = Counter::new(facets, &aliases);
    for found in &found {
        let entry = &found.entry;
        let texts = |json: &str| serde_json::from_str::<Vec<Option<String>>>(json).unwrap_or_default();
        let tags = texts(entry.tags.get());
        let entities = entry.entities.as_ref().map(|names| texts(names.get())).unwrap_or_default();
        counter.add(&Values {
            tags: &tags,
            entities: &entities,
            user_id: entry.user_id.as_deref(),
            agent_id: entry.agent_id.as_deref(),
            session_id: entry.session_id.as_deref(),
            source_type: entry.source_type.as_deref(),
            importance: entry.importance,
            created: found.created,
            metadata: entry.metadata.get(),
        })?;
    }
    Ok(counter.finish(most_values))
}
