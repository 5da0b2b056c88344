//! The memory index as the source of a search: words from postings, meaning from codes, and from the table only data of
//! the few rows that may win. The index has the same data as all rows of a memory, so a search gives the same bytes as
//! one over the table.

mod arrival_times;
mod best_by_words;
mod conditions;
mod contexts;
mod counted;
mod fetched;
mod nearest;
mod newest;
mod open;
mod passing;
mod read_rows;
mod rows_asked;
mod search;
mod seen;
mod sharing;
mod words;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::rc::Rc;

use memory_search_core::Result;
use memory_search_core::ids::IdKind;
use memory_search_core::output::response::ReadDiagnostics;
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::rank::signals::Signals;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_index::fault::Outcome;
use memory_search_index::quantization::is_unusual;

pub use self::newest::{may_know_newest, newest};

use self::conditions::{Conditions, Opened};
use self::counted::{Counted, Wanted as WantedMemory};
use self::fetched::Fetched;
use self::open::{Asked, OpenIndex, SeenBy};
use self::read_rows::RowColumns;
use self::rows_asked::RowsAsked;
use self::search::{NumberHasher, Search, Worded};
use self::words::{Asked as AskedWords, Matching};
use super::pass::{FoundBySignals, Pass, Wanted};
use crate::index::{Index, PinnedPages, RelationPages};
use crate::pg::interrupt;
use crate::pg::spi::Reader;
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::searched::Searched;

/// The best candidates of each signal, by the memory index of the store's entries or contexts; `None` if there is none
/// that may be read.
pub fn candidates(reader: &Reader<'_>, scopes: &Scopes<'_>, wanted: &Wanted<'_>) -> Result<Option<FoundBySignals>> {
    let Some(first) = scopes.memories.first() else { return Ok(None) };
    // A statement reports which of pgvector's functions the caller may not call.
    if wanted.vector.is_some() && first.store.vector_functions.is_some_and(|functions| !functions.may_be_called()) {
        return Ok(None);
    }
    // Codes do not predict distances to a vector whose length pgvector cannot compute with.
    if wanted.vector.is_some_and(|vector| is_unusual(&first.store.embedding.as_held(vector))) {
        return Ok(None);
    }
    let Some((opened, memories)) = open_all(reader, scopes, wanted, &|_| true)? else { return Ok(None) };
    if memories.is_empty() {
        return Ok(Some(FoundBySignals::default()));
    }
    Index::read_all(opened.iter().map(|opened| &opened.index.index), |pages| {
        let columns = opened.iter().map(|opened| match wanted.searched {
            Searched::Entries => RowColumns::of(first, &opened.index, wanted.vector),
            Searched::Contexts => RowColumns::of_contexts(first, &opened.index, wanted.vector),
        });
        let columns: Vec<Option<RowColumns<'_>>> = columns.collect();
        // The statements about rows that may win are only for entries.
        if wanted.searched == Searched::Contexts && columns.iter().any(Option::is_none) {
            return Ok(None);
        }
        let (opened, asked) = (opened.as_slice(), HashMap::default());
        run(Search { reader, scopes, first, wanted, opened, columns, asked, passing: None }, pages, &memories)
    })
}

