//! The choice of rows whose exact cosines must be computed so that the nearest are found, by the bounds that codes
//! give.

mod greatest;

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashSet};

use memory_search_core::error::out_of_memory;

use super::Estimate;
use crate::fault::Outcome;
use greatest::Greatest;

/// The number of rows that are kept before the first check for rows that cannot be among the nearest any more.
const FIRST_PRUNING: usize = 1024;

/// Finds the `k` nearest rows, and all that are as near as the last of them.
///
/// First every row is added with its estimate. Then, until [`Nearest::next`] names none, the exact cosines of the rows
/// that it names are computed, and [`Nearest::learn`] is told.
///
/// A row with several vectors is added with the estimate of each, and is as near as the nearest of them. It counts once:
/// [`Nearest::expect_repeats`] must be called before a row is added again.
#[derive(Debug)]
pub struct Nearest {
    k: usize,
    /// The greatest lower bounds, as many as must be reached.
    lower: Greatest,
    reach: usize,
    /// The least of them once there are enough: a row whose upper bound is less is none of the nearest.
    threshold: f32,
    /// The greatest estimates, as many as must be reached.
    estimates: Greatest,
    /// The rows that were named, if rows may be added several times.
    named: Option<HashSet<u32>>,
    /// Whether a row counts with one of its vectors only: then the others, which may be nearer, say how near it can be at
    /// most, and nothing of how near it is at least.
    of_one_vector: bool,
    rows: BinaryHeap<Row>,
    prune_at: usize,
    /// The greatest upper bound of a row that was not kept.
    discarded: f32,
    /// Whether rows were left out by the least that was expected.
    has_left_out: bool,
    /// Rows that were named and turned out not to count.
    uncounted: usize,
    /// The `k` greatest exact cosines.
    exact: BinaryHeap<Reverse<Ordered<f64>>>,
    found: Vec<(u32, f64)>,
}

impl Nearest {
    /// The nearest of rows that all count.
    pub fn new(k: usize) -> Nearest {
        Nearest::with_spare(k, 0)
    }

    /// The nearest of rows of which up to `spare` among the nearest may turn out not to count.
    pub fn with_spare(k: usize, spare: usize) -> Nearest {
        let reach = k.saturating_add(spare);
        Nearest {
            k,
            lower: Greatest::of_rows(reach),
            reach,
            threshold: f32::NEG_INFINITY,
            estimates: Greatest::of_rows(reach),
            named: None,
            of_one_vector: false,
            rows: BinaryHeap::new(),
            prune_at: FIRST_PRUNING,
            discarded: f32::NEG_INFINITY,
            has_left_out: false,
            uncounted: 0,
            exact: BinaryHeap::new(),
            found: Vec::new(),
        }
    }

    /// Each row has several vectors and counts with its nearest one. Must be called before any is added.
    pub fn compare_one_vector(&mut self) {
        self.of_one_vector = true;
    }

    /// Notes that from now on a row may be added several times.
    pub fn expect_repeats(&mut self) -> Outcome<()> {
        if self.named.is_some() {
            return Ok(());
        }
        self.named = Some(HashSet::new());
        if self.of_one_vector {
            // From here on no number of values suffices for a threshold, so that no row is left out. The greatest bound
            // of the rows left out before is kept.
            if self.has_left_out {
                self.discarded = self.discarded.max(self.expected_least());
            }
            (self.lower, self.estimates) = (Greatest::of_rows(usize::MAX), Greatest::of_rows(usize::MAX));
            self.threshold = f32::NEG_INFINITY;
        } else {
            self.lower.expect_repeats()?;
            self.estimates.expect_repeats()?;
        }
        Ok(())
    }

    /// Adds a row. One whose estimate is not a number (of a damaged code) may be as near as can be.
    pub fn add(&mut self, document: u32, estimate: Estimate) -> Outcome<()> {
        let (mut upper, mut lower) = (estimate.upper(), estimate.lower());
        if upper < self.threshold {
            self.discarded = self.discarded.max(upper);
            return Ok(());
        }
        if self.reach == 0 {
            return Ok(());
        }
        if upper.is_nan() || lower.is_nan() {
            (upper, lower) = (f32::INFINITY, f32::NEG_INFINITY);
        }
        if !self.of_one_vector || self.named.is_none() {
            self.lower.keep(document, lower)?;
            if !estimate.cosine.is_nan() {
                self.estimates.keep(document, estimate.cosine)?;
            }
        }
        self.threshold = self.lower.least().unwrap_or(self.threshold);
        self.rows.try_reserve(1).map_err(|_| out_of_memory())?;
        self.rows.push(Row { upper, document });
        if self.rows.len() >= self.prune_at {
            self.prune();
            self.prune_at = FIRST_PRUNING.max(2 * self.rows.len());
        }
        Ok(())
    }

    /// The least cosine that a row must reach to be one of the nearest, as far as is known: the estimate of the last of
    /// the nearest added rows.
    pub fn expected_least(&self) -> f32 {
        self.estimates.least().unwrap_or(f32::NEG_INFINITY)
    }

