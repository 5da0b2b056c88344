//! One pass over a memory: what it looks for, where its rows go, and what it found.

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
}
