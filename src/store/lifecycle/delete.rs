//! Deletes entries and restores deleted ones: deleted entries are hidden at once and stay until purged.

use memory_search_core::Result;
use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::visibility;
use memory_search_core::ids::IdKind;
use memory_search_core::request::names::{MemoryId, StoreName};

use crate::pg::clock;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{self, Store, placement};
use crate::store::predicate::{Rows, at_present};
use crate::store::statements::row_locks::{Lock, LockedChange};

const LOCK: &str = include_str!("delete/lock.sql");
const LOCK_NAMED: &str = include_str!("delete/lock_named.sql");
/// The rows are named by an array, which is looked up in the index of the key: a join with those would take a loop over
/// them for each row that statistics say are few, such as the deleted ones of a memory that was deleted since.
const CHANGE: &str = include_str!("delete/change.sql");

/// The rows of a memory to change.
pub enum Which {
    /// These entries.
    Entries(Vec<String>),
    /// These contexts.
    Contexts(Vec<String>),
    /// The whole memory, with its contexts.
    WholeMemory,
}

/// The change of the rows.
#[derive(Clone, Copy)]
enum Change {
    Delete,
    Restore,
}

impl Change {
    fn function(self, which: &Which) -> &'static str {
        match (self, which) {
            (Change::Delete, Which::Contexts(_)) => "memory_delete_contexts",
            (Change::Delete, _) => "memory_delete",
            (Change::Restore, Which::Contexts(_)) => "memory_restore_contexts",
            (Change::Restore, _) => "memory_restore",
        }
    }

    /// The rows that the change applies to.
    fn those(self) -> Condition {
        match self {
            Change::Delete => visibility::not_deleted(at_present()),
            Change::Restore => visibility::deleted(at_present()),
        }
    }

    /// The time of deletion after the change: one for all rows, and a parameter, because Citus allows no volatile
    /// function in an UPDATE.
    fn time(self) -> Param {
        Param::Timestamp(match self {
            Change::Delete => Some(clock::now()),
            Change::Restore => None,
        })
    }
}

/// Marks entries or contexts, or a whole memory, as deleted; returns how many rows this hid. A context that came with
/// an entry is hidden with it, and not counted.
pub fn delete(store_name: &StoreName, memory_id: &MemoryId, which: Which) -> Result<u64> {
    apply(Change::Delete, store_name, memory_id, which)
}

/// Restores deleted rows that are not purged yet; returns how many were restored.
pub fn restore(store_name: &StoreName, memory_id: &MemoryId, which: Which) -> Result<u64> {
    apply(Change::Restore, store_name, memory_id, which)
}

fn apply(change: Change, store_name: &StoreName, memory_id: &MemoryId, which: Which) -> Result<u64> {
    let store = placement::to_change(&spi::read(|reader| definition::store(reader, store_name))?, memory_id)?;
    // The contexts of an adopted table are the store's own; its entries are not.
    if !matches!(which, Which::Contexts(_)) {
        store.require_own_entries(change.function(&which))?;
    }
    let (entries, contexts) = (Rows::entries(&store, "r"), Rows::contexts(&store, "r"));
    spi::write(|writer| match which {
        Which::Entries(ids) => {
            statement(change, &store, ("entries", "entry_id"), entries, memory_id, Some(ids)).execute(writer)
        }
        Which::Contexts(ids) => {
            statement(change, &store, ("contexts", "context_id"), contexts, memory_id, Some(ids)).execute(writer)
        }
        Which::WholeMemory => {
            let changed =
                statement(change, &store, ("entries", "entry_id"), entries, memory_id, None).execute(writer)?;
            // Contexts that came with an entry are hidden with it, and must come back with it alone. Their own mark, if
            // a caller hid them by memory_delete_contexts, goes when the whole memory is restored.
            let only = match change {
                Change::Delete => " AND r.entry_id IS NULL",
                Change::Restore => "",
            };
            let those = Those::Meeting(|_: &mut Statement| only.to_owned());
            let of_contexts = changing(change, &store, ("contexts", "context_id"), contexts, memory_id, those, "");
            Ok(changed + of_contexts.execute(writer)?)
        }
    })
}

/// The change that deletes entries of a memory and returns their ids: those entries `r` to which a condition, with the
/// AND before it, applies.
pub fn deletion(store: &Store, memory_id: &MemoryId, only: impl FnOnce(&mut Statement) -> String) -> LockedChange {
    let returning = "RETURNING r.entry_id::pg_catalog.text";
    let rows = Rows::entries(store, "r");
    changing(Change::Delete, store, ("entries", "entry_id"), rows, memory_id, Those::Meeting(only), returning)
}

fn statement(
    change: Change,
    store: &Store,
    names: (&str, &str),
    rows: Rows<'_>,
    memory_id: &MemoryId,
    ids: Option<Vec<String>>,
) -> LockedChange {
    let those = match ids {
        Some(ids) => Those::Named(ids),
        None => Those::Meeting(|_: &mut Statement| String::new()),
    };
    changing(change, store, names, rows, memory_id, those, "")
}

/// The rows of a memory to change.
enum Those<F: FnOnce(&mut Statement) -> String> {
    /// Rows with these keys.
    Named(Vec<String>),
    /// Rows `r` to which a condition, with the AND before it, applies.
    Meeting(F),
}

/// The change of rows that are first locked in the order of the key: so two sessions that change the same rows never
/// wait for each other in a circle.
fn changing<F: FnOnce(&mut Statement) -> String>(
    change: Change,
    store: &Store,
    (relation, key): (&str, &str),
    rows: Rows<'_>,
    memory_id: &MemoryId,
    those: Those<F>,
    returning: &str,
) -> LockedChange {
    let mut statement = Statement::default();
    store.where_it_lies(&mut statement);
    let memory = statement.bind(Param::text(store.canonical_memory_id(memory_id)));
    let name = store.relation(relation);
    let marks: [(&str, &str); 3] = [("{relation}", &name), ("{key}", key), ("{memory}", &memory)];
    let locked = match those {
        Those::Named(ids) => {
            // In the order of ids, independent of how each is written. The server refuses a text that is no id.
            let canonical = |id: String| IdKind::Uuid.value(&id).unwrap_or(id);
            let mut ids: Vec<String> = ids.into_iter().map(canonical).collect();
            ids.sort_unstable();
            ids.dedup();
            let ids = statement.bind(Param::Texts(ids));
            let conditions = rows.and(&mut statement, &change.those());
            let the_row = store.keyed("r", key, "wanted.id", "");
            let of_those = [("{ids}", &*ids), ("{the_row}", &the_row), ("{those}", &conditions)];
            filled(LOCK_NAMED, &[&marks[..], &of_those].concat())
        }
        Those::Meeting(only) => {
            let only = only(&mut statement);
            let conditions = rows.and(&mut statement, &change.those());
            filled(LOCK, &[&marks[..], &[("{those}", &conditions), ("{only}", &only)]].concat())
        }
    };
    let time = statement.bind(change.time());
    LockedChange::new(statement, &locked, Lock::NoKeyUpdate, |locked| {
        let of_change = [("{locked}", locked), ("{time}", &time), ("{returning}", returning)];
        filled(CHANGE, &[&marks[..], &of_change].concat())
    })
}
