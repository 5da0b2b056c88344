//! The rows that a pass over a memory keeps: the nearest, those that hold a word of the query, and the statistics for
//! BM25.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::Tick;
use crate::error::{self, Result};
use crate::ids::RowId;
use crate::rank::bm25::{self, Collection, Matches, Score, Scores};
use crate::rank::candidate::Candidate;
use crate::rank::neighbour_smoothing::Arrival;
use crate::rank::signals::{Signals, WordStatistics};
use crate::text::document::Document;
use crate::text::query_lexemes::QueryLexemes;
use crate::timestamp::Micros;

/// A row of a pass.
#[derive(Debug, Clone, Copy)]
pub struct Scanned {
    /// The number of its memory among the searched ones.
    pub memory: u32,
    /// Its creation time; the least possible one if an adopted table has none.
    pub created: Micros,
    /// Distinguishes rows of the same instant by their arrival.
    pub order: i64,
    /// 0..100.
    pub importance: f64,
    /// Whether it passes the filters. All rows count for document frequencies: a filter must not change which words are
    /// rare.
    pub passes: bool,
    /// The cosine distance to the query's vector, a number; `None` if it cannot be compared.
    pub distance: Option<f64>,
}

/// A row that may be found.
#[derive(Debug, Clone)]
struct Kept {
    id: RowId,
    scanned: Scanned,
    /// Its number among the rows that hold a word of the query.
    matching: Option<usize>,
}

/// Collects one pass.
pub struct Collector {
    matches: Option<Matches>,
    rows: u64,
    collection: Collection,
    /// The number of the query's words that a row must hold to be found by them.
    required_words: usize,
    /// A row for each of `matches`; `None` if it may not be found.
    matching: Vec<Option<Kept>>,
    /// The nearest rows so far: at least `keep` of them, at most twice as many.
    nearest: Vec<Kept>,
    keep: usize,
    /// Rows further away than this are not among the `keep` nearest.
    furthest: Option<f64>,
}

/// Rows of a pass by signal, best first.
pub struct Collected {
    /// The statistics of all rows; `None` if the search is not by words.
    pub words: Option<WordStatistics>,
    matching: Vec<Option<Kept>>,
    scores: Vec<Score>,
    nearest: Vec<Kept>,
    /// Indexes into `matching`.
    best_by_words: Vec<usize>,
}

impl Collector {
    /// For the words of a query, if it has any; keeps the `nearest` nearest rows.
    pub fn new(
        lexemes: Option<&QueryLexemes>,
        parameters: bm25::Parameters,
        required_words: usize,
        nearest: usize,
    ) -> Self {
        Collector {
            matches: lexemes.map(|lexemes| Matches::new(lexemes, parameters)),
            rows: 0,
            collection: Collection::default(),
            required_words,
            matching: Vec::new(),
            nearest: Vec::new(),
            keep: nearest,
            furthest: None,
        }
    }

    /// Adds a row. Its id is computed only if it may be found; a row without an id cannot be an answer.
    pub fn add(
        &mut self,
        scanned: Scanned,
        document: Option<&impl Document>,
        id: impl FnOnce() -> Result<Option<RowId>>,
    ) -> Result<()> {
        self.rows += 1;
        // Asked for once.
        let mut ask = Some(id);
        let mut known: Option<RowId> = None;
        let mut id = || -> Result<Option<RowId>> {
            if let Some(ask) = ask.take() {
                known = ask()?;
            }
            Ok(known.clone())
        };
        let mut number = None;
        let mut has_words = false;
        if let Some(matches) = &mut self.matches {
            self.collection.entries += 1;
            if let Some(document) = document {
                self.collection.total_length += document.lexeme_count() as u64;
                let held = matches.add(document, || {
                    let tie = id()?.map_or(0, |id| id.tie());
                    Ok(Arrival { created: scanned.created, order: scanned.order, tie })
                })?;
                number = (held > 0).then(|| matches.len() - 1);
                has_words = held >= self.required_words;
            }
        }
        let is_near = scanned.passes && self.may_be_near(scanned.distance);
        if !is_near && number.is_none() {
            return Ok(());
        }
        let kept = match scanned.passes {
            true => id()?.map(|id| Kept { id, scanned, matching: number }),
            false => None,
        };
        // A memory may hold more rows than this backend can: an ERROR, not an abort.
        if is_near && let Some(kept) = &kept {
            self.nearest.try_reserve(1).map_err(|_| error::out_of_memory())?;
            self.nearest.push(kept.clone());
            if self.nearest.len() >= self.keep.saturating_mul(2) {
                self.drop_the_furthest();
            }
        }
        if number.is_some() {
            self.matching.try_reserve(1).map_err(|_| error::out_of_memory())?;
            self.matching.push(kept.filter(|_| has_words));
        }
        Ok(())
    }

