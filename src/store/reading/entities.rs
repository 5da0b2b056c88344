//! The entities of a memory, and counts of its entries by their values.

use memory_search_core::Result;
use memory_search_core::entities::aliases::Aliases;
use memory_search_core::entities::facets::{Count, Counter, Facet, Values};
use memory_search_core::entities::occurrences::{Entity, Occurrences};
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::request::shown_entries::ShownEntries;

use super::{condition_of, of_memory};
use crate::pg::clock;
use crate::pg::interrupt;
use crate::pg::spi::Statement;
use crate::store::definition::known_aliases;
use crate::store::predicate::Rows;

/// The entities that the visible entries of a memory name, the most frequent first.
pub fn entities(
    store_name: &StoreName,
    memory_id: &MemoryId,
    prefix: Option<&str>,
    most: usize,
    shown: &ShownEntries,
) -> Result<Vec<Entity>> {
    of_memory(store_name, memory_id, |reader, store| {
        let aliases = known_aliases::of_memory(reader, store, memory_id)?;
        let mut statement = Statement::default();
        let rows = Rows::entries(store, "e").of_memory(memory_id);
        let of_memory = store.of_memory(&mut statement, "e", memory_id);
        let visible = rows.and(&mut statement, &shown.condition(shown.when(clock::transaction_start())));
        let statement = statement.with(format!(
            "SELECT e.creation_time::pg_catalog.timestamptz, e.entities::pg_catalog.text[] FROM {} e WHERE {of_memory}{visible} \
             AND e.entry_id IS NOT NULL AND pg_catalog.cardinality(e.entities) OPERATOR(pg_catalog.>) 0",
            store.relation("entries")
        ));
        let mut occurrences = Occurrences::new(&aliases);
        reader.scan(&statement, |row| {
            interrupt::check();
            occurrences.add(row.timestamp(1), &row.texts(2))
        })?;
        occurrences.most_frequent(prefix, most)
    })
}

/// The aliases of a memory.
pub fn aliases(store_name: &StoreName, memory_id: &MemoryId) -> Result<Aliases> {
    of_memory(store_name, memory_id, |reader, store| known_aliases::of_memory(reader, store, memory_id))
}

/// For each value, the number of visible entries that have it and pass the filters.
pub fn facets(
    store_name: &StoreName,
    memory_id: &MemoryId,
    facets: &[(String, Facet)],
    filters: Option<&str>,
    most_values: usize,
) -> Result<Vec<Count>> {
    let filters = condition_of(filters)?;
    let shown = ShownEntries::default();
    of_memory(store_name, memory_id, |reader, store| {
        store.require_keys_for(&filters)?;
        let aliases = known_aliases::of_memory(reader, store, memory_id)?;
        let filters = aliases.applied(&filters);
        let mut statement = Statement::default();
        let rows = Rows::entries(store, "e").of_memory(memory_id);
        let of_memory = store.of_memory(&mut statement, "e", memory_id);
        let visible = rows.and(&mut statement, &shown.condition(shown.when(clock::transaction_start())));
        let filters = rows.and(&mut statement, &filters);
        let is_asked = |wanted: &dyn Fn(&Facet) -> bool| facets.iter().any(|(_, facet)| wanted(facet));
        let list = |name: &str, is_asked| match is_asked {
            true => format!("e.{name}::pg_catalog.text[]"),
            false => "NULL::pg_catalog.text[]".to_owned(),
        };
        let metadata = match is_asked(&|facet| matches!(facet, Facet::Metadata(_))) {
            true => "pg_catalog.to_jsonb(e.metadata)::pg_catalog.text",
            false => "NULL::pg_catalog.text",
        };
        let statement = statement.with(format!(
            "SELECT {}, {}, e.user_id::pg_catalog.text, e.agent_id::pg_catalog.text, e.session_id::pg_catalog.text, \
                    e.source_type::pg_catalog.text, e.importance::pg_catalog.int8, \
                    e.creation_time::pg_catalog.timestamptz, {metadata} \
             FROM {} e WHERE {of_memory}{visible}{filters} AND e.entry_id IS NOT NULL",
            list("tags", is_asked(&|facet| *facet == Facet::Tags)),
            list("entities", is_asked(&|facet| *facet == Facet::Entities)),
            store.relation("entries")
        ));
        let mut counter = Counter::new(facets, &aliases);
        reader.scan(&statement, |row| {
            interrupt::check();
            let as_given = |texts: Vec<String>| texts.into_iter().map(Some).collect::<Vec<_>>();
            let (tags, entities) = (as_given(row.texts(1)), as_given(row.texts(2)));
            let [user_id, agent_id, session_id, source_type] = [row.text(3)?, row.text(4)?, row.text(5)?, row.text(6)?];
            counter.add(&Values {
                tags: &tags,
                entities: &entities,
                user_id: user_id.as_deref(),
                agent_id: agent_id.as_deref(),
                session_id: session_id.as_deref(),
                source_type: source_type.as_deref(),
                importance: row.integer(7),
                created: row.timestamp(8),
                metadata: row.text(9)?.as_deref().unwrap_or_default(),
            })
        })?;
        Ok(counter.finish(most_values))
    })
}
