//! The candidates of a search: passes over the memory, until the nearest rows are the nearest.

use memory_search_core::Result;
use memory_search_core::output::response::ReadDiagnostics;
use memory_search_core::rank::collector::{Collected, Collector};
use memory_search_core::rank::ranking::Candidate;
use memory_search_core::vector::rescoring::Needed;
use memory_search_pgformat::index_tuple::Tid;

use super::corrected::Corrected;
use super::memory_index;
use super::pass::{Pass, Sink, Source, Wanted};
use super::path::{self, Path};
use super::rescoring;
use super::search_index::SearchIndex;
use super::table::Table;
use crate::pg::interrupt;
use crate::pg::spi::Reader;
use crate::search::scope::Scope;
use crate::search::searched::Searched;

/// The `limit` best rows by meaning and the `limit` best by words, each with both of its signals.
/// Without a vector nothing is found by meaning, without lexemes nothing by words.
pub fn candidates(reader: &Reader<'_>, scope: &Scope<'_>, wanted: &Wanted<'_>) -> Result<Vec<Candidate>> {
    let lexemes = wanted.lexemes.filter(|lexemes| !lexemes.is_empty());
    if wanted.vector.is_none() && lexemes.is_none() {
        return Ok(Vec::new());
    }
    let wanted = &Wanted { lexemes, ..*wanted };
    if let Some(found) = memory_index::candidates(reader, scope, wanted)? {
        return Ok(found);
    }
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
