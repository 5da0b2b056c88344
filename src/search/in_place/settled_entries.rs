//! Entries that a session knows to belong to documents which the memory index calls present: as long as it calls all of
//! these present, the entries need not be tested.
//!
//! A document of a segment always belongs to one version of a row, or to the versions that follow it at its place
//! (HOT), and all of these have the same key: a change of the key gives the row another place, and a new document. So
//! if it is once known that an entry's row has one of some documents, it is known whenever the snapshot sees these, and
//! the index says when they count. Documents of the tail have no lasting name: their entries are never settled.

use std::cell::RefCell;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::rc::Rc;

use lru::LruCache;
use memory_search_core::place::Place;

use crate::pg::key_index::HeldId;
use crate::search::present_documents::PresentDocuments;

/// The most memories that are remembered, and the most entries and documents of each: together 10 MB.
const MAX_MEMORIES: NonZeroUsize = NonZeroUsize::new(16).unwrap();
const MAX_ENTRIES: usize = 16_384;
const MAX_DOCUMENTS: u64 = 1 << 21;
/// This few new entries are not worth learning, because all kept data would be copied for them.
const FEW: usize = 16;

/// The kept data of a memory.
struct Settled {
    /// If all of these documents count,
    documents: Rc<PresentDocuments>,
    /// these entries are present, in order.
    entries: Rc<Vec<[u8; 16]>>,
}

thread_local! {
    /// By the hash of a memory under its index's key.
    static SETTLED: RefCell<LruCache<u128, Settled>> = RefCell::new(LruCache::new(MAX_MEMORIES));
}

/// The entries that are certainly present if these documents are.
pub fn of(now: &PresentDocuments) -> Rc<Vec<[u8; 16]>> {
    SETTLED.with_borrow_mut(|settled| {
        let known = settled.get(&now.memory).filter(|known| known.documents.are_among(now));
        known.map(|known| Rc::clone(&known.entries)).unwrap_or_default()
    })
}

/// Learns that entries are present, whose rows were found at these places, for a memory with these documents.
pub fn learn(now: &Rc<PresentDocuments>, there: &[HeldId]) {
    let known = of(now);
    let is_little = there.len() <= FEW && !known.is_empty();
    // Known entries were not looked up, so the two lists have no common entries.
    if is_little || known.len() + there.len() > MAX_ENTRIES || now.documents() > MAX_DOCUMENTS {
        return;
    }
    let in_tail: HashSet<&Place> = now.tail.iter().collect();
    let mut entries: Vec<[u8; 16]> = known.to_vec();
    entries.extend(there.iter().filter(|(_, place)| !in_tail.contains(place)).map(|(entry, _)| *entry));
    entries.sort_unstable();
    entries.dedup();
    if !entries.is_empty() {
        let settled = Settled { documents: Rc::clone(now), entries: Rc::new(entries) };
        SETTLED.with_borrow_mut(|kept| kept.put(now.memory, settled));
    }
}
