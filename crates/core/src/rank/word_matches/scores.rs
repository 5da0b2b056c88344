//! The scores of some rows, and the best rows without the scores of all.

use std::collections::HashMap;

use super::bounds::Bounds;
use super::{Kinds, WordMatches};
use crate::error::{Error, Result, out_of_memory};
use crate::interrupt::{ROWS_PER_TICK, Tick};
use crate::rank::arrivals::TimeOrder;
use crate::rank::best_rows::with_best_scores;
use crate::rank::bm25::{self, Collection, Score};
use crate::rank::near::Near;
use crate::rank::neighbour_smoothing;
use crate::timestamp::Micros;

/// The number of rows in a block whose greatest bound is kept.
const ROWS_A_BLOCK: usize = 64;
/// The factor on the number of blocks to read if those before had too few rows that may be taken.
const MORE: usize = 4;

/// The statistics of all rows, after the last was added.
pub struct Scoring {
    pub(super) idf: Vec<f64>,
    pub(super) average_length: f64,
    /// The share that neighbours lend, 0..1.
    pub share_lent: f32,
    /// For each turn, the neighbours that lend; empty if none does.
    pub(super) near: Vec<Near>,
    bounds: Bounds,
    /// The bound of each row; below any score once the row is taken.
    uppers: Vec<f32>,
    /// The greatest bound of each block.
    of_blocks: Vec<f32>,
    scores: HashMap<usize, Score>,
}

/// The best of the rows that were not taken before.
#[derive(Debug)]
pub struct Taken {
    /// Ascending, with scores.
    pub rows: Vec<usize>,
    /// Whether no other rows may be taken.
    pub are_all: bool,
}

impl WordMatches {
    /// Prepares to score rows. `with_smoothing`: whether neighbours lend words; `created` gives the creation time of each
    /// row, if they do.
    pub fn scoring<E: From<Error>>(
        &self,
        collection: Collection,
        with_smoothing: bool,
        created: impl FnOnce() -> Result<Vec<Micros>, E>,
        tick: Tick<'_>,
    ) -> Result<Scoring, E> {
        let (rows, average_length) = (self.len(), collection.average_length());
        let idf = bm25::idf(collection, rows, &self.document_frequency);
        let sorted_kinds = match &self.order {
            TimeOrder::Permuted { rows, .. } if with_smoothing => Some(sorted(&self.kinds, rows, tick)?),
            _ => None,
        };
        let kinds = sorted_kinds.as_ref().unwrap_or(&self.kinds);
        let share_lent = match with_smoothing && rows >= 2 {
            true => neighbour_smoothing::share_borrowed(&kinds[0], &self.document_frequency, tick),
            false => 0.0,
        };
        let norm = |length: u32| self.parameters.norm(length, average_length);
        let bounds = Bounds::of(self, &norm, &idf, share_lent);
        let near = match share_lent > 0.0 {
            true => {
                let created = created()?;
                Near::of_rows(rows, |turn| created[self.order.row(turn)], tick)?
            }
            false => Vec::new(),
        };
        let mut uppers = filled(rows, 0.0)?;
        match &self.order {
            TimeOrder::Permuted { rows: by_time, .. } if sorted_kinds.is_some() => {
                let mut of_turns = filled(rows, 0.0)?;
                bounds.fill(kinds, |turn| self.lengths[by_time[turn] as usize], &near, &mut of_turns, tick);
                by_time.iter().zip(of_turns).for_each(|(&row, upper)| uppers[row as usize] = upper);
            }
            _ => bounds.fill(kinds, |row| self.lengths[row], &near, &mut uppers, tick),
        }
        let greater = |a: f32, b: f32| if b > a { b } else { a };
        let of_blocks = uppers.chunks(ROWS_A_BLOCK).map(|block| block.iter().copied().fold(0.0, greater)).collect();
        Ok(Scoring { idf, average_length, share_lent, near, bounds, uppers, of_blocks, scores: HashMap::new() })
    }
}

impl Scoring {
    /// The score of a scored row.
    pub fn score(&self, row: usize) -> Option<Score> {
        self.scores.get(&row).copied()
    }

    /// The greatest possible score of a row.
    #[cfg(test)]
    pub(super) fn upper(&self, row: usize) -> f32 {
        self.uppers[row]
    }

    /// The bound of a row by each of the neighbours that lend to it.
    pub(super) fn upper_by_lenders(&self, matches: &WordMatches, row: usize) -> f32 {
        self.bounds.with_lenders(matches, row, self.lenders(matches, row))
    }

    /// Scores ascending rows.
    pub fn score_rows(&mut self, matches: &WordMatches, rows: &[usize], tick: Tick<'_>) -> Result<()> {
        self.scores.try_reserve(rows.len()).map_err(|_| out_of_memory())?;
        let scores = self.scores_of(matches, rows, tick)?;
        self.scores.extend(rows.iter().copied().zip(scores));
        Ok(())
    }

