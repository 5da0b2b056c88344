//! Progress messages: one in each interval, as long as there is progress.

use std::sync::Arc;
use std::time::{Duration, Instant};

use memory_search_client::log;

use memory_search_metrics::tally::Tally;

/// The time of the last message, and the work that was done until then.
pub struct Progress {
    tally: Arc<Tally>,
    every: Duration,
    began: Instant,
    last: Instant,
    said: (u64, u64),
}

impl Progress {
    /// Begins now.
    pub fn new(tally: Arc<Tally>, every: Duration) -> Self {
        let now = Instant::now();
        Progress { tally, every, began: now, last: now, said: (0, 0) }
    }

    /// Whether a message is due: time has passed, and work was done in it.
    pub fn is_due(&self) -> bool {
        let (embedded, purged, _) = self.tally.totals();
        self.last.elapsed() >= self.every && (embedded, purged) != self.said
    }

    /// Writes the work since the last message; `left` says what is known of the rest.
    pub fn say(&mut self, left: &str) {
        let (embedded, purged, _) = self.tally.totals();
        let (more_embedded, more_purged) = (embedded - self.said.0, purged - self.said.1);
        let seconds = self.last.elapsed().as_secs();
        log::line(&format!("embedded {more_embedded}, purged {more_purged} rows in {seconds} s{left}"));
        self.said = (embedded, purged);
        self.last = Instant::now();
    }

    /// Writes the total work.
    pub fn sum(&self, word: &str) {
        let (embedded, purged, errors) = self.tally.totals();
        let errors = match errors {
            0 => String::new(),
            errors => format!(", {errors} errors"),
        };
        let seconds = self.began.elapsed().as_secs();
        log::line(&format!("{word}: embedded {embedded}, purged {purged} rows in {seconds} s{errors}"));
    }
}
