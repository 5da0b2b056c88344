//! The work of a watcher, by store: for its messages, and for Prometheus.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::exposition::{Exposition, Family, Kind, Label};

/// The work in one store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows that got an embedding.
    pub embedded: u64,
    /// Rows that were removed permanently.
    pub purged: u64,
    /// Calls that were refused.
    pub errors: u64,
    /// The time when all work in the store last succeeded.
    pub last_success: Option<SystemTime>,
}

#[derive(Debug, Default)]
struct Known {
    stores: BTreeMap<String, Counts>,
    outages: u64,
}

/// The work since the program was started.
#[derive(Debug, Default)]
pub struct Tally(Mutex<Known>);

impl Tally {
    /// Counts work in a store.
    pub fn count(&self, store: &str, change: impl FnOnce(&mut Counts)) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.stores.contains_key(store) {
            known.stores.insert(store.to_owned(), Counts::default());
        }
        if let Some(counts) = known.stores.get_mut(store) {
            change(counts);
        }
    }

    /// Counts that the database could not be reached.
    pub fn outage(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).outages += 1;
    }

    /// The numbers of embedded rows, purged rows and refused calls, of all stores.
    pub fn totals(&self) -> (u64, u64, u64) {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.stores.values().fold((0, 0, 0), |(embedded, purged, errors), counts| {
            (embedded + counts.embedded, purged + counts.purged, errors + counts.errors)
        })
    }

    /// Writes the counts in the format for Prometheus.
    #[expect(clippy::cast_precision_loss, reason = "what is counted stays far below 2^53")]
    pub fn expose(&self, out: &mut Exposition) {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let each = |value: fn(&Counts) -> u64| {
            known.stores.iter().map(move |(store, counts)| (store.as_str(), value(counts) as f64))
        };
        out.values(&EMBEDDED, Label::Store, each(|counts| counts.embedded));
        out.values(&PURGED, Label::Store, each(|counts| counts.purged));
        out.values(&ERRORS, Label::Store, each(|counts| counts.errors));
        let successes = known.stores.iter().filter_map(|(store, counts)| {
            let since = counts.last_success?.duration_since(UNIX_EPOCH).ok()?;
            Some((store.as_str(), since.as_secs_f64()))
        });
        out.values(&LAST_SUCCESS, Label::Store, successes);
        out.value(&OUTAGES, known.outages as f64);
    }
}

const EMBEDDED: Family = Family {
    name: "memory_search_watch_embedded_total",
    kind: Kind::Counter,
    help: "Entries and contexts that this watcher embedded.",
};
const PURGED: Family = Family {
    name: "memory_search_watch_purged_total",
    kind: Kind::Counter,
    help: "Entries and contexts that this watcher removed for good.",
};
const ERRORS: Family = Family {
    name: "memory_search_watch_errors_total",
    kind: Kind::Counter,
    help: "Calls of this watcher that the database refused.",
};
const LAST_SUCCESS: Family = Family {
    name: "memory_search_watch_last_success_timestamp_seconds",
    kind: Kind::Gauge,
    help: "When this watcher last did all that it was to do in the store, also where that was nothing.",
};
const OUTAGES: Family = Family {
    name: "memory_search_watch_outages_total",
    kind: Kind::Counter,
    help: "How often this watcher found the database out of reach.",
};
