//! BM25 over weighted fields (Robertson & Zaragoza, "The Probabilistic Relevance Framework",
//! 2009), with Lucene's always-positive idf:
//!
//! ```text
//! idf(t)   = ln(1 + (N - df + 0.5) / (df + 0.5))
//! tf(t, d) = sum over fields f of weight(f) * occurrences(t, d, f)
//! score    = sum over t of idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / avg|d|))
//! ```
//!
//! A word of the query for which several lexemes count ([`Meaning`]) is one term: tf is the greatest of theirs, each by
//! its weight, and df counts the entries that hold any of them.
//!
//! N, df and the average length are computed over the searched memories, as the caller sees them. |d| counts distinct
//! lexemes, which PostgreSQL gives without reading positions.

use crate::error::{Result, out_of_memory};
use crate::interrupt::{ROWS_PER_TICK, Tick};
use crate::rank::by_width::with_width;
use crate::rank::neighbour_smoothing::{self, Arrival, Smoothing};
use crate::rank::signals::WordStatistics;
use crate::text::document::{Document, Occurrences};
use crate::text::query_lexemes::{Meaning, QueryLexemes};
use crate::text::word_finder::WordFinder;

/// The formula's constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Saturation of repeated occurrences.
    pub k1: f64,
    /// The influence of an entry's length, 0..1. Small: short and long memories count alike.
    pub b: f64,
    /// Weight of an occurrence in D (metadata), C (tags), B (raw entry), A (summary).
    pub field_weights: [f64; 4],
}

impl Parameters {
    /// tf: the occurrences of a lexeme, weighted.
    pub fn weighted(&self, occurrences: Occurrences) -> f32 {
        let counts = occurrences.by_weight.iter().zip(self.field_weights);
        counts.map(|(&count, weight)| f64::from(count) * weight).sum::<f64>() as f32
    }

    /// The length part of the denominator, for a row of a length.
    #[inline(always)]
    pub(super) fn norm(&self, length: u32, average: f64) -> f64 {
        self.k1 * (1.0 - self.b + self.b * f64::from(length) / average)
    }
}

/// tf by a lexeme that counts for its word with a weight.
#[inline(always)]
pub(super) fn counted_with(frequency: f32, weight: f64) -> f32 {
    if weight == 1.0 { frequency } else { (f64::from(frequency) * weight) as f32 }
}

/// The score of a word for a row.
#[inline(always)]
pub(super) fn part(idf: f64, tf: f64, k1: f64, norm: f64) -> f32 {
    (idf * tf * (k1 + 1.0) / (tf + norm)) as f32
}

/// idf of each word. `rows` hold any of them.
pub(super) fn idf(collection: Collection, rows: usize, document_frequency: &[u64]) -> Vec<f64> {
    let entries = entries(collection, rows) as f64;
    let of = |&df: &u64| (1.0 + (entries - df as f64 + 0.5) / (df as f64 + 0.5)).ln();
    document_frequency.iter().map(of).collect()
}

/// The scale for matches: a row of average length that holds every word once has the idf of each.
pub(super) fn statistics(
    collection: Collection,
    rows: usize,
    document_frequency: &[u64],
    share_lent: f32,
) -> WordStatistics {
    WordStatistics {
        entries: entries(collection, rows),
        full_match: idf(collection, rows, document_frequency).iter().sum(),
        conversation: neighbour_smoothing::conversation(share_lent, collection.average_length()),
    }
}

fn entries(collection: Collection, rows: usize) -> u64 {
    // Entries that came in between the two statements' reads cannot make N smaller than df.
    collection.entries.max(rows as u64)
}

/// k1 and b were chosen on the evaluation sets (ADR-0013). These sets have one field, so the field weights are a
/// judgement: a summary tells most, metadata least.
impl Default for Parameters {
    fn default() -> Self {
        Parameters { k1: 0.9, b: 0.15, field_weights: [0.5, 1.0, 1.0, 1.5] }
    }
}

/// Entries of a memory, and the sum of their lengths in distinct lexemes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collection {
    /// N.
    pub entries: u64,
    /// Sum of |d|.
    pub total_length: u64,
}

impl Collection {
    /// avg|d|; 1 if no entry has a word.
    pub fn average_length(&self) -> f64 {
        match self.total_length {
            0 => 1.0,
            total => total as f64 / self.entries.max(1) as f64,
        }
    }
}

/// The keyword score of one entry.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Score {
    /// BM25 of the entry's own words.
    pub bm25: f64,
    /// The score with words that neighbours lend; see [`crate::rank::neighbour_smoothing`].
    pub words: f64,
}

