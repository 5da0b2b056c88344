//! Stores with the partitions or shards that hold a memory, kept per session for each set of them. It takes longer to
//! look up their columns, and which of their indexes belongs to the memory index, than to search a small memory. The
//! server reports changes of the catalog rows that this was read from; then it is looked up again.

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::rc::Rc;

use lru::LruCache;
use memory_search_core::Result;

use super::Store;

/// Sets of partitions kept in a session, about a kilobyte each; beyond this number the least recently used one is
/// dropped.
const MAX_PLACEMENTS: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// The partitions, or the shard, that several memories share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// The OIDs of their partitions of entries, contexts and entry_access.
    Partitions([u32; 3]),
    /// The OID of the distributed table of entries, and the number of the shard.
    #[allow(missing_docs)]
    Shard { table: u32, shard: i64 },
}

/// A store whose memories are in certain partitions or shards.
struct Placement {
    /// The store's definition at that time: after a new definition this placement is not valid.
    definition: Rc<Store>,
    /// The store with these partitions or shards; `None` if they must not be read in place of its tables.
    placed: Option<Rc<Store>>,
    /// The transactions that attached the partitions, once a snapshot has seen these; 0 for one that every snapshot has.
    attached_by: Option<[u32; 3]>,
}

thread_local! {
    static PLACEMENTS: RefCell<LruCache<Key, Placement>> = RefCell::new(LruCache::new(MAX_PLACEMENTS));
    /// Changes with every invalidation, so that a placement that became stale during its look-up is not kept.
    static GENERATION: Cell<u64> = const { Cell::new(0) };
}

/// A store with the relations of a key, from the cache or from `place`. The caller holds locks on partitions, and has
/// processed the invalidations of everything that was committed before it got them.
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
        let placement = Placement { definition: Rc::clone(store), placed: placed.clone(), attached_by: None };
        PLACEMENTS.with_borrow_mut(|placements| placements.push(key, placement));
    }
    Ok(placed)
}

/// Whether no invalidation has affected a placement since it was returned.
pub fn is_kept(key: Key, given: &Option<Rc<Store>>) -> bool {
    PLACEMENTS.with_borrow(|placements| {
        placements.peek(&key).is_some_and(|kept| match (&kept.placed, given) {
            (Some(kept), Some(given)) => Rc::ptr_eq(kept, given),
            (None, None) => true,
            _ => false,
        })
    })
}

/// The transactions that attached the partitions of a kept placement, if a snapshot has seen these.
pub fn attached_by(key: Key) -> Option<[u32; 3]> {
    PLACEMENTS.with_borrow(|placements| placements.peek(&key)?.attached_by)
}

/// Notes that a snapshot sees the partitions, and which transactions attached them.
pub fn note_attached_by(key: Key, transactions: [u32; 3]) {
    PLACEMENTS.with_borrow_mut(|placements| {
        if let Some(kept) = placements.peek_mut(&key) {
            kept.attached_by = Some(transactions);
        }
    });
}

/// Drops the placements that a change of a relation affects; 0 means any relation.
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
