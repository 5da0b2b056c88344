//! The documents of a memory that belong to present entries, as the memory index had them in this search: a caller that
//! knows the document of an entry need not read its row again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use memory_search_core::place::Place;
use memory_search_index::bitset::Bitset;
use memory_search_index::hashing::MemoryHash;

/// The documents of a memory that belong to present entries which the caller sees.
pub struct PresentDocuments {
    /// The memory, under the key that its index was built with.
    pub memory: MemoryHash,
    /// The documents of each segment, with the segment's id.
    pub segments: Vec<(u64, Bitset)>,
    /// The places of the rows of all documents of the tail, which are not included.
    pub tail: Vec<Place>,
}

impl PresentDocuments {
    /// Whether `others` contain all documents of these segments.
    pub fn are_among(&self, others: &PresentDocuments) -> bool {
        let is_among = |(id, these): &(u64, Bitset)| {
            others.segments.iter().find(|(other, _)| other == id).is_some_and(|(_, those)| {
                these.words().iter().zip(those.words()).all(|(these, those)| these & !those == 0)
            })
        };
        self.memory == others.memory && self.segments.iter().all(is_among)
    }

    /// The number of documents of the segments.
    pub fn documents(&self) -> u64 {
        self.segments.iter().map(|(_, set)| u64::from(set.size())).sum()
    }
}

/// The documents of the memories of one search, by the memories' ids, as far as they were read.
#[derive(Default)]
pub struct PresentOfMemories(RefCell<HashMap<String, Rc<PresentDocuments>>>);

impl PresentOfMemories {
    /// Notes the documents of a memory.
    pub fn note(&self, memory_id: &str, present: PresentDocuments) {
        self.0.borrow_mut().insert(memory_id.to_owned(), Rc::new(present));
    }

    /// The documents of a memory.
    pub fn of(&self, memory_id: &str) -> Option<Rc<PresentDocuments>> {
        self.0.borrow().get(memory_id).cloned()
    }
}