    fn may_be_near(&self, distance: Option<f64>) -> bool {
        distance.is_some_and(|distance| {
            self.keep > 0 && self.furthest.is_none_or(|furthest| distance.total_cmp(&furthest) != Ordering::Greater)
        })
    }

    fn drop_the_furthest(&mut self) {
        if self.nearest.len() > self.keep {
            self.nearest.select_nth_unstable_by(self.keep - 1, nearer_first);
            self.nearest.truncate(self.keep);
            self.furthest = self.nearest.last().and_then(|kept| kept.scanned.distance);
        }
    }

    /// The number of rows in the pass, and of those that hold a word of the query.
    pub fn counts(&self) -> (u64, u64) {
        (self.rows, self.matching.len() as u64)
    }

    /// For each lexeme of the query, the number of rows that hold it; for each word, the number of rows that hold a
    /// lexeme that counts for it.
    pub fn frequencies(&self) -> (&[u64], &[u64]) {
        self.matches.as_ref().map_or((&[], &[]), |matches| (matches.holding(), matches.document_frequency()))
    }

    /// Scores the words, and sorts the `limit` best by them. `with_smoothing`: whether neighbours lend words.
    pub fn finish(mut self, with_smoothing: bool, limit: usize, tick: Tick<'_>) -> Result<Collected> {
        self.drop_the_furthest();
        let scores = match &mut self.matches {
            Some(matches) if !matches.is_empty() => matches.scores(self.collection, with_smoothing, tick)?,
            _ => Scores::default(),
        };
        let Scores { of_rows: scores, share_lent } = scores;
        tick();
        let mut best_by_words: Vec<usize> = Vec::new();
        best_by_words.try_reserve_exact(self.matching.len()).map_err(|_| error::out_of_memory())?;
        best_by_words.extend((0..self.matching.len()).filter(|&row| self.matching[row].is_some()));
        let order = |a: &usize, b: &usize| {
            let by_words = scores[*b].words.total_cmp(&scores[*a].words);
            by_words.then_with(|| match (&self.matching[*a], &self.matching[*b]) {
                (Some(a), Some(b)) => newer_first(a, b),
                _ => Ordering::Equal,
            })
        };
        if best_by_words.len() > limit {
            best_by_words.select_nth_unstable_by(limit, order);
            best_by_words.truncate(limit);
        }
        best_by_words.sort_by(order);
        tick();
        let mut nearest = self.nearest;
        nearest.sort_by(nearer_first);
        tick();
        let words = self.matches.as_ref().map(|matches| matches.statistics(self.collection, share_lent));
        Ok(Collected { words, matching: self.matching, scores, nearest, best_by_words })
    }
}

impl Collected {
    /// The `limit` best of each signal, each with both of its signals.
    pub fn into_candidates(self, limit: usize, tick: Tick<'_>) -> Vec<Candidate> {
        // A row with its ranks by meaning and by words, from 1.
        type WithRanks<'a> = (&'a Kept, Option<usize>, Option<usize>);
        let mut by_id: BTreeMap<(String, u32), WithRanks<'_>> = BTreeMap::new();
        for (rank, kept) in self.nearest.iter().take(limit).enumerate() {
            tick();
            by_id.insert((kept.id.to_text(), kept.scanned.memory), (kept, Some(rank + 1), None));
        }
        let best_by_words = self.best_by_words.iter().filter_map(|&row| self.matching[row].as_ref());
        for (rank, kept) in best_by_words.enumerate() {
            tick();
            by_id.entry((kept.id.to_text(), kept.scanned.memory)).or_insert((kept, None, None)).2 = Some(rank + 1);
        }
        by_id
            .into_iter()
            .map(|((id, memory), (kept, semantic_rank, keyword_rank))| {
                tick();
                let score = kept.matching.map(|number| self.scores[number]);
                Candidate {
                    id,
                    memory,
                    created: kept.scanned.created,
                    importance: kept.scanned.importance,
                    signals: Signals {
                        cosine: kept.scanned.distance.map(|distance| 1.0 - distance),
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
}

/// Rows that cannot be compared come last.
fn nearer_first(a: &Kept, b: &Kept) -> Ordering {
    let distance = |kept: &Kept| kept.scanned.distance.unwrap_or(f64::INFINITY);
    distance(a).total_cmp(&distance(b)).then_with(|| newer_first(a, b))
}

fn newer_first(a: &Kept, b: &Kept) -> Ordering {
    let by_time_and_id = b.scanned.created.cmp(&a.scanned.created).then_with(|| a.id.text_order(&b.id));
    by_time_and_id.then_with(|| a.scanned.memory.cmp(&b.scanned.memory))
}
