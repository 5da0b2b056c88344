//! Collects figures when they are requested, once for all simultaneous requests.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use memory_search_client::database::connections::Connections;
use memory_search_client::database::reading::Reading;
use memory_search_client::database::scope::{Bounds, Caller};
use memory_search_client::database::transaction::RESTRICT_KINDS;

use crate::exposition::{Exposition, Family, Kind, Label};
use crate::figures::{self, Figures, StoreFigures};
use crate::tally::Tally;

/// The time for which an answer is reused for the next request: so a client that reaches the listener cannot keep the
/// database busy.
const FRESH: Duration = Duration::from_secs(1);

/// The time limit of a statement.
const TIMEOUT_MILLIS: u64 = 5_000;

/// The time limit of a whole collection, also if the database does not answer.
const PATIENCE: Duration = Duration::from_secs(9);

/// The settings of each transaction: it waits for no locks, it finds waiting rows by their index, and it runs no policy
/// and no view of another user.
const SETTINGS: &[(&str, &str)] = &[
    ("lock_timeout", "200"),
    ("enable_seqscan", "off"),
    ("row_security", "off"),
    (RESTRICT_KINDS, "view, foreign-table"),
];

/// The reading of figures, on behalf of `role` or of the login.
pub fn reading_of(connections: Connections, role: Option<String>) -> Reading {
    let bounds = Bounds {
        user_setting: String::new(),
        max_entries: None,
        timeout_millis: TIMEOUT_MILLIS,
        read_only: true,
        settings: SETTINGS,
    };
    Reading::new(connections, bounds, Caller { store: None, user: None, role })
}

/// The figures of the program itself, if it has any.
pub type Program = Arc<Tally>;

/// Collects figures.
pub struct Collector {
    reading: Reading,
    stores: Vec<String>,
    program: Option<Program>,
    /// The time when no row was waiting in a store: rows that wait now came later.
    nothing_waited: Mutex<BTreeMap<String, Instant>>,
    last: tokio::sync::Mutex<Option<(Instant, String)>>,
}

impl Collector {
    /// Reads these stores, or all that the role may read.
    pub fn new(connections: Connections, stores: Vec<String>, role: Option<String>, program: Option<Program>) -> Self {
        let reading = reading_of(connections, role);
        Collector { reading, stores, program, nothing_waited: Mutex::default(), last: tokio::sync::Mutex::new(None) }
    }

    /// The figures in the format for Prometheus.
    pub async fn text(&self) -> String {
        let mut last = self.last.lock().await;
        let database = match &*last {
            Some((read, text)) if read.elapsed() < FRESH => text.clone(),
            _ => {
                let text = self.of_database().await;
                *last = Some((Instant::now(), text.clone()));
                text
            }
        };
        drop(last);
        let mut exposition = Exposition::default();
        if let Some(program) = &self.program {
            program.expose(&mut exposition);
        }
        database + &exposition.text()
    }

    async fn of_database(&self) -> String {
        let began = Instant::now();
        let mut exposition = Exposition::default();
        match tokio::time::timeout(PATIENCE, figures::read(&self.reading, &self.stores)).await {
            Ok(Ok(figures)) => {
                exposition.value(&UP, 1.0);
                self.expose(&mut exposition, began, figures);
            }
            Ok(Err(error)) => {
                exposition.value(&UP, 0.0);
                exposition.comment(&format!("the stores could not be read: {}", error.code()));
            }
            Err(_) => {
                exposition.value(&UP, 0.0);
                exposition.comment("the stores could not be read: no answer in time");
            }
        }
        exposition.value(&SCRAPE_SECONDS, began.elapsed().as_secs_f64());
        exposition.text()
    }

