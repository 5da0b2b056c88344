//! The memory index as the source of a search: words from postings, meaning from codes, and from the table only what is
//! asked of the few rows that may win. What the index says of all rows of a memory is what the rows say, so a search
//! gives the same bytes as one over the table.

mod best_by_words;
mod counted;
mod fetched;
mod nearest;
mod open;
mod words;

use std::collections::HashMap;

use memory_search_core::Result;
use memory_search_core::output::response::ReadDiagnostics;
use memory_search_core::rank::bm25::Score;
use memory_search_core::rank::fusion::Signals;
use memory_search_core::rank::ranking::Candidate;
use memory_search_index::document::Wanted as WantedHashes;
use memory_search_index::fault::Outcome;
use memory_search_index::hashing::MemoryHash;
use memory_search_index::place::Place;

use self::counted::{Conditions, Counted};
use self::fetched::{Fetched, Question};
use self::open::OpenIndex;
use self::words::Matching;
use super::pass::Wanted;
use crate::index::RelationPages;
use crate::pg::interrupt;
use crate::pg::spi::Reader;
use crate::pg::visibility::SeenRows;
use crate::search::scope::Scope;
use crate::search::searched::Searched;

/// The best of each signal, by the memory index of the store; `None` where it has none that may be read.
pub fn candidates(reader: &Reader<'_>, scope: &Scope<'_>, wanted: &Wanted<'_>) -> Result<Option<Vec<Candidate>>> {
    if wanted.searched != Searched::Entries {
        return Ok(None);
    }
    let Some(open) = OpenIndex::of(scope.store)? else { return Ok(None) };
    if wanted.lexemes.is_some() && !open.has_words || wanted.vector.is_some() && !open.has_embeddings {
        return Ok(None);
    }
    let Some(memory) = open.memory(scope.store.ids.memory, &scope.plan.memory_id) else { return Ok(Some(Vec::new())) };
    let conditions = Conditions::of(scope, &open);
    let found = open.index.read(|pages| {
        Search { reader, scope, wanted, open: &open, conditions: &conditions, asked: HashMap::new() }.run(pages, memory)
    })?;
    Ok(Some(found))
}

/// One search by an index.
struct Search<'a> {
    reader: &'a Reader<'a>,
    scope: &'a Scope<'a>,
    wanted: &'a Wanted<'a>,
    open: &'a OpenIndex,
    conditions: &'a Conditions,
    /// What the table said of documents; `None` of those that it does not show.
    asked: HashMap<u32, Option<Fetched>>,
}

/// Documents that hold words, with their scores, and the best of them.
struct Worded {
    matching: Matching,
    scores: Vec<Score>,
    /// Rows of `matching`, best first.
    best: Vec<usize>,
}