/// The indexes that hold the memories of a search, each once, and the index of each memory; `None` if one of them may
/// not be read, or is not usable. Memories of a store with partitioned tables may be in several.
fn open_all(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    wanted: &Wanted<'_>,
    serves: &dyn Fn(&Opened) -> bool,
) -> Result<Option<(Vec<Opened>, Vec<WantedMemory>)>> {
    let (mut opened, mut memories): (Vec<Opened>, Vec<WantedMemory>) = (Vec::new(), Vec::new());
    let mut by_conditions = HashMap::new();
    let pinned = Rc::new(PinnedPages::within_limit());
    for (number, scope) in scopes.numbered() {
        // Contexts in entries are in no index of contexts.
        if wanted.searched == Searched::Contexts && scope.contexts_of_entries {
            return Ok(None);
        }
        let partition = scope.store.partition.map(|partition| partition.parts[wanted.searched.part()].partition);
        // A memory's aliases widen the conditions on entities, so only memories without aliases share conditions.
        let conditions = (partition, (!scope.aliases.is_empty()).then_some(number));
        let index = match by_conditions.get(&conditions) {
            Some(&index) => index,
            None => {
                let Some(found) = open(scope, wanted, &pinned)?.filter(serves) else { return Ok(None) };
                by_conditions.insert(conditions, opened.len());
                opened.push(found);
                opened.len() - 1
            }
        };
        let open = &opened[index].index;
        let pass = Pass { memory: number, scope, wanted };
        let rows = match open.seen_by {
            SeenBy::Snapshot(Asked::Nothing) | SeenBy::User(_, Asked::Nothing) => None,
            SeenBy::Snapshot(asked) | SeenBy::User(_, asked) => {
                scopes.trace.phase("scan", || rows_asked::pass_over(reader, &pass, asked))?;
                None
            }
            SeenBy::Executor => match scopes.trace.phase("scan", || RowsAsked::ask(reader, &pass, open))? {
                Some(rows) => Some(rows),
                None => return Ok(None),
            },
        };
        let (kind, memory_id) = match wanted.searched {
            Searched::Entries => (scope.store.ids.memory, Cow::Borrowed(&**scope.memory_id)),
            Searched::Contexts => (IdKind::Text, Cow::Owned(scope.store.canonical_memory_id(scope.memory_id))),
        };
        // Asked in any case, so that a caller without a privilege gets the error also for a memory that cannot exist.
        if let Some(memory) = open.memory(kind, &memory_id) {
            memories.push(WantedMemory { number, index, memory, rows });
        }
    }
    Ok(Some((opened, memories)))
}

/// The index that holds a memory, with the conditions on its documents.
fn open(scope: &Scope<'_>, wanted: &Wanted<'_>, pinned: &Rc<PinnedPages>) -> Result<Option<Opened>> {
    let by_meaning = wanted.vector.is_some();
    let found = match wanted.searched {
        Searched::Contexts => contexts::open(scope, pinned, by_meaning)?,
        Searched::Entries => OpenIndex::of(scope.store, pinned)?
            .map(|index| Opened { conditions: Conditions::of(scope, &index, by_meaning), index }),
    };
    let serves = |Opened { index, .. }: &Opened| {
        (wanted.lexemes.is_none() || index.has_words) && (!by_meaning || index.has_embeddings)
    };
    Ok(found.filter(serves))
}

/// Two steps over all memories: first the documents that count, and their statistics; then those that may win, by
/// these. `None` if an index lacks a row, or the rows must be read to know which of them count.
fn run(mut search: Search<'_>, pages: &[&RelationPages], memories: &[WantedMemory]) -> Outcome<Option<FoundBySignals>> {
    let trace = search.scopes.trace;
    let may_end_early = search.wanted.may_end_early() && search.first.has_filters();
    if may_end_early && trace.phase("scan", || passing::is_none(pages, search.opened, memories))? {
        return Ok(Some(nothing_passes(&search)));
    }
    let Some(mut counted) = trace.phase("scan", || Counted::read(pages, search.opened, memories))? else {
        return Ok(None);
    };
    if search.wanted.searched == Searched::Contexts {
        let leave_out = || contexts::leave_out_those_without_entries(search.reader, search.scopes, &mut counted);
        if !trace.phase("scan", leave_out)? {
            return Ok(None);
        }
    }
    if search.wanted.searched == Searched::Entries {
        note_present(&search, &counted, memories)?;
    }
    search.count_those_that_stand_again(&mut counted)?;
    // Diagnostics must not show whether a row that the caller does not see passes the filters.
    if may_end_early && !counted.has_any_to_find() {
        return Ok(Some(nothing_passes(&search)));
    }
    let mut worded = match search.wanted.lexemes {
        Some(lexemes) => Some(by_words(&mut search, &counted, lexemes)?),
        None => None,
    };
    let nearest = match search.wanted.vector {
        Some(vector) => trace.phase("distances", || nearest::find(&mut search, &counted, vector, worded.as_ref()))?,
        None => Vec::new(),
    };
    // If no statistic needs the rows that the filters remove, they are not read, as in SQL.
    let (rows, other_embedder) = counted.looked_at(search.wanted.lexemes.is_none())?;
    trace.read(ReadDiagnostics {
        relation: search.wanted.searched.name(),
        path: path(&search),
        rows,
        matching: worded.as_ref().map_or(0, |worded| worded.matching.rows.len() as u64),
        distances: search.wanted.vector.map(|_| search.asked.len() as u64),
        other_embedder,
    });
    let words = worded
        .as_ref()
        .map(|worded| worded.matching.rows.statistics(worded.matching.collection, worded.scoring.share_lent));
    let is_none_passing = !counted.has_any_to_find() || search.passing.as_ref().is_some_and(HashSet::is_empty);
    if let Some(worded) = &mut worded {
        trace.phase("score", || worded.score_documents(&nearest))?;
    }
    let mut candidates = into_candidates(&search, &counted, nearest, worded);
    let sharing = match search.wanted.look_further.filter(|_| !candidates.is_empty()) {
        Some(look) => Some(trace.phase("expand", || {
            let sought = look(&mut candidates, words)?;
            sharing::find(&mut search, &counted, &candidates, sought)
        })?),
        None => None,
    };
    Ok(Some(FoundBySignals { candidates, words, is_none_passing, sharing }))
}

