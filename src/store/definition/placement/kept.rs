//! Stores with the partitions or shards that hold a memory, kept per session for each set of them: which columns these
//! have, and which of their indexes is part of the memory index, takes longer to look up than a small memory to search.
//! The server tells when a catalog row changes that this was read from; then it is looked up again.

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::rc::Rc;

use lru::LruCache;
use memory_search_core::Result;

use super::Store;

/// Sets of partitions kept in a session, about a kilobyte each; of more than these the one that was not used for longest
/// goes.
const MAX_PLACEMENTS: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// The partitions, or the shard, that several memories share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// The OIDs of their partitions of entries, contexts and entry_access.
    Partitions([u32; 3]),
    /// The OID of the distributed table of entries, and the number of its shard.
    #[allow(missing_docs)]
    Shard { table: u32, shard: i64 },
}

/// A store whose memories lie in certain partitions or shards.
struct Placement {
    /// The store as its definition was: a later definition is another one.
    definition: Rc<Store>,
    /// It with these; `None` where they are not to be read in the place of its tables.
    placed: Option<Rc<Store>>,
    /// Whether a snapshot had these: those that are taken later have them too.
    was_seen: bool,
}

thread_local! {
    static PLACEMENTS: RefCell<LruCache<Key, Placement>> = RefCell::new(LruCache::new(MAX_PLACEMENTS));
    /// Changes with every invalidation, so that a placement that became stale while it was looked up is not kept.
    static GENERATION: Cell<u64> = const { Cell::new(0) };
}

/// A store with what a key stands for as it is kept, or as `place` makes it. Whoever asks holds locks on partitions, and
/// heard of what was committed before it had them.
pub fn get_or_place(
    store: &Rc<Store>,
    key: Key,
    place: impl FnOnce() -> Result<Option<Store>>,
) -> Result<Option<Rc<Store>>> {
    let kept = PLACEMENTS.with_borrow_mut(|placements| {
        let kept = placements.get(&key).filter(|kept| Rc::ptr_eq(&kept.definition, store))?;
        Some(kept.placed.clone())
    });
    if let Some(kept) = kept {
        return Ok(kept);
    }
    let before = GENERATION.get();
    let placed = place()?.map(Rc::new);
    if GENERATION.get() == before {
        let placement = Placement { definition: Rc::clone(store), placed: placed.clone(), was_seen: false };
        PLACEMENTS.with_borrow_mut(|placements| placements.push(key, placement));
    }
    Ok(placed)
}

/// Whether nothing was heard that concerns a placement since it was given.
pub fn is_kept(key: Key, given: &Option<Rc<Store>>) -> bool {
    PLACEMENTS.with_borrow(|placements| {
        placements.peek(&key).is_some_and(|kept| match (&kept.placed, given) {
            (Some(kept), Some(given)) => Rc::ptr_eq(kept, given),
            (None, None) => true,
            _ => false,
        })
    })
}

/// Whether a snapshot was found to have what is kept.
pub fn was_seen(key: Key) -> bool {
    PLACEMENTS.with_borrow(|placements| placements.peek(&key).is_some_and(|kept| kept.was_seen))
}

/// Notes that a snapshot has it.
pub fn note_seen(key: Key) {
    PLACEMENTS.with_borrow_mut(|placements| {
        if let Some(kept) = placements.peek_mut(&key) {
            kept.was_seen = true;
        }
    });
}

/// Drops what a change of a relation concerns; 0 is any.
pub fn hear(relation: u32) {
    GENERATION.set(GENERATION.get().wrapping_add(1));
    // No borrow is held while the server runs, so this never fails.
    PLACEMENTS.with(|placements| {
        if let Ok(mut placements) = placements.try_borrow_mut() {
            let stale: Vec<Key> = placements
                .iter()
                .filter(|(_, placement)| relation == 0 || placement.was_read_from(relation))
                .map(|(key, _)| *key)
                .collect();
            for key in stale {
                placements.pop(&key);
            }
        }
    });
}

impl Placement {
    fn was_read_from(&self, relation: u32) -> bool {
        let store = &self.definition;
        let tables = [store.read_from.entries, store.read_from.contexts, store.read_from.entry_access];
        let indexes = [&store.memory_index, &store.contexts_index].map(|index| Some(index.as_ref()?.oid));
        let partition = self.placed.as_ref().and_then(|placed| placed.partition);
        let parts = partition.map_or([None; 2], |placed| [placed.memory_index, placed.contexts_index]);
        (store.is_distributed && tables.contains(&relation))
            || partition.is_some_and(|placed| placed.parts.iter().any(|part| part.partition == relation))
            || indexes.contains(&Some(relation))
            || parts.contains(&Some(relation))
    }
}
