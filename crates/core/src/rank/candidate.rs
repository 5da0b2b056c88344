//! What ranking needs of a row.

use crate::place::Place;
use crate::rank::by_entry::EntryKey;
use crate::rank::feedback::Feedback;
use crate::rank::signals::Signals;
use crate::timestamp::Micros;

/// An entry (or a context) that a signal found, with what ranking needs of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidate {
    /// The entry's id as text; breaks ties, and after it the memory.
    pub id: String,
    /// The number of its memory among those searched, which are in the order of their ids.
    pub memory: u32,
    /// When it was created.
    pub created: Micros,
    /// Within [`crate::limits::IMPORTANCE`].
    pub importance: f64,
    /// How often it was touched.
    pub access_count: i64,
    /// When it was touched last; `None` where it never was, or nobody asked.
    pub last_used: Option<Micros>,
    /// What users said of it.
    pub feedback: Feedback,
    /// Who wrote it, as its text or its ids say; `None` where nobody does, or nobody asked.
    pub author: Option<String>,
    /// Bytes of its text; `None` where nobody asked.
    pub text_bytes: Option<u32>,
    /// Where its row lies, if that is known.
    pub place: Option<Place>,
    /// What the signals say of it.
    pub signals: Signals,
    /// How much it belongs to the best candidates, 0..1; 0 where nobody asked. See [`crate::rank::association`].
    pub association: f64,
}

impl Candidate {
    /// Whether meaning or words found it.
    pub fn has_signal(&self) -> bool {
        self.signals.cosine.is_some() || self.signals.bm25.is_some()
    }

    /// Whether neither of them did, and it belongs to entries that they found.
    pub fn is_found_by_association_alone(&self) -> bool {
        self.association > 0.0 && !self.has_signal()
    }

    /// What names it among the candidates.
    pub fn key(&self) -> EntryKey<'_> {
        EntryKey { memory: self.memory, id: &self.id }
    }
}
