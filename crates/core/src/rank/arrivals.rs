//! The times at which the rows with words of a query were added, and their order in time.

use std::collections::BTreeMap;

use crate::error::{Result, out_of_memory};
use crate::rank::neighbour_smoothing::Arrival;
use crate::timestamp::Micros;

/// Rows mostly come in few runs, each in the order of time: the parts of a memory.
const FEW_RUNS: usize = 64;

/// The order of rows in time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TimeOrder {
    /// The order of the rows.
    #[default]
    OfRows,
    /// Another one.
    Permuted {
        /// The row of each turn.
        rows: Vec<u32>,
        /// The turn of each row.
        turns: Vec<u32>,
    },
}

/// Rows that follow each other, and come one after another in time, each at its own instant or order.
#[derive(Debug, Clone)]
pub struct Run {
    /// The number of rows.
    pub rows: usize,
    /// The creation times of the first and the last in time.
    pub created: (Micros, Micros),
    /// Their turns among each other, from 0, if that is not their order.
    pub order: TimeOrder,
}

impl TimeOrder {
    /// From the row of each turn.
    fn of_turns(rows: Vec<u32>) -> Result<TimeOrder> {
        let mut turns: Vec<u32> = Vec::new();
        turns.try_reserve_exact(rows.len()).map_err(|_| out_of_memory())?;
        turns.resize(rows.len(), 0);
        (0_u32..).zip(&rows).for_each(|(turn, &row)| turns[row as usize] = turn);
        Ok(TimeOrder::Permuted { rows, turns })
    }

    /// The order of runs that contain all rows, in the order of rows; `None` if they overlap in time.
    pub fn of_runs(runs: &[Run]) -> Result<Option<TimeOrder>> {
        let mut first = 0;
        let mut by_time: Vec<(usize, &Run)> = Vec::with_capacity(runs.len());
        for run in runs.iter().filter(|run| run.rows > 0) {
            by_time.push((first, run));
            first += run.rows;
        }
        by_time.sort_by_key(|(_, run)| run.created);
        if by_time.windows(2).any(|pair| pair[0].1.created.1 >= pair[1].1.created.0) {
            return Ok(None);
        }
        if by_time.is_sorted_by_key(|(first, _)| first) && by_time.iter().all(|(_, run)| run.order == TimeOrder::OfRows)
        {
            return Ok(Some(TimeOrder::OfRows));
        }
        let mut rows: Vec<u32> = Vec::new();
        rows.try_reserve_exact(first).map_err(|_| out_of_memory())?;
        for (first, run) in by_time {
            rows.extend((0..run.rows).map(|turn| (first + run.order.row(turn)) as u32));
        }
        TimeOrder::of_turns(rows).map(Some)
    }

    /// The row of a turn.
    #[inline]
    pub fn row(&self, turn: usize) -> usize {
        match self {
            TimeOrder::OfRows => turn,
            TimeOrder::Permuted { rows, .. } => rows[turn] as usize,
        }
    }

    /// The turn of a row.
    #[inline]
    pub fn turn(&self, row: usize) -> usize {
        match self {
            TimeOrder::OfRows => row,
            TimeOrder::Permuted { turns, .. } => turns[row] as usize,
        }
    }
}

/// The arrivals of rows: an [`Arrival`] each, of which hardly any has a tie.
#[derive(Debug, Clone, Default)]
pub struct Arrivals {
    /// Creation times.
    pub created: Vec<Micros>,
    /// A number that grows with insertion.
    pub order: Vec<i64>,
    ties: BTreeMap<u32, u128>,
}

impl Arrivals {
    /// Rows.
    pub fn len(&self) -> usize {
        self.created.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.created.is_empty()
    }

    /// Reserves space for this many more rows.
    pub fn reserve(&mut self, rows: usize) -> Result<()> {
        let reserved = self.created.try_reserve(rows).and_then(|()| self.order.try_reserve(rows));
        reserved.map_err(|_| out_of_memory())
    }

    /// Distinguishes a row from others of the same instant and order.
    pub fn set_tie(&mut self, row: usize, tie: u128) {
        self.ties.insert(row as u32, tie);
    }

    fn get(&self, row: usize) -> Arrival {
        let tie = self.ties.get(&(row as u32)).copied().unwrap_or(0);
        Arrival { created: self.created[row], order: self.order[row], tie }
    }

    /// Rows of one instant with the same order, as long as nothing else distinguishes them.
    pub fn tied(&self) -> Result<Vec<usize>> {
        let instants = || self.created.iter().zip(&self.order);
        if instants().is_sorted_by(|earlier, later| earlier < later) {
            return Ok(Vec::new());
        }
        let by_time = self.by_time()?;
        let at = |turn: usize| by_time.as_ref().map_or(turn, |by_time| by_time[turn] as usize);
        let mut tied: Vec<usize> = Vec::new();
        for turn in 1..self.len() {
            let (earlier, later) = (at(turn - 1), at(turn));
            if (self.created[earlier], self.order[earlier]) == (self.created[later], self.order[later]) {
                tied.try_reserve(2).map_err(|_| out_of_memory())?;
                if tied.last() != Some(&earlier) {
                    tied.push(earlier);
                }
                tied.push(later);
            }
        }
        Ok(tied)
    }