/// The answer if no row that the caller sees passes the filters. It reports that no row was read.
fn nothing_passes(search: &Search<'_>) -> FoundBySignals {
    search.scopes.trace.read(ReadDiagnostics {
        relation: search.wanted.searched.name(),
        path: path(search),
        rows: 0,
        matching: 0,
        distances: search.wanted.vector.map(|_| 0),
        other_embedder: 0,
    });
    FoundBySignals { is_none_passing: true, ..FoundBySignals::default() }
}

/// The name of the access path in diagnostics.
fn path(search: &Search<'_>) -> &'static str {
    match search.opened.iter().any(|opened| opened.index.asks_all_rows()) {
        true => "memory index, rows asked",
        false => "memory index",
    }
}

/// Notes the present entries, for contexts that came with them. Only if the caller sees the rows of all users: for
/// those of one user the index may not know whether they are present.
fn note_present(search: &Search<'_>, counted: &Counted<'_>, memories: &[WantedMemory]) -> Outcome<()> {
    for (number, wanted) in memories.iter().enumerate() {
        if matches!(search.opened[wanted.index].index.seen_by, SeenBy::Snapshot(Asked::Nothing)) {
            let memory_id = search.scopes.memory(wanted.number).memory_id;
            search.scopes.present.note(memory_id, counted.present(number, wanted.memory)?);
        }
    }
    Ok(())
}

/// The documents that hold words.
fn matching(search: &Search<'_>, counted: &Counted<'_>, lexemes: &QueryLexemes) -> Outcome<Matching> {
    let asked = AskedWords::of(lexemes, search.opened.iter().map(|opened| &opened.index))?;
    words::find(counted, &asked, search.scopes.plan.bm25)
}

fn by_words(search: &mut Search<'_>, counted: &Counted<'_>, lexemes: &QueryLexemes) -> Outcome<Worded> {
    let trace = search.scopes.trace;
    let mut matching = trace.phase("scan", || matching(search, counted, lexemes))?;
    // The intended word, if a word is in no entry.
    let probe = match search.wanted.typos {
        Some(typos) => trace.phase("typos", || typos.probe(lexemes, &matching.rows.document_frequency))?,
        None => None,
    };
    if let (Some(typos), Some(probe)) = (search.wanted.typos, probe) {
        matching = trace.phase("typos", || self::matching(search, counted, &probe.lexemes))?;
        typos.keep(lexemes, &probe, &matching.rows.holding());
    }
    // The neighbours of an entry lend it words, and the order of rows of one instant determines who is a neighbour.
    let with_smoothing = search.wanted.searched == Searched::Entries;
    if with_smoothing {
        search.break_ties(counted, &mut matching)?;
        matching.rows.order = matching.times.take_order()?;
    }
    let created = || matching.times.all_created(counted, &matching.rows.documents);
    let score = || matching.rows.scoring(matching.collection, with_smoothing, created, &interrupt::check);
    let scoring = trace.phase("score", score)?;
    let mut worded = Worded { matching, scoring, best: Vec::new() };
    worded.best = best_by_words::find(search, counted, &mut worded)?;
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
            ranks.entry(worded.document(row)).or_default().1 = Some(rank + 1);
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
                // If the caller may not ask for places, the row is looked up.
                place: search.index_of(counted, document).looked_up_by.is_none().then_some(fetched.at),
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