/// The keyword scores of all entries that hold a word of the query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// The score of each row.
    pub of_rows: Vec<Score>,
    /// The share that neighbours lend, 0..1.
    pub share_lent: f32,
}

/// The data for BM25 from the entries that hold at least one of a query's lexemes. Rows are added one by one; df is
/// known after the last one.
pub struct Matches {
    lexemes: WordFinder,
    meanings: Vec<Meaning>,
    /// For each lexeme, the number of rows that hold it.
    holding: Vec<u64>,
    /// For each word, the number, from 1, of the last row that holds it.
    last_row: Vec<usize>,
    rows: MatchingRows,
}

/// The rows that hold at least one of a query's lexemes.
pub struct MatchingRows {
    /// The formula's constants.
    pub parameters: Parameters,
    /// df of each word of the query.
    pub document_frequency: Vec<u64>,
    /// |d| of each row.
    pub lengths: Vec<u32>,
    /// The arrival of each row.
    pub arrivals: Vec<Arrival>,
    /// Weighted frequencies: a run for each row, with a number for each word.
    pub frequencies: Vec<f32>,
}

impl Matches {
    /// For the lexemes of one query.
    pub fn new(query: &QueryLexemes, parameters: Parameters) -> Self {
        Matches {
            lexemes: WordFinder::new(query),
            meanings: query.meanings().collect(),
            holding: vec![0; query.len()],
            last_row: vec![0; query.words()],
            rows: MatchingRows::none(query.words(), parameters),
        }
    }

    /// Adds an entry that holds at least one of the words; its number is the count of entries added before. Returns how
    /// many words it holds.
    ///
    /// Memory grows by 4 bytes for each word; fails with 54000 instead of aborting if there is none.
    pub fn add(&mut self, document: &impl Document, arrival: impl FnOnce() -> Result<Arrival>) -> Result<usize> {
        let Matches { lexemes, meanings, holding, last_row, rows } = self;
        let (before, row, width) = (rows.frequencies.len(), rows.len() + 1, rows.width());
        let mut held = 0;
        lexemes.find(document, |lexeme, index| {
            if held == 0 {
                rows.frequencies.try_reserve(width).map_err(|_| out_of_memory())?;
                rows.frequencies.resize(before + width, 0.0);
            }
            holding[lexeme] += 1;
            let Meaning { word, weight } = meanings[lexeme];
            if last_row[word] != row {
                last_row[word] = row;
                held += 1;
                rows.document_frequency[word] += 1;
            }
            rows.raise(before + word, rows.parameters.weighted(document.occurrences(index)?), weight);
            Ok(())
        })?;
        if held == 0 {
            return Ok(0);
        }
        rows.lengths.try_reserve(1).map_err(|_| out_of_memory())?;
        rows.arrivals.try_reserve(1).map_err(|_| out_of_memory())?;
        rows.lengths.push(u32::try_from(document.lexeme_count()).unwrap_or(u32::MAX));
        rows.arrivals.push(arrival()?);
        Ok(held)
    }

    /// For each lexeme, how many of the added entries hold it.
    pub fn holding(&self) -> &[u64] {
        &self.holding
    }

    /// df of each word.
    pub fn document_frequency(&self) -> &[u64] {
        &self.rows.document_frequency
    }

    /// Entries added.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no entry was added.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// [`MatchingRows::statistics`] of the entries added.
    pub fn statistics(&self, collection: Collection, share_lent: f32) -> WordStatistics {
        self.rows.statistics(collection, share_lent)
    }

    /// [`MatchingRows::scores`] of the entries added, in the order of adding.
    pub fn scores(&mut self, collection: Collection, with_smoothing: bool, tick: Tick<'_>) -> Result<Scores> {
        self.rows.scores(collection, with_smoothing, tick)
    }
}

impl MatchingRows {
    /// No row yet, for this many words.
    pub fn none(words: usize, parameters: Parameters) -> Self {
        MatchingRows {
            parameters,
            document_frequency: vec![0; words],
            lengths: Vec::new(),
            arrivals: Vec::new(),
            frequencies: Vec::new(),
        }
    }

    /// Raises the frequency of a word in a row, at a place among the frequencies, to the value for a lexeme that counts
    /// for it with a weight.
    #[inline]
    fn raise(&mut self, place: usize, frequency: f32, weight: f64) {
        let frequency = counted_with(frequency, weight);
        let own = &mut self.frequencies[place];
        *own = if frequency > *own { frequency } else { *own };
    }

