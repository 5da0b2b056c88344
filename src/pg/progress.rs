//! The progress messages of a long operation.

use std::time::{Duration, Instant};

use memory_search_core::Result;

use crate::pg::notice;

/// The interval: short enough to see that the operation continues, long enough not to fill a log.
const BETWEEN_NOTICES: Duration = Duration::from_secs(2);

/// Reports the progress of an operation from time to time.
pub struct Progress {
    verb: &'static str,
    total: Option<u64>,
    done: u64,
    last_notice: Instant,
    has_reported: bool,
}

impl Progress {
    /// An operation called `verb` (as in "purged") over `total` rows, if that number is known.
    pub fn new(verb: &'static str, total: Option<u64>) -> Self {
        Progress { verb, total, done: 0, last_notice: Instant::now(), has_reported: false }
    }

    /// Adds rows that are done; sends a NOTICE if the last one is some seconds old. A cancel takes
    /// effect between batches, too.
    pub fn advance(&mut self, rows: u64) {
        pgrx::check_for_interrupts!();
        self.done += rows;
        if self.is_due() {
            self.report();
        }
    }

    /// Like [`Progress::advance`], for an operation over at most `most` rows whose total is expensive to count: `rest`
    /// counts the rows after those that are done, for the first NOTICE.
    pub fn advance_of(&mut self, rows: u64, most: Option<u64>, rest: impl FnOnce() -> Result<u64>) -> Result<()> {
        if self.total.is_none() && self.is_due() {
            let total = self.done + rows + rest()?;
            self.total = Some(most.map_or(total, |most| most.min(total)));
        }
        self.advance(rows);
        Ok(())
    }

    fn is_due(&self) -> bool {
        self.last_notice.elapsed() >= BETWEEN_NOTICES
    }

    /// The number of rows that are done.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Sends the last NOTICE, if there was one before.
    pub fn finish(mut self) -> u64 {
        if self.has_reported {
            self.report();
        }
        self.done
    }

    fn report(&mut self) {
        self.has_reported = true;
        self.last_notice = Instant::now();
        let of = self.total.map(|total| format!(" of {total}")).unwrap_or_default();
        notice::inform(&format!("{} {}{of} rows", self.verb, self.done));
    }
}
