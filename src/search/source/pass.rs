//! One pass over a memory: what it looks for, where its rows go, and what it found.

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

/// What a pass looks for.
pub struct Wanted<'a> {
    pub searched: Searched,
    pub vector: Option<&'a [f32]>,
    pub lexemes: Option<&'a QueryLexemes>,
    /// What looks for words with a wrong letter, where it is asked for.
    pub typos: Option<&'a Typos<'a>>,
    /// How many of the best of each signal.
    pub limit: usize,
    /// What looks for entries that belong to the best candidates, where that is asked for.
    pub look_further: Option<&'a LookFurther<'a>>,
}

/// Says which terms the best candidates have, of each memory with such a candidate, in the order of memories.
pub type LookFurther<'a> = dyn Fn(&mut [Candidate], Option<WordStatistics>) -> Result<Vec<(u32, Terms)>> + 'a;

/// Which entries share the terms of the best candidates.
#[derive(Default)]
pub struct Sharing {
    /// Of each memory with such candidates: their terms, and which entries hold these.
    pub of_memories: Vec<(u32, Terms, Holding)>,
    /// Entries that share an entity and are no candidates, in the order of their ids and memories.
    pub others: Vec<Candidate>,
}

impl Wanted<'_> {
    /// Whether nothing is asked but which rows are found: what the query's words were taken for is said also where none is.
    pub fn may_end_early(&self) -> bool {
        self.searched == Searched::Entries && self.typos.is_none()
    }

    /// How many of the query's words a row must hold to be found by them.
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

/// Where a pass puts what it reads.
pub struct Sink<'a> {
    pub collector: &'a mut Collector,
    pub corrected: &'a mut Corrected,
}

/// What the signals found.
#[derive(Default)]
pub struct FoundBySignals {
    pub candidates: Vec<Candidate>,
    /// What is known of all rows that count; `None` where words were not asked for.
    pub words: Option<WordStatistics>,
    /// Whether it is known that the filters let no row be found that the caller sees.
    pub is_none_passing: bool,
    /// Which entries share the terms of the best candidates; `None` where nobody asked.
    pub sharing: Option<Sharing>,
}
