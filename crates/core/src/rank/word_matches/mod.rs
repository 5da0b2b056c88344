//! Rows that hold words of a query. Only rows that may be among the best are scored: for the others, their words and an
//! upper bound of the frequencies are enough.
//!
//! Scores are the same as from [`MatchingRows`](super::bm25::MatchingRows), to the last bit.

mod bounds;
mod scored_rows;
mod scores;
#[cfg(test)]
mod tests;

use crate::error::{Result, out_of_memory};
use crate::rank::arrivals::TimeOrder;
use crate::rank::bm25::{self, Collection, Parameters};
use crate::rank::signals::WordStatistics;
use crate::text::document::Occurrences;
use crate::text::query_lexemes::Meaning;

pub use self::scores::{Scoring, Taken};

/// The number of words with a bit in one byte of a row.
const WORDS_A_BYTE: usize = 8;
/// The number of documents whose bytes are read together.
const DOCUMENTS_A_LOOK: usize = 8;
/// The frequencies that separate the kinds of a word: that of a word that occurs once in an entry's text, and twice.
const STEPS: [f32; 2] = [1.0, 2.0];
/// The number of kinds of frequencies: up to the first step, and above each step.
const KINDS: usize = 1 + STEPS.len();

/// A document that holds a lexeme.
#[derive(Debug, Clone, Copy)]
struct Hit {
    document: u32,
    /// Weighted.
    frequency: f32,
}

/// Bits of words: a byte of every row for each eight words.
type Bits = Vec<Vec<u8>>;

/// The words of a row, and those above each of [`STEPS`].
type Kinds = [Bits; KINDS];

/// The rows that hold at least one of a query's lexemes. They are added part by part: first the lexemes in the part's
/// documents, then the lengths of these documents.
pub struct WordMatches {
    /// The formula's constants.
    pub parameters: Parameters,
    /// df of each word of the query.
    pub document_frequency: Vec<u64>,
    /// The document number of each row, ascending.
    pub documents: Vec<u32>,
    /// |d| of each row.
    pub lengths: Vec<u32>,
    /// The order of the rows in time; only used if neighbours lend words.
    pub order: TimeOrder,
    meanings: Vec<Meaning>,
    /// The documents of each lexeme, ascending.
    hits: Vec<Vec<Hit>>,
    /// The greatest frequency of each word.
    greatest: Vec<f32>,
    /// For each row.
    kinds: Kinds,
    part: Part,
}

/// The documents of the part that is being added.
#[derive(Default)]
struct Part {
    /// The number of its first document among all documents.
    first: u32,
    kinds: Kinds,
}

impl WordMatches {
    /// No row yet, for this many words, and lexemes with these meanings.
    pub fn none(words: usize, meanings: Vec<Meaning>, parameters: Parameters) -> Self {
        let kinds = || std::array::from_fn(|_| vec![Vec::new(); words.div_ceil(WORDS_A_BYTE)]);
        WordMatches {
            parameters,
            document_frequency: vec![0; words],
            documents: Vec::new(),
            lengths: Vec::new(),
            order: TimeOrder::OfRows,
            hits: meanings.iter().map(|_| Vec::new()).collect(),
            meanings,
            greatest: vec![0.0; words],
            kinds: kinds(),
            part: Part { first: 0, kinds: kinds() },
        }
    }

    /// Makes room for this many documents of each lexeme, all parts together: growing little by little would copy them
    /// several times.
    pub fn reserve(&mut self, counts: &[usize]) -> Result<()> {
        let mut lists = self.hits.iter_mut().zip(counts);
        lists.try_for_each(|(hits, count)| hits.try_reserve_exact(*count).map_err(|_| out_of_memory()))
    }

    /// Begins a part with this many documents; the number of the first one is above those of other parts.
    pub fn begin_part(&mut self, first: u32, documents: u32) -> Result<()> {
        self.part.first = first;
        // A look goes beyond the last.
        let length = (documents as usize).next_multiple_of(DOCUMENTS_A_LOOK);
        for bytes in self.part.kinds.iter_mut().flatten() {
            bytes.clear();
            bytes.try_reserve_exact(length).map_err(|_| out_of_memory())?;
            bytes.resize(length, 0);
        }
        Ok(())
    }

