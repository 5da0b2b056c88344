//! The candidates of a search: entries by the memory index where it may be read, else, as contexts, by a pass over the
//! rows of the relation.

use memory_search_core::Result;
use memory_search_core::output::response::ReadDiagnostics;
use memory_search_core::rank::collector::Collector;

use super::corrected::Corrected;
use super::memory_index;
use super::pass::{FoundBySignals, Pass, Sink, Wanted};
use super::table;
use crate::pg::interrupt;
use crate::pg::spi::Reader;
use crate::search::scope::Scope;
use crate::search::searched::Searched;

/// The `limit` best rows by meaning and the `limit` best by words, each with both of its signals.
/// Without a vector nothing is found by meaning, without lexemes nothing by words.
pub fn candidates(reader: &Reader<'_>, scope: &Scope<'_>, wanted: &Wanted<'_>) -> Result<FoundBySignals> {
    let lexemes = wanted.lexemes.filter(|lexemes| !lexemes.is_empty());
    if wanted.vector.is_none() && lexemes.is_none() {
        return Ok(FoundBySignals::default());
    }
    let wanted = &Wanted { lexemes, ..*wanted };
    match memory_index::candidates(reader, scope, wanted)? {
        Some(found) => Ok(found),
        None => by_rows(reader, scope, wanted),
    }
}

fn by_rows(reader: &Reader<'_>, scope: &Scope<'_>, wanted: &Wanted<'_>) -> Result<FoundBySignals> {
    let nearest = if wanted.vector.is_some() { wanted.limit } else { 0 };
    let required_words = wanted.required_words(scope.plan.word_match);
    let pass = Pass { scope, wanted };
    let mut corrected = Corrected::default();
    let (collector, other_embedder) = loop {
        let mut collector = Collector::new(wanted.lexemes, scope.plan.bm25, required_words, nearest);
        let mut sink = Sink { collector: &mut collector, corrected: &mut corrected };
        let other_embedder = scope.trace.phase("scan", || table::deliver(reader, &pass, &mut sink))?;
        if !corrected.learn_which_stand_again(reader, scope, wanted.searched)? {
            break (collector, other_embedder);
        }
    };
    interrupt::check();
    let (rows, matching) = collector.counts();
    let with_smoothing = wanted.searched == Searched::Entries;
    let collected = scope.trace.phase("score", || collector.finish(with_smoothing, wanted.limit, &interrupt::check))?;
    scope.trace.read(ReadDiagnostics {
        relation: wanted.searched.name(),
        path: "table",
        rows,
        matching,
        distances: None,
        other_embedder,
    });
    let words = collected.words;
    Ok(FoundBySignals { candidates: collected.into_candidates(wanted.limit, &interrupt::check), words })
}
