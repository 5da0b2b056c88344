//! Stores with the partitions that hold a memory, kept per session for each set of partitions: which columns these have,
//! and which of their indexes is part of the memory index, takes longer to look up than a small memory to search. The
//! server tells when a catalog row changes that this was read from; then it is looked up again.

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::rc::Rc;

use lru::LruCache;

use super::Store;

/// Sets of partitions kept in a session, about a kilobyte each; of more than these the one that was not used for longest
/// goes.
const MAX_PLACEMENTS: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// A store whose memories lie in certain partitions.
struct Placement {
    /// The store as its definition was: a later definition is another one.
    definition: Rc<Store>,
    /// It with these partitions.
    placed: Rc<Store>,
    /// Whether a snapshot had these partitions: those that are taken later have them too.
    was_seen: bool,
}

thread_local! {
    static PLACEMENTS: RefCell<LruCache<[u32; 3], Placement>> = RefCell::new(LruCache::new(MAX_PLACEMENTS));
    /// Changes with every invalidation, so that a placement that became stale while it was looked up is not kept.
    static GENERATION: Cell<u64> = const { Cell::new(0) };
}

/// A store with partitions (their OIDs) as it is kept, or as `place` makes it. The caller holds locks on them, and heard
/// of what was committed before it had them.
pub fn get_or_place(
    store: &Rc<Store>,
    partitions: [u32; 3],
    place: impl FnOnce() -> Option<Store>,
) -> Option<Rc<Store>> {
    let kept = PLACEMENTS.with_borrow_mut(|placements| {
        let kept = placements.get(&partitions).filter(|kept| Rc::ptr_eq(&kept.definition, store))?;
        Some(Rc::clone(&kept.placed))
    });
    if kept.is_some() {
        return kept;
    }
    let before = GENERATION.get();
    let placed = Rc::new(place()?);
    if GENERATION.get() == before {
        let placement = Placement { definition: Rc::clone(store), placed: Rc::clone(&placed), was_seen: false };
        PLACEMENTS.with_borrow_mut(|placements| placements.push(partitions, placement));
    }
    Some(placed)
}

/// Whether a snapshot was found to have the partitions that are kept.
pub fn was_seen(partitions: [u32; 3]) -> bool {
    PLACEMENTS.with_borrow(|placements| placements.peek(&partitions).is_some_and(|kept| kept.was_seen))
}

/// Notes that a snapshot has them.
pub fn note_seen(partitions: [u32; 3]) {
    PLACEMENTS.with_borrow_mut(|placements| {
        if let Some(kept) = placements.peek_mut(&partitions) {
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
            let stale: Vec<[u32; 3]> = placements
                .iter()
                .filter(|(partitions, placement)| {
                    let (store, placed) = (&placement.definition, placement.placed.partition);
                    let indexes = [&store.memory_index, &store.contexts_index].map(|index| Some(index.as_ref()?.oid));
                    let parts = placed.map_or([None; 2], |placed| [placed.memory_index, placed.contexts_index]);
                    relation == 0
                        || partitions.contains(&relation)
                        || indexes.contains(&Some(relation))
                        || parts.contains(&Some(relation))
                })
                .map(|(partitions, _)| *partitions)
                .collect();
            for partitions in stale {
                placements.pop(&partitions);
            }
        }
    });
}
