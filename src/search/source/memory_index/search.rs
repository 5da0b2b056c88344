//! The state of one search by an index: its arguments, and the table's answers about documents. Each document is asked
//! about once.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use memory_search_core::place::Place;
use memory_search_core::rank::bm25::Score;
use memory_search_core::rank::word_matches::Scoring;
use memory_search_core::{Result, error};
use memory_search_index::fault::Outcome;

use super::conditions::Opened;
use super::counted::Counted;
use super::fetched::{self, Fetched, Question};
use super::open::OpenIndex;
use super::read_rows::RowColumns;
use super::words::Matching;
use crate::pg::interrupt;
use crate::pg::seen_rows::SeenRows;
use crate::pg::spi::Reader;
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::source::pass::Wanted;

/// One search by an index.
pub struct Search<'a> {
    pub reader: &'a Reader<'a>,
    pub scopes: &'a Scopes<'a>,
    /// The first memory of the search, for what is the same in each memory; aliases are not.
    pub first: &'a Scope<'a>,
    pub wanted: &'a Wanted<'a>,
    /// The indexes that hold the memories.
    pub opened: &'a [Opened],
    /// The columns for reading rows of each index; `None` if a statement reads them.
    pub columns: Vec<Option<RowColumns<'a>>>,
    /// The table's answers about documents; `None` for documents that it does not show.
    pub asked: HashMap<u32, Option<Fetched>, BuildHasherDefault<NumberHasher>>,
    /// All documents that pass the filters, once they are known to be few.
    pub passing: Option<HashSet<u32, BuildHasherDefault<NumberHasher>>>,
}

/// After this many rows, as a multiple of the wanted number, the share of rows that pass the filters is examined.
const ASKED_BEFORE_ALL: usize = 4;
/// The cost of reading all columns of a row for a search, in rows that are only tested by the filters.
const COST_OF_ONE: usize = 2;

