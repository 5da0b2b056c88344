//! Counts of the entries that a search finds, by their values.

use memory_search_core::Result;
use memory_search_core::entities::aliases::Aliases;
use memory_search_core::entities::facets::{Count, Counter, Facet, Values};
use memory_search_core::request::search_request::SearchRequest;

use crate::search::pipeline;

/// Counts the entries that a search finds; entities are combined by these aliases.
pub fn of_found(
    request: SearchRequest,
    aliases: &Aliases,
    facets: &[(String, Facet)],
    most_values: usize,
) -> Result<Vec<Count>> {
    let found = pipeline::search_entries(request)?;
    let mut counter = Counter::new(facets, aliases);
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
