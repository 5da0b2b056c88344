//! The aliases that extend conditions on a memory's entities.

use memory_search_core::Result;
use memory_search_core::bounds_and_defaults::MAX_RESPONSE_BYTES;
use memory_search_core::entities::aliases::Aliases;
use memory_search_core::filter::condition::Condition;
use memory_search_core::request::names::MemoryId;

use super::Store;
use super::tables_of_links::TablesOfLinks;
use crate::pg::datum::text;
use crate::pg::param::Param;
use crate::pg::settings;
use crate::pg::spi::{Reader, Statement};

/// The aliases of a memory; none if an older version made the store, without a table of them.
pub fn of_memory(reader: &Reader<'_>, store: &Store, memory_id: &MemoryId) -> Result<Aliases> {
    of_memory_in(reader, store, TablesOfLinks::find(reader, &store.schema)?, memory_id)
}

/// Reads the aliases where it is known which tables a store has.
pub fn of_memory_in(
    reader: &Reader<'_>,
    store: &Store,
    tables: TablesOfLinks,
    memory_id: &MemoryId,
) -> Result<Aliases> {
    if tables.aliases.is_none() {
        return Ok(Aliases::default());
    }
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(store.canonical_memory_id(memory_id)));
    let statement = statement.with(format!(
        "SELECT a.alias, a.entity FROM {} a WHERE a.memory_id OPERATOR(pg_catalog.=) {memory}",
        store.relation("aliases")
    ));
    let (mut pairs, mut bytes) = (Vec::new(), 0);
    let mut read = || {
        reader.scan(&statement, |row| {
            let (alias, entity) = (row.required_text(1)?, row.required_text(2)?);
            bytes += alias.len() + entity.len();
            if bytes > MAX_RESPONSE_BYTES {
                return Err(text::too_much(bytes));
            }
            pairs.push((alias, entity));
            Ok(())
        })
    };
    // A plan for any memory would lock every partition.
    match store.is_partitioned || store.tables_by_memory.is_some() {
        true => settings::with(c"plan_cache_mode", c"force_custom_plan", &mut read)?,
        false => read()?,
    }
    Ok(Aliases::of(pairs))
}

/// A condition on entities, extended by all names that they have in a memory.
pub fn applied(reader: &Reader<'_>, store: &Store, memory_id: &MemoryId, condition: Condition) -> Result<Condition> {
    match condition.asks_for_entities() {
        true => Ok(of_memory(reader, store, memory_id)?.applied(&condition)),
        false => Ok(condition),
    }
}