/// Hashes numbers of documents, which no user can choose, by one multiplication.
#[derive(Default)]
pub struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(u32::from(byte)));
    }

    fn write_u32(&mut self, number: u32) {
        // The golden ratio, as in Knuth's multiplicative hashing; the upper bits, which are the mixed ones, go to both
        // ends, because a table uses both.
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Documents that hold words, with the scores of some, and the best of them.
pub struct Worded {
    pub matching: Matching,
    pub scoring: Scoring,
    /// The rows of `matching`, the best first.
    pub best: Vec<usize>,
}

impl<'a> Search<'a> {
    /// Counts the reinstated ones among the corrected documents: other rows determine which these are.
    pub fn count_those_that_stand_again(&mut self, counted: &mut Counted<'_>) -> Outcome<()> {
        for number in 0..counted.parts.len() {
            let part = &counted.parts[number];
            let corrected: Vec<u32> = part.corrected.iter().map(|document| part.first + document).collect();
            if corrected.is_empty() {
                continue;
            }
            let places = places_of(counted, &corrected)?;
            // Other rows of the same memory determine this.
            let scope = self.scopes.memory(counted.memory(corrected[0]));
            let standing =
                fetched::that_stand_again(self.reader, scope, self.index_of(counted, corrected[0]), &places)?;
            let part = &mut counted.parts[number];
            for (document, place) in corrected.iter().zip(&places) {
                if standing.contains(place) {
                    part.counts.insert(document - part.first);
                }
            }
        }
        Ok(())
    }

    /// Orders rows of the same instant and order number by their ids.
    pub fn break_ties(&mut self, counted: &Counted<'_>, matching: &mut Matching) -> Outcome<()> {
        let tied = matching.times.tied()?;
        if tied.is_empty() {
            return Ok(());
        }
        let documents: Vec<u32> = tied.iter().map(|&row| matching.rows.documents[row]).collect();
        self.ask(counted, &documents)?;
        for (row, document) in tied.into_iter().zip(documents) {
            if let Some(Some(fetched)) = self.asked.get(&document) {
                matching.times.set_tie(row, fetched.id.tie());
            }
        }
        Ok(())
    }

    /// Asks the table about documents that it was not asked about before.
    pub fn ask(&mut self, counted: &Counted<'_>, documents: &[u32]) -> Outcome<()> {
        let mut new: Vec<u32> = documents.iter().copied().filter(|number| !self.asked.contains_key(number)).collect();
        new.sort_unstable();
        new.dedup();
        if new.is_empty() {
            return Ok(());
        }
        if counted.is_coarse {
            self.find_all_that_pass(counted)?;
            if let Some(passing) = &self.passing {
                let (those, others): (Vec<u32>, Vec<u32>) =
                    new.into_iter().partition(|number| passing.contains(number));
                self.asked.extend(others.into_iter().map(|number| (number, None)));
                new = those;
                if new.is_empty() {
                    return Ok(());
                }
            }
        }
        // The rows of a table at once: memories of one partition need not be adjacent.
        let mut by_index: Vec<Vec<u32>> = vec![Vec::new(); self.opened.len()];
        for document in new {
            by_index[counted.index_of(document)].push(document);
        }
        for (index, documents) in by_index.into_iter().enumerate().filter(|(_, documents)| !documents.is_empty()) {
            let places = places_of(counted, &documents)?;
            let opened = &self.opened[index].index;
            let answers = match self.columns[index].as_mut().filter(|_| !counted.is_coarse) {
                Some(columns) => columns.read(&mut SeenRows::in_active_snapshot(&opened.table), &places)?,
                None => {
                    let question = Question { vector: self.wanted.vector, with_filters: counted.is_coarse };
                    let mut answers = HashMap::new();
                    for (scope, _, places) in self.by_memory(counted, &documents, &places) {
                        answers.extend(fetched::ask(self.reader, scope, opened, question, places)?);
                    }
                    places.iter().map(|place| answers.remove(place)).collect()
                }
            };
            self.asked.extend(documents.into_iter().zip(answers));
        }
        Ok(())
    }

    /// The index that holds a document.
    pub fn index_of(&self, counted: &Counted<'_>, document: u32) -> &'a OpenIndex {
        &self.opened[counted.index_of(document)].index
    }

    /// If few of the documents asked about pass the filters, all may have to be tested: then in one statement.
    fn find_all_that_pass(&mut self, counted: &Counted<'_>) -> Outcome<()> {
        let asked = self.asked.len();
        if self.passing.is_some() || asked < ASKED_BEFORE_ALL * self.wanted.limit {
            return Ok(());
        }
        let mut all = Vec::new();
        for part in &counted.parts {
            let mut open = part.counts.copy()?;
            open.intersect(&part.may_be_found);
            all.push((part.first, open));
        }
        let count: usize = all.iter().map(|(_, open)| open.count() as usize).sum();
        let passing = self.asked.values().flatten().filter(|fetched| fetched.passes).count();
        // The number of further documents to ask about until enough of them pass.
        if COST_OF_ONE * self.wanted.limit * asked <= count * passing {
            return Ok(());
        }
        let mut documents: Vec<u32> = Vec::new();
        documents.try_reserve(count).map_err(|_| error::out_of_memory())?;
        for (first, open) in all {
            documents.extend(open.iter().map(|document| first + document));
        }
        let places = places_of(counted, &documents)?;
        let mut those = HashSet::default();
        for (scope, documents, places) in self.by_memory(counted, &documents, &places) {
            let passing = fetched::that_pass(self.reader, scope, self.index_of(counted, documents[0]), places)?;
            those.try_reserve(passing.len()).map_err(|_| error::out_of_memory())?;
            those.extend(documents.iter().zip(places).filter(|(_, place)| passing.contains(place)).map(|(it, _)| *it));
        }
        self.passing = Some(those);
        Ok(())
    }

    /// Documents and their places, grouped by memory: a statement about rows may read other rows of the same memory.
    /// The documents ascend.
    fn by_memory<'b>(
        &self,
        counted: &Counted<'_>,
        documents: &'b [u32],
        places: &'b [Place],
    ) -> Vec<(&'a Scope<'a>, &'b [u32], &'b [Place])> {
        let (mut found, mut rest) = (Vec::new(), places);
        for run in documents.chunk_by(|a, b| counted.memory(*a) == counted.memory(*b)) {
            let (of_memory, others) = rest.split_at(run.len());
            found.push((self.scopes.memory(counted.memory(run[0])), run, of_memory));
            rest = others;
        }
        found
    }

    /// The table's answer about a document that may be found.
    pub fn found(&self, document: u32) -> Option<&Fetched> {
        self.asked.get(&document)?.as_ref().filter(|fetched| fetched.passes)
    }
}

impl Worded {
    /// Scores those of the given documents that hold words.
    pub fn score_documents(&mut self, documents: &[u32]) -> Result<()> {
        let mut rows: Vec<usize> = documents.iter().filter_map(|&document| self.row(document)).collect();
        rows.retain(|row| self.scoring.score(*row).is_none());
        rows.sort_unstable();
        self.scoring.score_rows(&self.matching.rows, &rows, &interrupt::check)
    }

    /// The score of a document that holds words and has been scored.
    pub fn score(&self, document: u32) -> Option<Score> {
        self.scoring.score(self.row(document)?)
    }

    /// The document of a row.
    pub fn document(&self, row: usize) -> u32 {
        self.matching.rows.documents[row]
    }

    fn row(&self, document: u32) -> Option<usize> {
        self.matching.rows.documents.binary_search(&document).ok()
    }
}

fn places_of(counted: &Counted<'_>, documents: &[u32]) -> Outcome<Vec<Place>> {
    documents.iter().map(|&document| counted.place(document)).collect()
}