    /// Notes that rows are not added which hardly reach the [least](Nearest::expected_least).
    pub fn leave_out(&mut self) {
        // The last of the nearest is surely not below it, if enough of the rows count.
        self.discarded = self.discarded.max(self.threshold);
        self.has_left_out = true;
    }

    /// The number of rows that must be at least as near for a row to be none of the nearest.
    pub fn reach(&self) -> usize {
        self.reach
    }

    /// The number of rows that were added, and not yet named, and may be among the nearest by their codes.
    pub fn kept(&mut self) -> usize {
        self.prune();
        self.rows.len()
    }

    /// The next rows whose exact cosines are needed, most promising first, at most this many. No rows if no other row
    /// can be among the nearest, or as near as the last of them.
    pub fn next(&mut self, at_most: usize) -> Outcome<Vec<u32>> {
        let mut next = Vec::new();
        next.try_reserve(at_most.min(self.rows.len())).map_err(|_| out_of_memory())?;
        while next.len() < at_most {
            match self.rows.peek() {
                Some(row) if !self.excludes(row.upper) => {
                    let Some(row) = self.rows.pop() else { break };
                    if let Some(named) = &mut self.named {
                        named.try_reserve(1).map_err(|_| out_of_memory())?;
                        if !named.insert(row.document) {
                            continue;
                        }
                    }
                    next.push(row.document);
                }
                _ => break,
            }
        }
        Ok(next)
    }

    /// Takes the exact cosine of a row that [`Nearest::next`] named; `None` if the row turned out not to count.
    pub fn learn(&mut self, document: u32, cosine: Option<f64>) -> Outcome<()> {
        let Some(cosine) = cosine.filter(|cosine| !cosine.is_nan()) else {
            self.uncounted += 1;
            return Ok(());
        };
        keep_greatest(&mut self.exact, self.k, cosine)?;
        self.found.try_reserve(1).map_err(|_| out_of_memory())?;
        self.found.push((document, cosine));
        Ok(())
    }

    /// Whether the found rows are the nearest. Otherwise there are rows to be named by [`Nearest::next`] or, if that
    /// names none, so many rows did not count that others which were not kept may be among the nearest: they must be
    /// looked for without the codes, or with more to spare.
    pub fn is_complete(&self) -> bool {
        let mut left = self.rows.peek().map_or(self.discarded, |row| self.discarded.max(row.upper));
        if self.has_left_out && self.uncounted > self.reach - self.k {
            // The expected least was computed as if more rows counted than did, so rows above it may have been left out.
            left = left.max(self.expected_least());
        }
        left == f32::NEG_INFINITY || self.excludes(left)
    }

    /// The nearest of the rows that were learned: `k`, and all that are as near as the last of them. By falling cosine,
    /// equal ones by rising document.
    pub fn found(mut self) -> Vec<(u32, f64)> {
        let least = self.least_exact().unwrap_or(f64::NEG_INFINITY);
        self.found.retain(|&(_, cosine)| cosine >= least);
        self.found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.found
    }

    /// Whether a row with this upper bound is farther away than `k` rows whose exact cosines are known.
    fn excludes(&self, upper: f32) -> bool {
        self.least_exact().is_some_and(|least| least > f64::from(upper))
    }

    /// The exact cosine of the `k`-th nearest row that was learned.
    fn least_exact(&self) -> Option<f64> {
        match self.exact.peek() {
            _ if self.k == 0 => Some(f64::INFINITY),
            Some(least) if self.exact.len() == self.k => Some(least.0.0),
            _ => None,
        }
    }

    fn prune(&mut self) {
        let (threshold, discarded) = (self.threshold, &mut self.discarded);
        self.rows.retain(|row| {
            let keep = row.upper >= threshold;
            if !keep {
                *discarded = discarded.max(row.upper);
            }
            keep
        });
    }
}

/// Adds a value to the `count` greatest ones.
fn keep_greatest<T: Copy>(greatest: &mut BinaryHeap<Reverse<Ordered<T>>>, count: usize, value: T) -> Outcome<()>
where
    Ordered<T>: Ord,
{
    if greatest.len() < count {
        greatest.try_reserve(1).map_err(|_| out_of_memory())?;
        greatest.push(Reverse(Ordered(value)));
    } else if let Some(mut least) = greatest.peek_mut()
        && least.0 < Ordered(value)
    {
        *least = Reverse(Ordered(value));
    }
    Ok(())
}

#[derive(Debug, Clone, Copy)]
struct Row {
    upper: f32,
    document: u32,
}

impl Ord for Row {
    fn cmp(&self, other: &Row) -> Ordering {
        self.upper.total_cmp(&other.upper).then(other.document.cmp(&self.document))
    }
}

/// A float by its total order.
#[derive(Debug, Clone, Copy)]
struct Ordered<T>(T);

impl Ord for Ordered<f32> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Ord for Ordered<f64> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

macro_rules! equal_as_ordered {
    ($($type:ty),*) => {$(
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other) == Ordering::Equal
            }
        }

        impl Eq for $type {}

        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }
    )*};
}

equal_as_ordered!(Row, Ordered<f32>, Ordered<f64>);

#[cfg(test)]
mod tests;