    fn expose(&self, out: &mut Exposition, began: Instant, figures: Figures) {
        let stores = &figures.stores;
        out.values(&ENTRIES, Label::Store, each(stores, |store| store.entries));
        out.values(&WAITING, Label::Store, each(stores, |store| Some(store.waiting?.rows)));
        out.values(&OLDEST, Label::Store, each(stores, |store| self.oldest(store, began)));
        out.values(&REFUSED, Label::Store, each(stores, |store| Some(store.waiting?.refused)));
        out.values(&TABLE_BYTES, Label::Store, each(stores, |store| Some(store.bytes?.0)));
        out.values(&INDEX_BYTES, Label::Store, each(stores, |store| Some(store.bytes?.1)));
        if figures.functions.is_empty() {
            let mut why = format!("{} and {} are left out: ", CALLS.name, SECONDS.name);
            let _ = match figures.tracked.as_str() {
                "all" => write!(why, "no function of the extension has been called since track_functions is all"),
                other => write!(why, "track_functions is {other}, and the server counts them where it is all"),
            };
            out.comment(&why);
        }
        let functions = &figures.functions;
        out.values(&CALLS, Label::Function, functions.iter().map(|of| (of.function.as_str(), of.calls)));
        out.values(&SECONDS, Label::Function, functions.iter().map(|of| (of.function.as_str(), of.seconds)));
        out.value(&ERRORS, f64::from(figures.errors));
    }

    /// The time that the oldest row has waited. An application may give an entry a creation time long before it was
    /// added; but rows that wait now did not exist when none was waiting, and then that time is the better bound.
    fn oldest(&self, store: &StoreFigures, began: Instant) -> Option<f64> {
        let waiting = store.waiting?;
        let mut known = self.nothing_waited.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.rows == 0.0 {
            known.insert(store.store.clone(), began);
            return Some(0.0);
        }
        let since = known.get(&store.store).map_or(f64::INFINITY, |then| then.elapsed().as_secs_f64());
        let oldest = waiting.oldest_seconds.unwrap_or(f64::INFINITY).max(0.0).min(since);
        oldest.is_finite().then_some(oldest)
    }
}

fn each<'a>(
    stores: &'a [StoreFigures],
    value: impl Fn(&StoreFigures) -> Option<f64> + 'a,
) -> impl Iterator<Item = (&'a str, f64)> + 'a {
    stores.iter().filter_map(move |store| Some((store.store.as_str(), value(store)?)))
}

const UP: Family =
    Family { name: "memory_search_up", kind: Kind::Gauge, help: "Whether the stores of the database could be read." };
const ENTRIES: Family = Family {
    name: "memory_search_entries_estimate",
    kind: Kind::Gauge,
    help: "Rows of entries by the statistics of the server, hidden ones included; nothing is counted. \
           Left out where a policy binds the role and where rows are elsewhere.",
};
const WAITING: Family = Family {
    name: "memory_search_waiting_embeddings",
    kind: Kind::Gauge,
    help: "Entries and contexts that have no embedding yet. Counting ends at 100000 of each. \
           Of an adopted table contexts only; left out where a policy binds the role.",
};
const OLDEST: Family = Family {
    name: "memory_search_oldest_waiting_embedding_seconds",
    kind: Kind::Gauge,
    help: "Since when the oldest of these waits: since its creation_time, which the application may say, \
           but no longer than since these figures were last asked for and nothing waited.",
};
const REFUSED: Family = Family {
    name: "memory_search_refused_embeddings",
    kind: Kind::Gauge,
    help: "Entries and contexts without an embedding because the embedder refused their text.",
};
const TABLE_BYTES: Family = Family {
    name: "memory_search_table_bytes",
    kind: Kind::Gauge,
    help: "Bytes of the tables of a store, with an adopted one.",
};
const INDEX_BYTES: Family =
    Family { name: "memory_search_index_bytes", kind: Kind::Gauge, help: "Bytes of the indexes of these tables." };
const CALLS: Family = Family {
    name: "memory_search_function_calls_total",
    kind: Kind::Counter,
    help: "Calls of the functions of the extension, by pg_stat_user_functions: \
           of sessions in which track_functions is all.",
};
const SECONDS: Family = Family {
    name: "memory_search_function_seconds_total",
    kind: Kind::Counter,
    help: "How long these calls took, with all that they called.",
};
const ERRORS: Family = Family {
    name: "memory_search_scrape_errors",
    kind: Kind::Gauge,
    help: "Figures of stores that could not be read this time: their tables are locked, or it took too long.",
};
const SCRAPE_SECONDS: Family =
    Family { name: "memory_search_scrape_seconds", kind: Kind::Gauge, help: "How long reading these figures took." };
