//! The number of rows in one transaction. Another session that changes a row which is being embedded waits for the end
//! of the transaction, and an embedder may take microseconds or seconds for a text: so the number follows from the
//! duration of the last transaction.

use std::time::Duration;

/// The target duration of a transaction.
const WANTED: Duration = Duration::from_millis(500);

/// The rows of the first transaction: few, because nothing is known of the embedder.
const FIRST_ROWS: u32 = 10;

/// A number of rows that adapts itself.
#[derive(Debug, Clone, Copy)]
pub struct Batch {
    rows: u32,
    most: u32,
}

impl Batch {
    /// At most this many rows.
    pub fn at_most(most: u32) -> Self {
        Batch { rows: FIRST_ROWS.min(most), most }
    }

    /// The rows of the next transaction.
    pub fn rows(self) -> u32 {
        self.rows
    }

    /// Notes that a transaction succeeded with `done` rows: the next one gets about the target duration, with at most
    /// four times the rows. If it was quick with fewer rows than it might have had, it says nothing about more of them;
    /// but a slow one may have waited long for rows that then failed.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped to 1..=most")]
    pub fn took(&mut self, took: Duration, done: u64) {
        let done = u32::try_from(done).unwrap_or(u32::MAX).min(self.rows);
        if done < self.rows && took <= WANTED {
            return;
        }
        let factor = (WANTED.as_secs_f64() / took.as_secs_f64().max(1e-6)).min(4.0);
        self.rows = ((f64::from(done) * factor) as u32).clamp(1, self.most);
    }

    /// Notes that a transaction took too long for the database; returns whether a smaller one is worth trying.
    pub fn shrink(&mut self) -> bool {
        let worth = self.rows > 1;
        self.rows = (self.rows / 4).max(1);
        worth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_transactions_grow_to_the_most_and_no_further() {
        let mut batch = Batch::at_most(1_000);
        for _ in 0..10 {
            batch.took(Duration::from_millis(1), u64::from(batch.rows()));
        }
        assert_eq!(batch.rows(), 1_000);
    }

    #[test]
    fn few_rows_say_nothing_about_many() {
        let mut batch = Batch::at_most(200);
        for done in [1, 1, 0] {
            batch.took(Duration::from_millis(20), done);
            assert_eq!(batch.rows(), FIRST_ROWS);
        }
        batch.took(Duration::from_secs(1), 4);
        assert_eq!(batch.rows(), 2);
    }

    #[test]
    fn an_embedder_that_embeds_nothing_for_long_gets_one_row() {
        let mut batch = Batch::at_most(200);
        batch.took(Duration::from_secs(60), 0);
        assert_eq!(batch.rows(), 1);
    }

    #[test]
    fn slow_ones_shrink_to_one_row() {
        let mut batch = Batch::at_most(1_000);
        batch.took(Duration::from_secs(10), 10);
        assert_eq!(batch.rows(), 1);
        assert!(!batch.shrink());
        batch.took(Duration::ZERO, 1);
        assert_eq!(batch.rows(), 4);
        assert!(batch.shrink());
        assert_eq!((batch.rows(), Batch::at_most(3).rows()), (1, 3));
    }
}
