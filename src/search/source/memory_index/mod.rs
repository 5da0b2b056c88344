//! The memory index as the source of a search: words from postings, meaning from codes, and from the table only what is
//! asked of the few rows that may win. What the index says of all rows of a memory is what the rows say, so a search
//! gives the same bytes as one over the table.

mod best_by_words;
mod counted;
mod fetched;
mod nearest;
mod open;
mod read_rows;
mod search;
mod words;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use memory_search_core::Result;
use memory_search_core::output::response::ReadDiagnostics;
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::rank::signals::Signals;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_index::document::Wanted as WantedHashes;
use memory_search_index::fault::Outcome;
use memory_search_index::hashing::MemoryHash;

use self::counted::{Conditions, Counted};
use self::fetched::Fetched;
use self::open::OpenIndex;
use self::read_rows::RowColumns;
use self::search::{NumberHasher, Search, Worded};
use self::words::{Lexemes, Matching};
use super::pass::{FoundBySignals, Wanted};
use crate::index::RelationPages;
use crate::pg::interrupt;
use crate::pg::spi::Reader;
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::searched::Searched;

/// The best of each signal, by the memory index of the store; `None` where it has none that may be read.
pub fn candidates(reader: &Reader<'_>, scopes: &Scopes<'_>, wanted: &Wanted<'_>) -> Result<Option<FoundBySignals>> {
    if wanted.searched != Searched::Entries {
        return Ok(None);
    }
    let Some(first) = scopes.memories.first() else { return Ok(None) };
    let Some(open) = OpenIndex::of(first.store)? else { return Ok(None) };
    if wanted.lexemes.is_some() && !open.has_words || wanted.vector.is_some() && !open.has_embeddings {
        return Ok(None);
    }
    // A statement says which of pgvector's functions the caller may not call.
    if wanted.vector.is_some() && first.store.vector_functions.is_some_and(|functions| !functions.may_be_called()) {
        return Ok(None);
    }
    let with_hash =
        |(number, scope): (u32, &Scope<'_>)| Some((number, open.memory(scope.store.ids.memory, scope.memory_id)?));
    let memories: Vec<(u32, MemoryHash)> = scopes.numbered().filter_map(with_hash).collect();
    if memories.is_empty() {
        return Ok(Some(FoundBySignals::default()));
    }
    let conditions = Conditions::of(first, &open, wanted.vector.is_some());
    let found = open.index.read(|pages| {
        let columns = RowColumns::of(first, &open, wanted.vector);
        let (open, conditions, asked) = (&open, &conditions, HashMap::default());
        run(Search { reader, scopes, first, wanted, open, conditions, columns, asked, passing: None }, pages, &memories)
    })?;
    Ok(Some(found))
}

/// Two steps over all memories: what counts, and is known of all that counts; then what may win, by that.
fn run(mut search: Search<'_>, pages: &RelationPages, memories: &[(u32, MemoryHash)]) -> Outcome<FoundBySignals> {
    let trace = search.scopes.trace;
    let mut counted = trace.phase("scan", || Counted::read(pages, search.open, search.conditions, memories))?;
    search.count_those_that_stand_again(&mut counted)?;
    let worded = match search.wanted.lexemes {
        Some(lexemes) => Some(by_words(&mut search, &counted, lexemes)?),
        None => None,
    };
    let nearest = match search.wanted.vector {
        Some(vector) => trace.phase("distances", || nearest::find(&mut search, &counted, vector, worded.as_ref()))?,
        None => Vec::new(),
    };
    // Where no statistic needs the rows that the filters remove, they are not looked at, as in SQL.
    let (rows, other_embedder) = counted.looked_at(search.wanted.lexemes.is_none())?;
    trace.read(ReadDiagnostics {
        relation: search.wanted.searched.name(),
        path: "memory index",
        rows,
        matching: worded.as_ref().map_or(0, |worded| worded.matching.documents.len() as u64),
        distances: search.wanted.vector.map(|_| search.asked.len() as u64),
        other_embedder,
    });
    let words =
        worded.as_ref().map(|worded| worded.matching.rows.statistics(worded.matching.collection, worded.share_lent));
    Ok(FoundBySignals { candidates: into_candidates(&search, &counted, nearest, worded), words })
}

/// The documents that hold words.
fn matching(search: &Search<'_>, counted: &Counted<'_>, lexemes: &QueryLexemes) -> Outcome<Matching> {
    let hashes = search.open.index.hashes();
    let mut sorted: Vec<(u64, usize)> =
        lexemes.iter().enumerate().map(|(place, lexeme)| (hashes.lexeme(lexeme.as_bytes()), place)).collect();
    sorted.sort_unstable();
    let (sorted, in_order): (Vec<u64>, Vec<usize>) = sorted.into_iter().unzip();
    let meanings = lexemes.meanings().collect();
    let wanted = Lexemes { hashes: WantedHashes::new(&sorted)?, in_order, meanings, words: lexemes.words() };
    words::find(counted, &wanted, search.scopes.plan.bm25, search.open.ranked_by)
}

fn by_words(search: &mut Search<'_>, counted: &Counted<'_>, lexemes: &QueryLexemes) -> Outcome<Worded> {
    let trace = search.scopes.trace;
    let mut matching = trace.phase("scan", || matching(search, counted, lexemes))?;
    // What was meant where a word stands in no entry.
    let probe = match search.wanted.typos {
        Some(typos) => trace.phase("typos", || typos.probe(lexemes, &matching.rows.document_frequency))?,
        None => None,
    };
    if let (Some(typos), Some(probe)) = (search.wanted.typos, probe) {
        matching = trace.phase("typos", || self::matching(search, counted, &probe.lexemes))?;
        typos.keep(lexemes, &probe, &matching.holding);
    }
    search.break_ties(counted, &mut matching)?;
    let scores = trace.phase("score", || matching.rows.scores(matching.collection, true, &interrupt::check))?;
    let mut worded = Worded { matching, scores: scores.of_rows, share_lent: scores.share_lent, best: Vec::new() };
    worded.best = best_by_words::find(search, counted, &worded)?;
    Ok(worded)
}

/// `nearest` are documents, the nearest first.
fn into_candidates(
    search: &Search<'_>,
    counted: &Counted<'_>,
    nearest: Vec<u32>,
    worded: Option<Worded>,
) -> Vec<Candidate> {
    let mut ranks: HashMap<u32, (Option<usize>, Option<usize>), BuildHasherDefault<NumberHasher>> = HashMap::default();
    for (rank, document) in nearest.into_iter().enumerate() {
        ranks.entry(document).or_default().0 = Some(rank + 1);
    }
    if let Some(worded) = &worded {
        for (rank, &row) in worded.best.iter().enumerate() {
            ranks.entry(worded.matching.documents[row]).or_default().1 = Some(rank + 1);
        }
    }
    // In the order of their ids, as texts, and of their memories.
    let mut found: Vec<(&Fetched, u32, _)> =
        ranks.into_iter().filter_map(|(document, ranks)| Some((search.found(document)?, document, ranks))).collect();
    found.sort_unstable_by(|(a, a_document, _), (b, b_document, _)| {
        a.id.text_order(&b.id).then_with(|| a_document.cmp(b_document))
    });
    found
        .into_iter()
        .map(|(fetched, document, (semantic_rank, keyword_rank))| {
            let score = worded.as_ref().and_then(|worded| worded.score(document));
            Candidate {
                id: fetched.id.to_text(),
                memory: counted.memory(document),
                created: fetched.created,
                importance: fetched.importance,
                author: fetched.author.clone(),
                text_bytes: fetched.text_bytes,
                place: Some(fetched.at),
                signals: Signals {
                    cosine: fetched.distance.map(|distance| 1.0 - distance),
                    semantic_rank,
                    bm25: score.map(|score| score.bm25),
                    words: score.map(|score| score.words),
                    keyword_rank,
                },
                ..Candidate::default()
            }
        })
        .collect()
}
