//! The data of a row for ranking.

use crate::place::Place;
use crate::rank::by_entry::EntryKey;
use crate::rank::feedback::Feedback;
use crate::rank::signals::Signals;
use crate::timestamp::Micros;

/// An entry (or a context) that a signal found, with the data for ranking.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidate {
    /// The entry's id as text; breaks ties, then the memory does.
    pub id: String,
    /// The number of its memory among the searched ones, which are in the order of their ids.
    pub memory: u32,
    /// When it was created.
    pub created: Micros,
    /// Within [`crate::bounds_and_defaults::IMPORTANCE`].
    pub importance: f64,
    /// Its access count.
    pub access_count: i64,
    /// When it was last touched; `None` if it never was, or if this was not read.
    pub last_used: Option<Micros>,
    /// The feedback of users.
    pub feedback: Feedback,
    /// The author, by its text or its ids; `None` if there is none, or if this was not read.
    pub author: Option<String>,
    /// Bytes of its text; `None` if this was not read.
    pub text_bytes: Option<u32>,
    /// The place of its row, if it is known.
    pub place: Option<Place>,
    /// The values of the signals.
    pub signals: Signals,
    /// The association with the best candidates, 0..1; 0 if nobody asked. See [`crate::rank::association`].
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

    /// Its name among the candidates.
    pub fn key(&self) -> EntryKey<'_> {
        EntryKey { memory: self.memory, id: &self.id }
    }
}
