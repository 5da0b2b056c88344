//! One pass over a memory: what it looks for, who delivers the rows, and where they go.

use memory_search_core::Result;
use memory_search_core::rank::collector::Collector;
use memory_search_core::request::options::WordMatch;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_pgformat::index_tuple::Tid;
use memory_search_pgformat::tsvector::TsVector;

use super::corrected::Corrected;
use crate::pg::spi::Reader;
use crate::search::scope::Scope;
use crate::search::searched::Searched;

/// Fewer than this of the nearest are never what a search rests on: words and boosts choose among them.
const LEAST_NEAREST: usize = 10;

/// For rows whose words are not looked at.
pub const NO_WORDS: Option<&TsVector<'_>> = None;

/// What a pass looks for.
pub struct Wanted<'a> {
    pub searched: Searched,
    pub vector: Option<&'a [f32]>,
    pub lexemes: Option<&'a QueryLexemes>,
    /// How many of the best of each signal.
    pub limit: usize,
}

impl Wanted<'_> {
    /// How many of the nearest must not be missed: a page of answers.
    pub fn nearest(&self, top_ke: usize) -> usize {
        top_ke.max(LEAST_NEAREST).min(self.limit)
    }

    /// How many of the query's words a row must hold to be found by them.
    pub fn required_words(&self, word_match: WordMatch) -> usize {
        match (self.searched, word_match) {
            (Searched::Entries, WordMatch::All) => self.lexemes.map_or(0, QueryLexemes::len),
            _ => 1,
        }
    }
}

/// One pass over a memory.
pub struct Pass<'a> {
    pub scope: &'a Scope<'a>,
    pub wanted: &'a Wanted<'a>,
}

/// Where a source puts what it reads.
pub struct Sink<'a> {
    pub collector: &'a mut Collector<Tid>,
    pub corrected: &'a mut Corrected,
}

/// What a source says of a pass.
pub struct Delivered {
    /// What diagnostics call the way it was read.
    pub path: &'static str,
    /// Rows whose embeddings another embedder made than the query's, where they were looked at.
    pub other_embedder: u64,
}

/// Delivers, of every row of the memory that is visible to the caller at the search's instant, what ranking needs:
/// its id, time, order, importance, whether the filters let it be found, how near it is, its words, and where it
/// lies, if that is known. In any order, each row once.
pub trait Source {
    fn deliver(&self, reader: &Reader<'_>, pass: &Pass<'_>, sink: &mut Sink<'_>) -> Result<Delivered>;
}
