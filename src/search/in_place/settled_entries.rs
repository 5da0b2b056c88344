//! Entries that a session knows to be of documents which the memory index calls present: while it goes on to call all of
//! these so, nothing need be asked of the entries.
//!
//! A document of a segment is of one version of a row for ever, or of those that follow it at its place (HOT), and all of
//! these have the same key: another key gives a row another place, and a new document. So to know once that an entry's row
//! has a document among some is to know it whenever the snapshot sees these, and when they count says the index. Documents
//! of the tail have no name that would outlast them: entries of theirs are never settled.

use std::cell::RefCell;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::rc::Rc;

use lru::LruCache;
use memory_search_index::place::Place;

use crate::pg::key_index::HeldId;
use crate::search::present_documents::PresentDocuments;

/// Memories of which it is kept, entries of each, and documents of each at most: together 10 MB.
const MAX_MEMORIES: NonZeroUsize = NonZeroUsize::new(16).unwrap();
const MAX_ENTRIES: usize = 16_384;
const MAX_DOCUMENTS: u64 = 1 << 21;
/// As many entries as this are not worth to be learned anew, for which all that is kept is kept once more.
const FEW: usize = 16;

/// What is kept of a memory.
struct Settled {
    /// Where these all count,
    documents: Rc<PresentDocuments>,
    /// these are present, in order.
    entries: Rc<Vec<[u8; 16]>>,
}

thread_local! {
    /// By memories under the keys of their indexes.
    static SETTLED: RefCell<LruCache<u128, Settled>> = RefCell::new(LruCache::new(MAX_MEMORIES));
}

/// Those that are present for sure where these documents are.
pub fn of(now: &PresentDocuments) -> Rc<Vec<[u8; 16]>> {
    SETTLED.with_borrow_mut(|settled| {
        let known = settled.get(&now.memory).filter(|known| known.documents.are_among(now));
        known.map(|known| Rc::clone(&known.entries)).unwrap_or_default()
    })
}

/// Learns that entries are present, whose rows were found at these places, of a memory with these documents.
pub fn learn(now: &Rc<PresentDocuments>, there: &[HeldId]) {
    let known = of(now);
    let is_little = there.len() <= FEW && !known.is_empty();
    // Those that are known were not asked for, so both are different entries.
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
