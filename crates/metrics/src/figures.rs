//! The figures of stores and functions, read from the database. Figures that cannot be read are left out.

use std::time::{Duration, Instant};

use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use memory_search_client::database::statement::Statement;
use serde_json::{Map, Value};

use crate::statements::{self, Countable};

/// The duration of one collection: a scraper waits 10 seconds by default.
const PATIENCE: Duration = Duration::from_secs(8);

/// The number of stores in one statement.
const STORES_OF_STATEMENT: usize = 25;

/// The figures of one store.
#[derive(Debug, Default)]
pub struct StoreFigures {
    /// Its name.
    pub store: String,
    /// The approximate number of rows of entries.
    pub entries: Option<f64>,
    /// Rows without an embedding.
    pub waiting: Option<Waiting>,
    /// Bytes of its tables, and of their indexes.
    pub bytes: Option<(f64, f64)>,
}

/// Rows without an embedding.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Waiting {
    /// The number of rows that wait for one.
    pub rows: f64,
    /// The number of rows that the embedder refused.
    pub refused: f64,
    /// The age in seconds of the oldest waiting row.
    pub oldest_seconds: Option<f64>,
}

/// The figures of one function of the extension.
#[derive(Debug)]
pub struct FunctionFigures {
    /// Its name.
    pub function: String,
    /// The number of calls.
    pub calls: f64,
    /// The time of all calls.
    pub seconds: f64,
}

/// The results of one collection.
#[derive(Debug, Default)]
pub struct Figures {
    /// The stores.
    pub stores: Vec<StoreFigures>,
    /// The functions that the server counts.
    pub functions: Vec<FunctionFigures>,
    /// The value of `track_functions` for this role.
    pub tracked: String,
    /// The number of readings that failed, or were cut off for lack of time.
    pub errors: u32,
}

/// Reads the figures of these stores, or of all that the role may read. It is an error if not even the stores could be
/// read.
pub async fn read(reading: &Reading, stores: &[String]) -> Result<Figures, DatabaseError> {
    let ends = Instant::now() + PATIENCE;
    let citus = reading.of_catalogs(&statements::has_citus()).await? == Value::Bool(true);
    let known = reading.of_catalogs(&statements::stores(stores, citus)).await?;
    let mut figures = Figures::default();
    match reading.of_catalogs(&statements::functions()).await {
        Ok(found) => functions(&found, &mut figures),
        Err(_) => figures.errors += 1,
    }
    let (mut sized, mut counted) = (Vec::new(), Vec::new());
    for row in known.as_array().map(Vec::as_slice).unwrap_or_default() {
        let is = |key: &str| row[key] == Value::Bool(true);
        let store = row["store"].as_str().unwrap_or_default().to_owned();
        let countable =
            Countable { store: store.clone(), entries: is("count_entries"), contexts: is("count_contexts") };
        if !is("elsewhere") {
            sized.push(countable.clone());
        }
        if countable.entries || countable.contexts {
            counted.push(countable);
        }
        figures.stores.push(StoreFigures { store, entries: row["entries"].as_f64(), ..StoreFigures::default() });
    }
    let (sizes, without_sizes) = each(reading, &sized, statements::sizes, ends).await;
    let (rows, without_rows) = each(reading, &counted, statements::waiting, ends).await;
    for store in &mut figures.stores {
        let bytes = sizes.get(&store.store);
        store.bytes = bytes.and_then(|found| found["table"].as_f64().zip(found["index"].as_f64()));
        store.waiting = rows.get(&store.store).map(waiting);
    }
    figures.errors += without_sizes + without_rows;
    Ok(figures)
}

/// The results of a statement for each store, and the number of stores without a result. One statement reads many
/// stores; if it fails, each store is read by its own statement, so that a lock or a damage affects only the figures of
/// one store.
async fn each(
    reading: &Reading,
    stores: &[Countable],
    statement: fn(&[&Countable]) -> Statement,
    ends: Instant,
) -> (Map<String, Value>, u32) {
    let (mut found, mut without) = (Map::new(), 0);
    for group in stores.chunks(STORES_OF_STATEMENT) {
        let group: Vec<&Countable> = group.iter().collect();
        if let Some(Value::Object(of_group)) = within(ends, reading.of_catalogs(&statement(&group))).await {
            found.extend(of_group);
            continue;
        }
        for store in group {
            match within(ends, reading.of_catalogs(&statement(&[store]))).await {
                Some(Value::Object(of_store)) => found.extend(of_store),
                _ => without += 1,
            }
        }
    }
    (found, without)
}

/// The result of a reading, if there is time for it and it succeeds.
async fn within(ends: Instant, reading: impl Future<Output = Result<Value, DatabaseError>>) -> Option<Value> {
    let left = ends.checked_duration_since(Instant::now())?;
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