    /// Takes the rows with the `count` greatest scores, `count` being at least one, from rows that may be taken and
    /// were not before, and all rows with the score of the last of them.
    pub fn take_best(
        &mut self,
        matches: &WordMatches,
        may_be_taken: impl Fn(usize) -> bool,
        count: usize,
        tick: Tick<'_>,
    ) -> Result<Taken> {
        // The rows with the greatest bounds, and all rows with the same bound as the last of them.
        let (mut rows, mut bound, mut blocks) = (Vec::new(), f32::INFINITY, count);
        while rows.len() < count && bound > f32::NEG_INFINITY {
            tick();
            rows.clear();
            bound = self.bound_of_blocks(blocks)?;
            self.put_rows(f64::from(bound), f32::INFINITY, &may_be_taken, &mut rows)?;
            blocks = blocks.saturating_mul(MORE);
        }
        let mut scores = self.scores_of(matches, &rows, tick)?;
        if rows.len() >= count && bound > f32::NEG_INFINITY {
            // Other rows must reach the score of the last of the best of these.
            let mut words: Vec<f64> = scores.iter().map(|score| score.words).collect();
            let (_, &mut least, _) = words.select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a));
            let mut others = Vec::new();
            self.put_rows(least, bound, &may_be_taken, &mut others)?;
            let mut examined = 0;
            others.retain(|&row| {
                examined += 1;
                if examined % ROWS_PER_TICK == 0 {
                    tick();
                }
                f64::from(self.upper_by_lenders(matches, row)) >= least
            });
            scores.extend(self.scores_of(matches, &others, tick)?);
            rows.append(&mut others);
        }
        let are_all = rows.len() <= count && bound == f32::NEG_INFINITY;
        let mut places: Vec<usize> = (0..rows.len()).collect();
        let best = with_best_scores(&mut places, count, |place| scores[place].words)?;
        self.scores.try_reserve(best.len()).map_err(|_| out_of_memory())?;
        self.scores.extend(best.iter().map(|&place| (rows[place], scores[place])));
        let mut taken: Vec<usize> = best.into_iter().map(|place| rows[place]).collect();
        taken.sort_unstable();
        taken.iter().for_each(|&row| self.uppers[row] = f32::NEG_INFINITY);
        Ok(Taken { rows: taken, are_all })
    }

    /// Allows rows to be taken again.
    pub fn put_back(&mut self, rows: &[usize]) {
        for &row in rows {
            let upper = self.score(row).map_or(f32::INFINITY, |score| (score.words as f32).next_up());
            self.uppers[row] = upper;
            let of_block = &mut self.of_blocks[row / ROWS_A_BLOCK];
            *of_block = of_block.max(upper);
        }
    }

    /// The bound that the best rows in this many blocks reach; below any score if there are no more blocks.
    fn bound_of_blocks(&self, blocks: usize) -> Result<f32> {
        if blocks >= self.of_blocks.len() {
            return Ok(f32::NEG_INFINITY);
        }
        let mut greatest: Vec<f32> = Vec::new();
        greatest.try_reserve_exact(self.of_blocks.len()).map_err(|_| out_of_memory())?;
        greatest.extend(&self.of_blocks);
        Ok(*greatest.select_nth_unstable_by(blocks - 1, |a, b| b.total_cmp(a)).1)
    }

    /// Appends the rows that may be taken and whose bounds are at least the first and below the second.
    fn put_rows(
        &self,
        least: f64,
        below: f32,
        may_be_taken: impl Fn(usize) -> bool,
        rows: &mut Vec<usize>,
    ) -> Result<()> {
        for (block, uppers) in self.uppers.chunks(ROWS_A_BLOCK).enumerate() {
            if f64::from(self.of_blocks[block]) < least {
                continue;
            }
            rows.try_reserve(uppers.len()).map_err(|_| out_of_memory())?;
            let reaches = |upper: f32| f64::from(upper) >= least && upper < below && upper > f32::NEG_INFINITY;
            let reaching = (block * ROWS_A_BLOCK..).zip(uppers).filter(|(_, upper)| reaches(**upper));
            rows.extend(reaching.map(|(row, _)| row).filter(|&row| may_be_taken(row)));
        }
        Ok(())
    }
}

fn filled<T: Clone>(rows: usize, value: T) -> Result<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(rows).map_err(|_| out_of_memory())?;
    all.resize(rows, value);
    Ok(all)
}

/// Bytes of rows in the order of time.
fn sorted(kinds: &Kinds, by_time: &[u32], tick: Tick<'_>) -> Result<Kinds> {
    let mut all = Kinds::default();
    for (bits, sorted) in kinds.iter().zip(&mut all) {
        for bytes in bits {
            tick();
            let mut of_rows: Vec<u8> = Vec::new();
            of_rows.try_reserve_exact(by_time.len()).map_err(|_| out_of_memory())?;
            of_rows.extend(by_time.iter().map(|&row| bytes[row as usize]));
            sorted.push(of_rows);
        }
    }
    Ok(all)
}
