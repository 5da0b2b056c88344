//! The rows that lend words to each other: the rule of [`neighbour_smoothing`](super::neighbour_smoothing) for all
//! rows, one row at a time.

use crate::error::{Result, out_of_memory};
use crate::interrupt::{ROWS_PER_TICK, Tick};
use crate::rank::neighbour_smoothing::{FROM_AFTER, FROM_BEFORE, GAP_MICROS};
use crate::timestamp::Micros;

/// The number of rows that may lend to one: the one before, the one after, the second before and the second after.
pub(super) const LENDERS: usize = 4;
/// Their rates.
pub(super) const RATES: [f32; LENDERS] = [FROM_BEFORE[0], FROM_AFTER[0], FROM_BEFORE[1], FROM_AFTER[1]];
/// The greatest rates of the rows before, of those before these, and of all that come after.
pub(super) const GREATEST_RATES: [f32; 3] = [FROM_BEFORE[0], FROM_BEFORE[1], FROM_AFTER[0]];
/// The distance to the farthest of them, in turns.
pub(super) const REACH: usize = 2;

/// The neighbours in time that lend words to a row: a bit for each lender.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near(u8);

impl Near {
    /// The neighbours of each row, by its turn in the order of time; `created` gives the creation time of a turn. See
    /// also [`Smoothing::each_row`](super::neighbour_smoothing::Smoothing::each_row).
    pub(super) fn of_rows(rows: usize, created: impl Fn(usize) -> Micros, tick: Tick<'_>) -> Result<Vec<Near>> {
        let mut all: Vec<Near> = Vec::new();
        all.try_reserve_exact(rows).map_err(|_| out_of_memory())?;
        all.resize(rows, Near(0));
        for later in 1..rows {
            if later % ROWS_PER_TICK == 0 {
                tick();
            }
            let near = |earlier: usize| u8::from(created(later).saturating_sub(created(earlier)) <= GAP_MICROS);
            let first = near(later - 1);
            all[later].0 |= first;
            all[later - 1].0 |= first << 1;
            if later >= 2 {
                let second = near(later - 2);
                all[later].0 |= second << 2;
                all[later - 2].0 |= second << 3;
            }
        }
        Ok(all)
    }

    /// The turns of the rows that lend to the row of a turn; their rates are [`RATES`].
    pub(super) fn lenders(self, turn: usize) -> [Option<usize>; LENDERS] {
        let turns = [turn.wrapping_sub(1), turn + 1, turn.wrapping_sub(2), turn + 2];
        std::array::from_fn(|lender| (self.0 >> lender & 1 == 1).then_some(turns[lender]))
    }

    /// For each lender all bits set, or none.
    #[inline(always)]
    pub(super) fn masks(self) -> [u8; LENDERS] {
        std::array::from_fn(|lender| (self.0 >> lender & 1).wrapping_neg())
    }
}
