//! The candidates of a search, entries or contexts: from their memory index if it may be read, else from a pass over
//! the rows of the relation.

use memory_search_core::Result;
use memory_search_core::output::response::ReadDiagnostics;
use memory_search_core::rank::collector::Collector;

use super::corrected::Corrected;
use super::memory_index;
use super::pass::{FoundBySignals, Pass, Sink, Wanted};
use super::sharing;
use super::table;
use crate::pg::interrupt;
use crate::pg::spi::Reader;
use crate::search::scopes::Scopes;
use crate::search::searched::Searched;

/// The `limit` best rows by meaning and the `limit` best by words, each with both of its signals. Without a vector
/// nothing is found by meaning, and without lexemes nothing by words.
pub fn candidates(reader: &Reader<'_>, scopes: &Scopes<'_>, wanted: &Wanted<'_>) -> Result<FoundBySignals> {
    let lexemes = wanted.lexemes.filter(|lexemes| !lexemes.is_empty());
    if wanted.vector.is_none() && lexemes.is_none() {
        return Ok(FoundBySignals::default());
    }
    let wanted = &Wanted { lexemes, ..*wanted };
    match memory_index::candidates(reader, scopes, wanted)? {
        Some(found) => Ok(found),
        None => by_rows(reader, scopes, wanted),
    }
}

/// The memories go into one collector, one after the other: statistics cover the rows of all memories.
fn by_rows(reader: &Reader<'_>, scopes: &Scopes<'_>, wanted: &Wanted<'_>) -> Result<FoundBySignals> {
    let trace = scopes.trace;
    let (mut collector, mut other_embedder) = pass_over(reader, scopes, wanted)?;
    if let (Some(typos), Some(lexemes)) = (wanted.typos, wanted.lexemes)
        && let Some(probe) = trace.phase("typos", || typos.probe(lexemes, collector.frequencies().1))?
    {
        let wanted = Wanted { lexemes: Some(&probe.lexemes), ..*wanted };
        (collector, other_embedder) = pass_over(reader, scopes, &wanted)?;
        typos.keep(lexemes, &probe, collector.frequencies().0);
    }
    interrupt::check();
    let (rows, matching) = collector.counts();
    let with_smoothing = wanted.searched == Searched::Entries;
    let collected = trace.phase("score", || collector.finish(with_smoothing, wanted.limit, &interrupt::check))?;
    trace.read(ReadDiagnostics {
        relation: wanted.searched.name(),
        path: "table",
        rows,
        matching,
        distances: None,
        other_embedder,
    });
    let words = collected.words;
    let mut candidates = collected.into_candidates(wanted.limit, &interrupt::check);
    let sharing = match wanted.look_further.filter(|_| !candidates.is_empty()) {
        Some(look) => Some(trace.phase("expand", || {
            let sought = look(&mut candidates, words)?;
            sharing::by_rows(reader, scopes, &candidates, sought)
        })?),
        None => None,
    };
    Ok(FoundBySignals { candidates, words, is_none_passing: false, sharing })
}

/// The collected rows of a pass over all memories, and the number of rows whose embedding came from another embedder
/// than the query's.
fn pass_over(reader: &Reader<'_>, scopes: &Scopes<'_>, wanted: &Wanted<'_>) -> Result<(Collector, u64)> {
    let (plan, trace) = (scopes.plan, scopes.trace);
    let nearest = if wanted.vector.is_some() { wanted.limit } else { 0 };
    let required_words = wanted.required_words(plan.word_match);
    let mut corrected: Vec<Corrected> = Vec::new();
    corrected.resize_with(scopes.memories.len(), Corrected::default);
    loop {
        let mut collector = Collector::new(wanted.lexemes, plan.bm25, required_words, nearest);
        let mut other_embedder = 0;
        for ((memory, scope), corrected) in scopes.numbered().zip(&mut corrected) {
            let pass = Pass { memory, scope, wanted };
            let mut sink = Sink { collector: &mut collector, corrected };
            other_embedder += trace.phase("scan", || table::deliver(reader, &pass, &mut sink))?;
        }
        let mut any_stands_again = false;
        for (scope, corrected) in scopes.memories.iter().zip(&mut corrected) {
            any_stands_again |= corrected.learn_which_stand_again(reader, scope, wanted.searched)?;
        }
        if !any_stands_again {
            return Ok((collector, other_embedder));
        }
    }
}