    /// Adds documents of the part that hold a lexeme; at most `count` of them.
    pub fn adder(&mut self, lexeme: usize, count: usize) -> Result<Adder<'_>> {
        let Meaning { word, weight } = self.meanings[lexeme];
        let hits = &mut self.hits[lexeme];
        hits.try_reserve(count).map_err(|_| out_of_memory())?;
        let byte = word / WORDS_A_BYTE;
        let nothing = (Occurrences::default(), frequency(&self.parameters, Occurrences::default(), weight));
        Ok(Adder {
            parameters: &self.parameters,
            weight,
            bit: 1 << (word % WORDS_A_BYTE),
            first: self.part.first,
            kinds: self.part.kinds.each_mut().map(|bits| &mut bits[byte][..]),
            hits,
            document_frequency: &mut self.document_frequency[word],
            greatest: &mut self.greatest[word],
            usual: nothing,
            other: nothing,
        })
    }

    /// Makes rows of the part's documents that hold a word. Their lengths must be added then.
    pub fn end_part(&mut self) -> Result<()> {
        let Part { first, kinds } = &self.part;
        let held = &kinds[0];
        let Some(documents) = held.first().map(Vec::len) else { return Ok(()) };
        let is_held = |document: usize| held.iter().any(|bytes| bytes[document] != 0);
        let any: Vec<u8>;
        let any = match &held[..] {
            [one] => one,
            _ => {
                any = (0..documents).map(|document| u8::from(is_held(document))).collect();
                &any
            }
        };
        let before = self.documents.len();
        let rows = any.iter().map(|&byte| usize::from(byte != 0)).sum::<usize>();
        // The reserve is for the case that all of a look's documents are added.
        let length = before + rows + DOCUMENTS_A_LOOK;
        self.documents.try_reserve(length - before).map_err(|_| out_of_memory())?;
        self.documents.resize(length, 0);
        let mut row = before;
        for (look, bytes) in any.as_chunks::<DOCUMENTS_A_LOOK>().0.iter().enumerate() {
            if *bytes == [0; DOCUMENTS_A_LOOK] {
                continue;
            }
            for (within, byte) in bytes.iter().enumerate() {
                // The next document overwrites one that is not held, so that there is no branch to mispredict.
                self.documents[row] = first.wrapping_add((look * DOCUMENTS_A_LOOK + within) as u32);
                row += usize::from(*byte != 0);
            }
        }
        self.documents.truncate(row);
        for (all, of_part) in self.kinds.iter_mut().flatten().zip(kinds.iter().flatten()) {
            all.try_reserve(rows).map_err(|_| out_of_memory())?;
            all.extend(self.documents[before..].iter().map(|document| of_part[(document - first) as usize]));
        }
        Ok(())
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// For each lexeme, the number of rows that hold it.
    pub fn holding(&self) -> Vec<u64> {
        self.hits.iter().map(|hits| hits.len() as u64).collect()
    }

    /// The number of words that a row holds.
    pub fn words_held(&self, row: usize) -> usize {
        self.kinds[0].iter().map(|bytes| bytes[row].count_ones() as usize).sum()
    }

    /// See [`MatchingRows::statistics`](bm25::MatchingRows::statistics).
    pub fn statistics(&self, collection: Collection, share_lent: f32) -> WordStatistics {
        bm25::statistics(collection, self.len(), &self.document_frequency, share_lent)
    }

    fn words(&self) -> usize {
        self.document_frequency.len()
    }
}

/// Adds documents that hold a lexeme, in ascending order, each once.
pub struct Adder<'a> {
    parameters: &'a Parameters,
    weight: f64,
    bit: u8,
    first: u32,
    kinds: [&'a mut [u8]; KINDS],
    hits: &'a mut Vec<Hit>,
    document_frequency: &'a mut u64,
    greatest: &'a mut f32,
    /// The two most frequent occurrences in postings, weighted.
    usual: (Occurrences, f32),
    other: (Occurrences, f32),
}

impl Adder<'_> {
    /// Adds a document of the part by its number within the part.
    #[inline(always)]
    pub fn add(&mut self, document: u32, occurrences: Occurrences) {
        if occurrences != self.usual.0 {
            std::mem::swap(&mut self.usual, &mut self.other);
            if occurrences != self.usual.0 {
                self.usual = (occurrences, frequency(self.parameters, occurrences, self.weight));
                *self.greatest = self.greatest.max(self.usual.1);
            }
        }
        let frequency = self.usual.1;
        let [of_held, above_steps @ ..] = &mut self.kinds;
        let held = &mut of_held[document as usize];
        // Another lexeme of the word may have been found there.
        *self.document_frequency += u64::from(*held & self.bit == 0);
        *held |= self.bit;
        for (above, step) in above_steps.iter_mut().zip(STEPS) {
            if frequency > step {
                above[document as usize] |= self.bit;
            }
        }
        self.hits.push(Hit { document: self.first + document, frequency });
    }
}

/// The frequency of a word by a lexeme that counts for it with a weight.
fn frequency(parameters: &Parameters, occurrences: Occurrences, weight: f64) -> f32 {
    bm25::counted_with(parameters.weighted(occurrences), weight)
}
