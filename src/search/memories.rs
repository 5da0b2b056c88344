//! The memories of a search, each once, in the bytewise order of their ids: a list in another order, or with
//! repetitions, is the same search.

mod by_prefix;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use memory_search_core::error::shown;
use memory_search_core::filter::condition::When;
use memory_search_core::request::arguments;
use memory_search_core::request::names::MemoryId;
use memory_search_core::request::plan::Plan;
use memory_search_core::request::prefix_set::PrefixSet;
use memory_search_core::request::searched_memories::{SearchedMemories, check_count};
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::notice;
use crate::pg::spi::{Reader, Statement};
use crate::search::scopes::Scopes;
use crate::store::definition::Store;
use crate::store::predicate::at_present;

use by_prefix::ByPrefix;

/// The memories of a plan.
pub fn of_plan(reader: &Reader<'_>, store: &Store, plan: &Plan) -> Result<Vec<MemoryId>> {
    let (ids, prefixes) = match &plan.memories {
        SearchedMemories::One(memory_id) => return Ok(vec![memory_id.clone()]),
        SearchedMemories::Several { ids, prefixes } => (ids, prefixes),
    };
    let mut memories: BTreeMap<String, MemoryId> = BTreeMap::new();
    for memory_id in ids {
        match memories.entry(store.canonical_memory_id(memory_id)) {
            // A uuid may be typed in several ways: the notation in an answer must not depend on their order.
            Entry::Occupied(mut known) => {
                if **memory_id < **known.get() {
                    known.insert(memory_id.clone());
                }
            }
            Entry::Vacant(new) => {
                new.insert(memory_id.clone());
            }
        }
        check_count(memories.len())?;
    }
    if store.is_distributed && !prefixes.is_empty() {
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!("prefixes cannot be searched in store {}: its memories lie in shards", store.schema),
        )
        .hint("Name the memories: memory_list_memories() lists them."));
    }
    if !prefixes.is_empty() {
        let prefixes = PrefixSet::new(prefixes.clone());
        let when = plan.as_of.map_or_else(at_present, When::AsOf);
        for relation in ["entries", "contexts"] {
            ByPrefix { reader, store, relation, when }.each(&prefixes, &mut |id| {
                // Rows of an adopted table may have an id that no call can name: '', or one that is too long.
                if !memories.contains_key(&id)
                    && let Ok(named) = arguments::memory_id(Some(id.clone()))
                {
                    memories.insert(id, named);
                }
                check_count(memories.len())
            })?;
        }
    }
    Ok(memories.into_values().collect())
}

/// Warns, once in a session, if nothing was found because a list of ids was given as a text: it names one memory, which
/// does not exist.
pub fn warn_of_list_in_text(reader: &Reader<'_>, scopes: &Scopes<'_>) -> Result<()> {
    let SearchedMemories::One(memory_id) = &scopes.plan.memories else { return Ok(()) };
    if !(memory_id.starts_with('{') && memory_id.ends_with('}')) || HAS_WARNED.get() {
        return Ok(());
    }
    for scope in &scopes.memories {
        let mut statement = Statement::default();
        let of_memory = scope.of_memory(&mut statement, "e");
        let statement =
            statement.with(format!("SELECT true FROM {} e WHERE {of_memory} LIMIT 1", scope.store.relation("entries")));
        if reader.first(&statement, |_| Ok(()))?.is_some() {
            return Ok(());
        }
    }
    HAS_WARNED.set(true);
    let message = format!("memory_id \"{}\" names one memory, which has no entries", shown(memory_id));
    notice::warn(&Error::new(ErrorKind::WrongType, message).hint(
        "To search several memories give an array, ARRAY['a', 'b'] or '{a,b}'::text[], and in a JSON request a list.",
    ));
    Ok(())
}

thread_local! {
    static HAS_WARNED: Cell<bool> = const { Cell::new(false) };
}