    /// The number of words of the query.
    fn width(&self) -> usize {
        self.document_frequency.len()
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The scale for matches.
    pub fn statistics(&self, collection: Collection, share_lent: f32) -> WordStatistics {
        statistics(collection, self.len(), &self.document_frequency, share_lent)
    }

    /// The score of every row. `with_smoothing`: whether neighbours lend words. This consumes the frequencies.
    pub fn scores(&mut self, collection: Collection, with_smoothing: bool, tick: Tick<'_>) -> Result<Scores> {
        let (parts, width) = (self.take_parts(collection, tick), self.width());
        let mut scores = Vec::new();
        scores.try_reserve_exact(self.len()).map_err(|_| out_of_memory())?;
        with_width!(width, add_scores(&mut scores, &parts, width, tick));
        let smoothing = match with_smoothing {
            true => Smoothing::of(&parts, &self.arrivals, &self.document_frequency, tick)?,
            false => None,
        };
        if let Some(smoothing) = &smoothing {
            let each = |row: usize, lent: &[f32]| scores[row].words = sum(lent);
            smoothing.each_row(&parts, &self.arrivals, width, tick, each);
        }
        Ok(Scores { of_rows: scores, share_lent: smoothing.map_or(0.0, |smoothing| smoothing.share) })
    }

    /// BM25 of every lexeme in every row, not yet summed, replacing the frequencies.
    fn take_parts(&mut self, collection: Collection, tick: Tick<'_>) -> Vec<f32> {
        let average = collection.average_length();
        let idf = idf(collection, self.len(), &self.document_frequency);
        let mut parts = std::mem::take(&mut self.frequencies);
        let norm = |length: u32| self.parameters.norm(length, average);
        with_width!(self.width(), to_parts(&mut parts, self, &idf, norm, tick));
        parts
    }
}

/// Replaces the frequencies of every row by its parts; `WIDTH` is the number of lexemes, or 0 for any number.
fn to_parts<const WIDTH: usize>(
    parts: &mut [f32],
    rows: &MatchingRows,
    idf: &[f64],
    norm: impl Fn(u32) -> f64,
    tick: Tick<'_>,
) {
    let width = if WIDTH == 0 { idf.len() } else { WIDTH };
    let (k1, idf) = (rows.parameters.k1, &idf[..width]);
    for (row, &length) in rows.lengths.iter().enumerate() {
        if row % ROWS_PER_TICK == 0 {
            tick();
        }
        let norm = norm(length);
        let parts = &mut parts[row * width..][..width];
        for lexeme in 0..width {
            parts[lexeme] = part(idf[lexeme], f64::from(parts[lexeme]), k1, norm);
        }
    }
}

/// Adds to every row the score by its own words.
fn add_scores<const WIDTH: usize>(scores: &mut Vec<Score>, parts: &[f32], width: usize, tick: Tick<'_>) {
    let width = if WIDTH == 0 { width.max(1) } else { WIDTH };
    for (row, own) in parts.chunks_exact(width).enumerate() {
        if row % ROWS_PER_TICK == 0 {
            tick();
        }
        let bm25 = sum(own);
        scores.push(Score { bm25, words: bm25 });
    }
}

#[inline(always)]
pub(super) fn sum(parts: &[f32]) -> f64 {
    parts.iter().map(|&part| f64::from(part)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::document::WordList;

    /// Documents as plain words in field B, scored directly by the formula.
    fn naive(documents: &[Vec<&str>], query: &[&str]) -> Vec<f64> {
        let distinct = |d: &Vec<&str>| d.iter().collect::<std::collections::BTreeSet<_>>().len() as f64;
        let n = documents.len() as f64;
        let average = documents.iter().map(distinct).sum::<f64>() / n;
        documents
            .iter()
            .map(|document| {
                let mut score = 0.0;
                for term in query {
                    let df = documents.iter().filter(|d| d.contains(term)).count() as f64;
                    let tf = document.iter().filter(|word| word == &term).count() as f64;
                    let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
                    score += idf * tf * 1.9 / (tf + 0.9 * (0.85 + 0.15 * distinct(document) / average));
                }
                score
            })
            .collect()
    }

    fn document(words: &[&str]) -> WordList {
        let mut positions: std::collections::BTreeMap<&str, Vec<(u16, u16)>> = Default::default();
        for (at, word) in words.iter().enumerate() {
            positions.entry(word).or_default().push((at as u16 + 1, 2));
        }
        let lexemes: Vec<(&str, &[(u16, u16)])> = positions.iter().map(|(w, p)| (*w, p.as_slice())).collect();
        WordList::new(&lexemes)
    }

    fn query(words: &[&str]) -> QueryLexemes {
        QueryLexemes::of(&document(words)).unwrap()
    }

    proptest! {
        #[test]
        fn scores_equal_the_formula_written_naively(
            documents in proptest::collection::vec(proptest::collection::vec("[a-f]", 1..12), 1..20),
            terms in proptest::collection::btree_set("[a-f]", 1..4),
        ) {
            let documents: Vec<Vec<&str>> = documents.iter().map(|d| d.iter().map(String::as_str).collect()).collect();
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            let expected = naive(&documents, &terms);
            let mut matches = Matches::new(&query(&terms), Parameters::default());
            let mut collection = Collection::default();
            let mut matching = Vec::new();
            for (number, words) in documents.iter().enumerate() {
                let parsed = document(words);
                collection.entries += 1;
                collection.total_length += parsed.lexeme_count() as u64;
                if words.iter().any(|word| terms.contains(word)) {
                    matches.add(&parsed, || Ok(Arrival::default())).unwrap();
                    matching.push(number);
                }
            }
            for (score, number) in matches.scores(collection, false, &|| ()).unwrap().of_rows.iter().zip(matching) {
                prop_assert!((score.bm25 - expected[number]).abs() < 1e-5, "{:?} vs {}", score, expected[number]);
            }
        }
    }

    proptest! {
        #[test]
        fn a_word_of_several_lexemes_is_one_term_by_the_formula_written_naively(
            documents in proptest::collection::vec(proptest::collection::vec("[a-f]", 1..12), 1..20),
            meanings in proptest::collection::btree_map("[a-f]", (0..3_usize, 1..4_u32), 1..6),
        ) {
            let documents: Vec<Vec<&str>> = documents.iter().map(|d| d.iter().map(String::as_str).collect()).collect();
            let weight = |quarters: u32| f64::from(quarters) / 4.0;
            let query = QueryLexemes::of_meanings(3, meanings.iter().map(|(lexeme, &(word, quarters))| {
                (lexeme.clone(), Meaning { word, weight: weight(quarters) })
            }));
            let mut matches = Matches::new(&query, Parameters::default());
            let mut collection = Collection::default();
            for words in &documents {
                let parsed = document(words);
                collection.entries += 1;
                collection.total_length += parsed.lexeme_count() as u64;
                matches.add(&parsed, || Ok(Arrival::default())).unwrap();
            }
            let tf = |document: &[&str], word: usize| {
                let of_word = meanings.iter().filter(|(_, meaning)| meaning.0 == word);
                of_word.fold(0.0, |greatest: f64, (lexeme, meaning)| {
                    greatest.max(weight(meaning.1) * document.iter().filter(|held| *held == lexeme).count() as f64)
                })
            };
            let mut naive = Vec::new();
            for document in &documents {
                let distinct = document.iter().collect::<std::collections::BTreeSet<_>>().len() as f64;
                let mut score = 0.0;
                for word in 0..3 {
                    let df = documents.iter().filter(|other| tf(other, word) > 0.0).count() as f64;
                    let idf = (1.0 + (documents.len() as f64 - df + 0.5) / (df + 0.5)).ln();
                    let norm = 0.9 * (0.85 + 0.15 * distinct / collection.average_length());
                    score += idf * tf(document, word) * 1.9 / (tf(document, word) + norm);
                }
                if (0..3).any(|word| tf(document, word) > 0.0) {
                    naive.push(score);
                }
            }
            let scores = matches.scores(collection, false, &|| ()).unwrap().of_rows;
            prop_assert_eq!(scores.len(), naive.len());
            for (score, naive) in scores.iter().zip(naive) {
                prop_assert!((score.bm25 - naive).abs() < 1e-5, "{:?} vs {}", score, naive);
            }
        }
    }

    #[test]
    fn a_match_in_the_summary_outweighs_one_in_the_metadata() {
        let score = |weight: u16| {
            let mut matches = Matches::new(&query(&["tea"]), Parameters::default());
            matches.add(&WordList::new(&[("tea", &[(1, weight)])]), || Ok(Arrival::default())).unwrap();
            matches.scores(Collection { entries: 10, total_length: 10 }, true, &|| ()).unwrap().of_rows[0].words
        };
        assert!(score(3) > score(2) && score(2) > score(0));
    }

    #[test]
    fn a_rare_word_outweighs_a_common_one_and_no_score_is_negative() {
        let mut matches = Matches::new(&query(&["common", "rare"]), Parameters::default());
        for word in ["common", "common", "common", "rare"] {
            matches.add(&document(&[word]), || Ok(Arrival::default())).unwrap();
        }
        let scores = matches.scores(Collection { entries: 4, total_length: 4 }, false, &|| ()).unwrap().of_rows;
        assert!(scores[3].bm25 > scores[0].bm25 && scores[0].bm25 > 0.0);
    }
}
