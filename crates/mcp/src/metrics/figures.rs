//! The figures of stores and functions, as they are read from the database. Those that cannot be read are left out.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::database::error::DatabaseError;
use crate::database::reading::Reading;
use crate::metrics::statements;

/// How long one collection goes on: a scraper waits 10 seconds by default.
const PATIENCE: Duration = Duration::from_secs(8);

/// What is known of one store.
#[derive(Debug, Default)]
pub struct StoreFigures {
    /// Its name.
    pub store: String,
    /// Rows of entries, about.
    pub entries: Option<f64>,
    /// Rows without an embedding.
    pub waiting: Option<Waiting>,
    /// Bytes of its tables, and of their indexes.
    pub bytes: Option<(f64, f64)>,
}

/// Rows without an embedding.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Waiting {
    /// Those that wait for one.
    pub rows: f64,
    /// Those that the embedder refused.
    pub refused: f64,
    /// How many seconds ago the oldest that waits was created.
    pub oldest_seconds: Option<f64>,
}

/// What is known of one function of the extension.
#[derive(Debug)]
pub struct FunctionFigures {
    /// Its name.
    pub function: String,
    /// How often it was called.
    pub calls: f64,
    /// How long that took.
    pub seconds: f64,
}

/// Everything that one collection found.
#[derive(Debug, Default)]
pub struct Figures {
    /// The stores.
    pub stores: Vec<StoreFigures>,
    /// The functions that the server counts.
    pub functions: Vec<FunctionFigures>,
    /// What `track_functions` is for this role.
    pub tracked: String,
    /// How many readings failed, or came to nothing for want of time.
    pub errors: u32,
}

/// Reads the figures of these stores, or of all that the role may read. An error: not even the stores could be read.
pub async fn read(reading: &Reading, stores: &[String]) -> Result<Figures, DatabaseError> {
    let began = Instant::now();
    let citus = reading.of_catalogs(&statements::has_citus()).await? == Value::Bool(true);
    let known = reading.of_catalogs(&statements::stores(stores, citus)).await?;
    let mut figures = Figures::default();
    match reading.of_catalogs(&statements::functions()).await {
        Ok(found) => functions(&found, &mut figures),
        Err(_) => figures.errors += 1,
    }
    for row in known.as_array().map(Vec::as_slice).unwrap_or_default() {
        let mut store = StoreFigures {
            store: row["store"].as_str().unwrap_or_default().to_owned(),
            entries: row["entries"].as_f64(),
            ..StoreFigures::default()
        };
        if row["elsewhere"] != Value::Bool(true) {
            match within(began, reading.of_store(&store.store, &statements::sizes(&store.store))).await {
                Some(found) => store.bytes = found["table"].as_f64().zip(found["index"].as_f64()),
                None => figures.errors += 1,
            }
        }
        let [entries, contexts] = ["count_entries", "count_contexts"].map(|key| row[key] == Value::Bool(true));
        if entries || contexts {
            match within(began, reading.of_store(&store.store, &statements::waiting(entries, contexts))).await {
                Some(found) => store.waiting = Some(waiting(&found)),
                None => figures.errors += 1,
            }
        }
        figures.stores.push(store);
    }
    Ok(figures)
}

/// What a reading gives, where there is time for it and it succeeds.
async fn within(began: Instant, reading: impl Future<Output = Result<Value, DatabaseError>>) -> Option<Value> {
    let left = PATIENCE.checked_sub(began.elapsed())?;
    tokio::time::timeout(left, reading).await.ok()?.ok()
}

fn waiting(found: &Value) -> Waiting {
    let number = |key: &str| found[key].as_f64();
    Waiting {
        rows: number("waiting").unwrap_or_default(),
        refused: number("refused").unwrap_or_default(),
        oldest_seconds: number("oldest"),
    }
}

fn functions(found: &Value, figures: &mut Figures) {
    figures.tracked = found["tracked"].as_str().unwrap_or_default().to_owned();
    for row in found["functions"].as_array().map(Vec::as_slice).unwrap_or_default() {
        figures.functions.push(FunctionFigures {
            function: row["function"].as_str().unwrap_or_default().to_owned(),
            calls: row["calls"].as_f64().unwrap_or_default(),
            seconds: row["seconds"].as_f64().unwrap_or_default(),
        });
    }
}
