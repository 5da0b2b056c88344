//! The memories of a search, each once, in the order of their ids to the byte: a list in any order, and with repetitions,
//! is the same search.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use memory_search_core::error::shown;
use memory_search_core::filter::condition::When;
use memory_search_core::filter::visibility;
use memory_search_core::limits;
use memory_search_core::request::arguments;
use memory_search_core::request::names::MemoryId;
use memory_search_core::request::plan::Plan;
use memory_search_core::request::searched_memories::{SearchedMemories, check_count};
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::notice;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::search::scopes::Scopes;
use crate::store::definition::Store;
use crate::store::predicate::{Rows, at_present};

const HOPS: &str = include_str!("memories/hops.sql");
const DISTINCT: &str = include_str!("memories/distinct.sql");

/// Those that a plan is over.
pub fn of_plan(reader: &Reader<'_>, store: &Store, plan: &Plan) -> Result<Vec<MemoryId>> {
    let (ids, prefixes) = match &plan.memories {
        SearchedMemories::One(memory_id) => return Ok(vec![memory_id.clone()]),
        SearchedMemories::Several { ids, prefixes } => (ids, prefixes),
    };
    let mut memories: BTreeMap<String, MemoryId> = BTreeMap::new();
    for memory_id in ids {
        match memories.entry(store.canonical_memory_id(memory_id)) {
            // A uuid may be typed in several ways: which of them an answer shows must not depend on their order.
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
    for prefix in prefixes {
        for relation in ["entries", "contexts"] {
            for id in beginning_with(reader, store, relation, prefix, plan)? {
                if !memories.contains_key(&id) {
                    memories.insert(id.clone(), arguments::memory_id(Some(id))?);
                }
            }
            check_count(memories.len())?;
        }
    }
    Ok(memories.into_values().collect())
}

/// Warns, once a session, where nothing was found because a list of ids came as a text: it names one memory, which
/// nobody has.
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
    let message = format!("the text \"{}\" is the id of one memory, of which there are no entries", shown(memory_id));
    notice::warn(&Error::new(ErrorKind::WrongType, message).hint(
        "To search several memories give an array, ARRAY['a', 'b'] or '{a,b}'::text[], and in a JSON request a list.",
    ));
    Ok(())
}

thread_local! {
    static HAS_WARNED: Cell<bool> = const { Cell::new(false) };
}

/// The ids of the memories that the caller sees rows of that are not deleted, and whose ids begin with a prefix, to the
/// byte; one more than a search may be over says that there are too many.
fn beginning_with(
    reader: &Reader<'_>,
    store: &Store,
    relation: &str,
    prefix: &str,
    plan: &Plan,
) -> Result<Vec<String>> {
    let mut statement = Statement::default();
    let rows = if relation == "entries" { Rows::entries(store, "r") } else { Rows::contexts(store, "r") };
    let when = plan.as_of.map_or_else(at_present, When::AsOf);
    let live = rows.and(&mut statement, &visibility::not_deleted(when));
    let values = [
        ("{relation}", &*store.relation(relation).to_string()),
        ("{live}", &*live),
        ("{prefix}", &*statement.bind(Param::text(prefix))),
        ("{most}", &*statement.bind(Param::Integer(Some(limits::MAX_SEARCHED_MEMORIES as i64 + 1)))),
    ];
    // An adopted table need not have an index in the order of its memories' ids, and rows that lie in several tables
    // have none.
    let has_order = !store.is_partitioned && (relation == "contexts" || !store.is_adopted());
    let statement = statement.with(filled(if has_order { HOPS } else { DISTINCT }, &values));
    let mut found = Vec::new();
    let mut read = || {
        reader.scan(&statement, |row| {
            found.push(row.required_text(1)?);
            Ok(())
        })
    };
    if has_order {
        store.in_index_order(read)?
    } else {
        read()?
    }
    Ok(found)
}
