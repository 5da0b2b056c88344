//! What a long operation says of itself while it runs.

use std::time::{Duration, Instant};

use crate::pg::notice;

/// Often enough to see that it goes on, seldom enough not to fill a log.
const BETWEEN_NOTICES: Duration = Duration::from_secs(2);

/// Reports how far an operation is, now and then.
pub struct Progress {
    verb: &'static str,
    total: Option<u64>,
    done: u64,
    last_notice: Instant,
    has_reported: bool,
}

impl Progress {
    /// An operation called `verb` (as in "purged") over `total` rows, when that is known.
    pub fn new(verb: &'static str, total: Option<u64>) -> Self {
        Progress { verb, total, done: 0, last_notice: Instant::now(), has_reported: false }
    }

    /// Adds rows that are done; a NOTICE when the last one is some seconds ago. Between batches is
    /// also where a cancel takes effect.
    pub fn advance(&mut self, rows: u64) {
        pgrx::check_for_interrupts!();
        self.done += rows;
        if self.last_notice.elapsed() >= BETWEEN_NOTICES {
            self.report();
        }
    }

    /// How many rows are done.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// The last NOTICE, where there was one before.
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