impl Search<'_> {
    fn run(mut self, pages: &RelationPages, memory: MemoryHash) -> Outcome<Vec<Candidate>> {
        let trace = self.scope.trace;
        let mut counted = trace.phase("scan", || Counted::read(pages, self.open, self.conditions, memory))?;
        self.count_those_that_stand_again(&mut counted)?;
        let worded = match self.wanted.lexemes {
            Some(_) => Some(self.by_words(&counted)?),
            None => None,
        };
        let nearest = match self.wanted.vector {
            Some(vector) => trace.phase("distances", || nearest::find(&mut self, &counted, vector, worded.as_ref()))?,
            None => Vec::new(),
        };
        let by_another = |part: &counted::Part| match &part.by_another {
            Some(set) => set.iter().filter(|document| part.counts.contains(*document)).count() as u64,
            None => 0,
        };
        trace.read(ReadDiagnostics {
            relation: self.wanted.searched.name(),
            path: "memory index",
            rows: counted.rows(),
            matching: worded.as_ref().map_or(0, |worded| worded.matching.documents.len() as u64),
            distances: self.wanted.vector.map(|_| self.asked.len() as u64),
            other_embedder: counted.parts.iter().map(by_another).sum(),
        });
        Ok(self.into_candidates(nearest, worded))
    }

    /// Corrected documents count where no correction of them stands: other rows say so.
    fn count_those_that_stand_again(&mut self, counted: &mut Counted<'_>) -> Outcome<()> {
        for number in 0..counted.parts.len() {
            let part = &counted.parts[number];
            let corrected: Vec<u32> = part.corrected.iter().map(|document| part.first + document).collect();
            if corrected.is_empty() {
                continue;
            }
            let places = places_of(counted, &corrected)?;
            let mut rows = SeenRows::in_active_snapshot(&self.open.table);
            let standing = fetched::that_stand_again(self.reader, self.scope, &mut rows, &places)?;
            let part = &mut counted.parts[number];
            for (document, place) in corrected.iter().zip(&places) {
                if standing.contains(place) {
                    part.counts.insert(document - part.first);
                }
            }
        }
        Ok(())
    }

    fn by_words(&mut self, counted: &Counted<'_>) -> Outcome<Worded> {
        let scope = self.scope;
        let hashes = self.open.index.hashes();
        let lexemes = self.wanted.lexemes.into_iter().flat_map(|lexemes| lexemes.iter());
        let mut sorted: Vec<(u64, usize)> =
            lexemes.enumerate().map(|(place, lexeme)| (hashes.lexeme(lexeme.as_bytes()), place)).collect();
        sorted.sort_unstable();
        let (sorted, in_order): (Vec<u64>, Vec<usize>) = sorted.into_iter().unzip();
        let wanted = WantedHashes::new(&sorted)?;
        let mut matching = scope
            .trace
            .phase("scan", || words::find(counted, &wanted, &in_order, scope.plan.bm25, self.open.ranked_by))?;
        self.break_ties(counted, &mut matching)?;
        let scores =
            scope.trace.phase("score", || matching.rows.scores(matching.collection, true, &interrupt::check))?;
        let mut worded = Worded { matching, scores, best: Vec::new() };
        worded.best = best_by_words::find(self, counted, &worded)?;
        Ok(worded)
    }

    /// Rows of one instant and order are told apart by their ids.
    fn break_ties(&mut self, counted: &Counted<'_>, matching: &mut Matching) -> Outcome<()> {
        let tied = matching.tied()?;
        if tied.is_empty() {
            return Ok(());
        }
        let documents: Vec<u32> = tied.iter().map(|&row| matching.documents[row]).collect();
        self.ask(counted, &documents)?;
        for (row, document) in tied.into_iter().zip(documents) {
            if let Some(Some(fetched)) = self.asked.get(&document) {
                matching.rows.arrivals[row].tie = fetched.id.tie();
            }
        }
        Ok(())
    }

    /// Asks the table about documents that it was not asked about before.
    fn ask(&mut self, counted: &Counted<'_>, documents: &[u32]) -> Outcome<()> {
        let mut new: Vec<u32> = documents.iter().copied().filter(|number| !self.asked.contains_key(number)).collect();
        new.sort_unstable();
        new.dedup();
        if new.is_empty() {
            return Ok(());
        }
        let places = places_of(counted, &new)?;
        let question = Question { vector: self.wanted.vector, with_filters: counted.is_coarse };
        let mut rows = SeenRows::in_active_snapshot(&self.open.table);
        let mut answers = fetched::ask(self.reader, self.scope, question, &mut rows, &places)?;
        for (document, place) in new.into_iter().zip(places) {
            self.asked.insert(document, answers.remove(&place));
        }
        Ok(())
    }

    /// What the table said of a document that may be found.
    fn found(&self, document: u32) -> Option<&Fetched> {
        self.asked.get(&document)?.as_ref().filter(|fetched| fetched.passes)
    }

    /// `nearest` are documents, the nearest first.
    fn into_candidates(self, nearest: Vec<u32>, worded: Option<Worded>) -> Vec<Candidate> {
        let mut ranks: HashMap<u32, (Option<usize>, Option<usize>)> = HashMap::new();
        for (rank, document) in nearest.into_iter().enumerate() {
            ranks.entry(document).or_default().0 = Some(rank + 1);
        }
        if let Some(worded) = &worded {
            for (rank, &row) in worded.best.iter().enumerate() {
                ranks.entry(worded.matching.documents[row]).or_default().1 = Some(rank + 1);
            }
        }
        let mut candidates: Vec<Candidate> = ranks
            .into_iter()
            .filter_map(|(document, (semantic_rank, keyword_rank))| {
                let fetched = self.found(document)?;
                let score = worded.as_ref().and_then(|worded| worded.score(document));
                Some(Candidate {
                    id: fetched.id.to_text(),
                    created: fetched.created,
                    importance: fetched.importance,
                    access_count: 0,
                    place: Some(fetched.at),
                    signals: Signals {
                        cosine: fetched.distance.map(|distance| 1.0 - distance),
                        semantic_rank,
                        bm25: score.map(|score| score.bm25),
                        words: score.map(|score| score.words),
                        keyword_rank,
                    },
                })
            })
            .collect();
        candidates.sort_by(|a, b| a.id.cmp(&b.id));
        candidates
    }
}

impl Worded {
    fn score(&self, document: u32) -> Option<Score> {
        self.matching.documents.binary_search(&document).ok().map(|row| self.scores[row])
    }
}

fn places_of(counted: &Counted<'_>, documents: &[u32]) -> Outcome<Vec<Place>> {
    documents.iter().map(|&document| counted.contents.place(document)).collect()
}