    /// All rows as a run; `None` if nothing distinguishes some of them.
    pub fn as_run(&self) -> Result<Option<Run>> {
        if !self.tied()?.is_empty() {
            return Ok(None);
        }
        let times = || self.created.iter().copied();
        let created = times().min().zip(times().max());
        let order = self.time_order()?;
        Ok(created.map(|created| Run { rows: self.len(), created, order }))
    }

    /// The order of the rows in time, equal ones in their present order.
    pub fn time_order(&self) -> Result<TimeOrder> {
        self.by_time()?.map_or(Ok(TimeOrder::OfRows), TimeOrder::of_turns)
    }

    /// Rows in the order of time, equal ones in their present order; `None` if all are in order.
    fn by_time(&self) -> Result<Option<Vec<u32>>> {
        let rows = self.len();
        let falls = |row: usize| match self.ties.is_empty() {
            true => (self.created[row - 1], self.order[row - 1]) > (self.created[row], self.order[row]),
            false => self.get(row - 1) > self.get(row),
        };
        let mut starts: Vec<usize> = vec![0];
        starts.extend((1..rows).filter(|&row| falls(row)).take(FEW_RUNS));
        if starts.len() == 1 {
            return Ok(None);
        }
        let mut by_time: Vec<u32> = Vec::new();
        by_time.try_reserve_exact(rows).map_err(|_| out_of_memory())?;
        if starts.len() <= FEW_RUNS {
            let ends = starts.iter().skip(1).copied().chain([rows]);
            let mut runs: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
            runs.sort_by_key(|&(start, _)| self.get(start));
            if runs.windows(2).all(|pair| self.get(pair[0].1 - 1) < self.get(pair[1].0)) {
                runs.into_iter().for_each(|(start, end)| by_time.extend(start as u32..end as u32));
                return Ok(Some(by_time));
            }
        }
        by_time.extend(0..rows as u32);
        match self.ties.is_empty() {
            true => by_time.sort_by_key(|&row| (self.created[row as usize], self.order[row as usize])),
            false => by_time.sort_by_key(|&row| self.get(row as usize)),
        }
        Ok(Some(by_time))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn runs_that_do_not_overlap_have_the_order_of_their_arrivals_and_others_have_none(
            runs in proptest::collection::vec(proptest::collection::vec((0..60_i64, 0..3_i64), 0..12), 0..6),
            apart in 0..100_i64, descending: bool,
        ) {
            let (mut all, mut of_runs, mut ranges) = (Arrivals::default(), Vec::new(), Vec::new());
            let count = runs.len() as i64;
            for (number, run) in (0..).zip(runs) {
                let mut arrivals = Arrivals::default();
                let later = apart * if descending { count - number } else { number };
                arrivals.created.extend(run.iter().map(|(created, _)| created + later));
                arrivals.order.extend(run.iter().map(|(_, order)| order));
                let Some(run) = arrivals.as_run().unwrap() else {
                    // The run is empty, or has rows of one instant and order.
                    prop_assert!(arrivals.is_empty() || !arrivals.tied().unwrap().is_empty());
                    continue;
                };
                all.created.extend(&arrivals.created);
                all.order.extend(&arrivals.order);
                ranges.push(run.created);
                of_runs.push(run);
            }
            ranges.sort_unstable();
            let overlap = ranges.windows(2).any(|pair| pair[0].1 >= pair[1].0);
            let expected = if overlap { None } else { Some(all.time_order().unwrap()) };
            prop_assert_eq!(TimeOrder::of_runs(&of_runs).unwrap(), expected.clone());
            if let Some(order) = expected {
                prop_assert!((0..all.len()).all(|turn| order.turn(order.row(turn)) == turn));
            }
        }

        #[test]
        fn rows_are_in_the_order_of_their_arrivals(
            runs in proptest::collection::vec(proptest::collection::vec((0..40_i64, 0..3_i64), 0..12), 0..6),
            are_sorted: bool, apart: bool,
        ) {
            let mut arrivals = Arrivals::default();
            let count = runs.len() as i64;
            for (number, mut run) in runs.into_iter().enumerate() {
                if are_sorted {
                    run.sort_unstable();
                }
                // The last run comes first.
                let later = if apart { (count - number as i64) * 100 } else { 0 };
                arrivals.created.extend(run.iter().map(|(created, _)| created + later));
                arrivals.order.extend(run.iter().map(|(_, order)| order));
            }
            let rows = 0..arrivals.len();
            let tied = arrivals.tied().unwrap();
            let has_double = |row: &usize| rows.clone().any(|other| other != *row && arrivals.get(other) == arrivals.get(*row));
            let mut sorted = tied.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, Vec::from_iter(rows.clone().filter(has_double)));
            for with_ties in [false, true] {
                if with_ties {
                    tied.iter().enumerate().for_each(|(tie, &row)| arrivals.set_tie(row, 1000 - tie as u128));
                    prop_assert!(rows.clone().all(|row| rows.clone().all(|other| other == row || arrivals.get(other) != arrivals.get(row))));
                }
                let mut expected: Vec<u32> = rows.clone().map(|row| row as u32).collect();
                expected.sort_by_key(|&row| arrivals.get(row as usize));
                let found = arrivals.by_time().unwrap();
                prop_assert_eq!(found.is_none(), rows.clone().all(|row| expected[row] == row as u32));
                prop_assert_eq!(found.unwrap_or(expected.clone()), expected);
            }
        }
    }
}
