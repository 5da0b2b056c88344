//! Where a search reads what ranking needs of every row that counts. A source delivers it: the search index
//! ([`search_index`]) or the rows of a table ([`table`]); which one is chosen in [`path`]. The engine collects
//! ([`memory_search_core::rank::collector`]), and what was chosen by estimates is rescored ([`rescoring`]).

mod corrected;
mod index_pages;
mod path;
pub mod recent;
mod rescoring;
mod search_index;
mod statement;
mod table;

use memory_search_core::Result;
use memory_search_core::output::response::ReadDiagnostics;
use memory_search_core::rank::collector::{Collected, Collector};
use memory_search_core::rank::ranking::Candidate;
use memory_search_core::request::options::WordMatch;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_core::vector::rescoring::Needed;
use memory_search_pgformat::index_tuple::Tid;
use memory_search_pgformat::tsvector::TsVector;

use crate::pg::interrupt;
use crate::pg::spi::Reader;
use crate::search::scope::Scope;
use crate::search::searched::Searched;
use corrected::Corrected;
use path::Path;
use search_index::SearchIndex;
use table::Table;

/// Fewer than this of the nearest are never what a search rests on: words and boosts choose among them.
const LEAST_NEAREST: usize = 10;

/// For rows whose words are not looked at.
const NO_WORDS: Option<&TsVector<'_>> = None;

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
    fn nearest(&self, top_ke: usize) -> usize {
        top_ke.max(LEAST_NEAREST).min(self.limit)
    }

    /// How many of the query's words a row must hold to be found by them.
    fn required_words(&self, word_match: WordMatch) -> usize {
        match (self.searched, word_match) {
            (Searched::Entries, WordMatch::All) => self.lexemes.map_or(0, QueryLexemes::len),
            _ => 1,
        }
    }
}

/// One pass over a memory.
struct Pass<'a> {
    scope: &'a Scope<'a>,
    wanted: &'a Wanted<'a>,
}

/// Where a source puts what it reads.
struct Sink<'a> {
    collector: &'a mut Collector<Tid>,
    corrected: &'a mut Corrected,
}

/// What a source says of a pass.
struct Delivered {
    /// What diagnostics call the way it was read.
    path: &'static str,
    /// Rows whose embeddings another embedder made than the query's, where they were looked at.
    other_embedder: u64,
}

/// Delivers, of every row of the memory that is visible to the caller at the search's instant, what ranking needs:
/// its id, time, order, importance, whether the filters let it be found, how near it is, its words, and where it
/// lies, if that is known. In any order, each row once.
trait Source {
    fn deliver(&self, reader: &Reader<'_>, pass: &Pass<'_>, sink: &mut Sink<'_>) -> Result<Delivered>;
}

/// The `limit` best rows by meaning and the `limit` best by words, each with both of its signals.
/// Without a vector nothing is found by meaning, without lexemes nothing by words.
pub fn candidates(reader: &Reader<'_>, scope: &Scope<'_>, wanted: &Wanted<'_>) -> Result<Vec<Candidate>> {
    let lexemes = wanted.lexemes.filter(|lexemes| !lexemes.is_empty());
    if wanted.vector.is_none() && lexemes.is_none() {
        return Ok(Vec::new());
    }
    let wanted = &Wanted { lexemes, ..*wanted };
    let mut path = path::choose(scope, wanted);
    let mut is_first = true;
    loop {
        let (collected, needed) = read(reader, scope, wanted, path)?;
        match path::after(needed, is_first) {
            None => return Ok(collected.into_candidates(wanted.limit, &interrupt::check)),
            Some(next) => path = next,
        }
        is_first = false;
    }
}

/// One pass, and whether its nearest rows are the nearest.
fn read(reader: &Reader<'_>, scope: &Scope<'_>, wanted: &Wanted<'_>, path: Path) -> Result<(Collected<Tid>, Needed)> {
    let (source, nearest, by_estimate): (&dyn Source, _, _) = match path {
        Path::Index { rescored } => (&SearchIndex, rescored, true),
        Path::Table if wanted.vector.is_some() => (&Table, wanted.limit, false),
        Path::Table => (&Table, 0, false),
    };
    let required_words = wanted.required_words(scope.plan.word_match);
    let pass = Pass { scope, wanted };
    let mut corrected = Corrected::default();
    let (collector, delivered) = loop {
        let mut collector = Collector::new(wanted.lexemes, scope.plan.bm25, required_words, nearest, by_estimate);
        let mut sink = Sink { collector: &mut collector, corrected: &mut corrected };
        let delivered = scope.trace.phase("scan", || source.deliver(reader, &pass, &mut sink))?;
        if !corrected.learn_which_stand_again(reader, scope, wanted.searched)? {
            break (collector, delivered);
        }
    };
    interrupt::check();
    let (rows, matching) = collector.counts();
    let with_smoothing = wanted.searched == Searched::Entries;
    let mut collected =
        scope.trace.phase("score", || collector.finish(with_smoothing, wanted.limit, &interrupt::check))?;
    let (mut distances, mut other_embedder, mut needed) = (None, delivered.other_embedder, Needed::Nothing);
    if let (Some(vector), true) = (wanted.vector, by_estimate) {
        let (computed, others, verdict) = scope
            .trace
            .phase("distances", || rescoring::rescore(reader, scope, wanted, vector, nearest, &mut collected))?;
        (distances, other_embedder, needed) = (Some(computed), others, verdict);
    }
    scope.trace.read(ReadDiagnostics {
        relation: wanted.searched.name(),
        path: delivered.path,
        rows,
        matching,
        distances,
        other_embedder,
    });
    Ok((collected, needed))
}
