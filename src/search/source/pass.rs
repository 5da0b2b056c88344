//! One pass over a memory: its arguments, the sink of its rows, and its results.

use memory_search_core::Result;
use memory_search_core::rank::association::{Holding, Terms};
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::rank::choices::WordMatch;
use memory_search_core::rank::collector::Collector;
use memory_search_core::rank::signals::WordStatistics;
use memory_search_core::text::query_lexemes::QueryLexemes;

use super::corrected::Corrected;
use crate::search::scope::Scope;
use crate::search::searched::Searched;
use crate::search::typos::Typos;

/// The arguments of a pass.
pub struct Wanted<'a> {
    pub searched: Searched,
    pub vector: Option<&'a [f32]>,
    pub lexemes: Option<&'a QueryLexemes>,
    /// The search for misspelt words, if it is requested.
    pub typos: Option<&'a Typos<'a>>,
    /// The number of the best candidates for each signal.
    pub limit: usize,
    /// The search for entries that are associated with the best candidates, if it is requested.
    pub look_further: Option<&'a LookFurther<'a>>,
}

/// Returns the terms of the best candidates, for each memory with such a candidate, in the order of memories.
pub type LookFurther<'a> = dyn Fn(&mut [Candidate], Option<WordStatistics>) -> Result<Vec<(u32, Terms)>> + 'a;

/// The entries that share terms of the best candidates.
#[derive(Default)]
pub struct Sharing {
    /// For each memory with such candidates: their terms, and the entries that hold these.
    pub of_memories: Vec<(u32, Terms, Holding)>,
    /// Entries that share an entity and are no candidates, in the order of their ids and memories.
    pub others: Vec<Candidate>,
}

impl Wanted<'_> {
    /// Whether only the found rows matter, so that a pass may end early. It may not if it corrects words of the query:
    /// the corrections are reported even if no row is found.
    pub fn may_end_early(&self) -> bool {
        self.searched == Searched::Entries && self.typos.is_none()
    }

    /// The number of the query's words that a row must hold to be found by them.
    pub fn required_words(&self, word_match: WordMatch) -> usize {
        match (self.searched, word_match) {
            (Searched::Entries, WordMatch::All) => self.lexemes.map_or(0, QueryLexemes::words),
            _ => 1,
        }
    }
}

/// One pass over a memory.
pub struct Pass<'a> {
    /// The memory's number among those searched.
    pub memory: u32,
    pub scope: &'a Scope<'a>,
    pub wanted: &'a Wanted<'a>,
}

/// The sink for the rows of a pass.
pub struct Sink<'a> {
    pub collector: &'a mut Collector,
    pub corrected: &'a mut Corrected,
}

/// The results of the signals.
#[derive(Default)]
pub struct FoundBySignals {
    pub candidates: Vec<Candidate>,
    /// Statistics of all rows that count; `None` if there was no search by words.
    pub words: Option<WordStatistics>,
    /// Whether it is certain that no row that the caller sees passes the filters.
    pub is_none_passing: bool,
    /// The entries that share terms of the best candidates; `None` if this was not requested.
    pub sharing: Option<Sharing>,
}
