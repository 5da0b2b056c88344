//! The places where a session found the rows of entries by their ids, for the memories that it searched last: a hint.
//! The caller checks that the row at the place belongs to the entry, which takes a fraction of the time of a look-up by
//! its key.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::rc::Rc;

use lru::LruCache;

use crate::pg::key_index::HeldId;

/// The most memories with remembered places, and the most places for each: together 6 MB.
const MAX_MEMORIES: NonZeroUsize = NonZeroUsize::new(16).unwrap();
const MAX_PLACES: usize = 16_384;

/// A memory of a table, by the table's OID.
type Memory = (u32, String);

thread_local! {
    static KNOWN: RefCell<LruCache<Memory, Rc<Vec<HeldId>>>> = RefCell::new(LruCache::new(MAX_MEMORIES));
}

/// The known places of a memory, in the order of ids.
pub fn of(table: u32, memory_id: &str) -> Rc<Vec<HeldId>> {
    let memory = (table, memory_id.to_owned());
    KNOWN.with_borrow_mut(|known| known.get(&memory).cloned()).unwrap_or_default()
}

/// Remembers the places of found entries, in addition to the known places of others.
pub fn learn(table: u32, memory_id: &str, known: &[HeldId], mut found: Vec<HeldId>) {
    found.sort_unstable();
    if found.len() + known.len() <= MAX_PLACES && found.try_reserve_exact(known.len()).is_ok() {
        let new = found.len();
        for other in known {
            if found[..new].binary_search_by_key(&other.0, |(id, _)| *id).is_err() {
                found.push(*other);
            }
        }
        found.sort_unstable();
    }
    if found.len() <= MAX_PLACES {
        KNOWN.with_borrow_mut(|kept| kept.put((table, memory_id.to_owned()), Rc::new(found)));
    }
}
