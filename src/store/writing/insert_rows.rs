//! Inserts many entries: a few statements for all of them; returns their ids in the order of the rows.

use memory_search_core::request::names::{EntryId, MemoryId};
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::definition::Store;
use crate::store::writing::duplicate::{self, Column, Given};
use crate::store::writing::entry_columns::{COLUMNS, Value};
use crate::store::writing::new_row::NewRow;
use crate::store::writing::time_to_live;

/// The rows of one statement: enough that the cost of the statement does not matter, and few enough that its parameters
/// fit.
pub const BATCH: usize = 1_000;

/// The elements of all vectors of one statement, unless it has a single row: 4 MB.
const BATCH_ELEMENTS: usize = 1 << 20;

/// The SQL for rows whose keys exist already, by `upsert::on_conflict`; empty where none may exist.
#[derive(Debug, Default)]
pub struct OnConflict {
    /// For rows that give a time of creation.
    pub gives_time: String,
    /// For rows that give none.
    pub keeps_time: String,
}

impl OnConflict {
    /// The SQL for a batch of rows, whose keyed ones are alike.
    fn of(&self, rows: &[NewRow]) -> &str {
        if rows.iter().any(|row| gives_time(row) == Some(true)) { &self.gives_time } else { &self.keeps_time }
    }
}

/// Whether a row with a key gives a time of creation; `None` for a row without a key.
fn gives_time(row: &NewRow) -> Option<bool> {
    row.entry.entry_key.is_some().then_some(row.entry.creation_time.is_some())
}

/// Inserts rows of a memory; `on_conflict` is for rows that exist already, and `name` gives the name of the row at
/// a place for a refusal.
pub fn insert(
    store: &Store,
    memory_id: &MemoryId,
    mut rows: Vec<NewRow>,
    on_conflict: &OnConflict,
    name: &dyn Fn(usize) -> String,
) -> Result<Vec<EntryId>> {
    let mut ids = Vec::with_capacity(rows.len());
    let asked = asked(&rows);
    let given = || {
        let named = |&(at, column, ref value): &(usize, Column, String)| {
            let field = if column == Column::EntryId { "entryId" } else { "entryKey" };
            Given { argument: field, row: Some(name(at)), column, value: value.clone() }
        };
        asked.iter().map(named).collect()
    };
    while !rows.is_empty() {
        interrupt::check();
        let rest = rows.split_off(batch(&rows));
        let count = rows.len();
        let on_conflict = on_conflict.of(&rows);
        let statement = statement(store, memory_id, rows, on_conflict);
        let before = ids.len();
        duplicate::named(memory_id, given, || {
            spi::write(|writer| {
                writer.returning(&statement, |row| {
                    ids.push(EntryId::new(row.required_text(1)?));
                    Ok(())
                })
            })
        })?;
        if ids.len() - before != count {
            // A user's BEFORE trigger that returns NULL suppresses the row.
            return Err(Error::new(
                ErrorKind::WrongState,
                format!("{} of {count} entries were not stored", count - (ids.len() - before)),
            )
            .hint(format!("A trigger on {} suppressed them.", store.relation("entries"))));
        }
        rows = rest;
    }
    Ok(ids)
}

/// The number of rows of the next statement. All of its rows with a key give a time of creation, or none does: a
/// condition on each row would need a parameter, and Citus passes none to this part of an INSERT ... SELECT.
fn batch(rows: &[NewRow]) -> usize {
    let mut elements = 0;
    let gives = rows.iter().find_map(gives_time);
    let fits = |row: &&NewRow| {
        let embedded = row.embedding.as_ref();
        elements += embedded.map_or(0, |embedded| embedded.vector.len() * (1 + embedded.passages.len()));
        elements <= BATCH_ELEMENTS && (gives_time(row).is_none() || gives_time(row) == gives)
    };
    rows.iter().take(BATCH).take_while(fits).count().max(1)
}

/// The ids and keys for the rows, with the places of the rows.
fn asked(rows: &[NewRow]) -> Vec<(usize, Column, String)> {
    let of_row = |(at, row): (usize, &NewRow)| {
        let id = row.entry.entry_id.clone().map(|id| (at, Column::EntryId, id));
        let key = row.entry.entry_key.clone().map(|key| (at, Column::EntryKey, key));
        id.into_iter().chain(key)
    };
    rows.iter().enumerate().flat_map(of_row).collect()
}

fn statement(store: &Store, memory_id: &MemoryId, mut rows: Vec<NewRow>, on_conflict: &str) -> Statement {
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(memory_id));
    // An entry with a time to live expires that long after now, unless it keeps its own time of expiry.
    let begins_to_live = rows.iter().any(|row| row.entry.ttl.is_some() && !row.past.keeps_expiry);
    // The columns of the table, the columns that the rows are taken from, their arrays, and the stored values.
    let (mut names, mut sources, mut arrays, mut values) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for column in &COLUMNS {
        let given: Vec<Option<Value>> = rows.iter_mut().map(|row| column.take(row)).collect();
        let is_expiry = begins_to_live && column.name == "expires_at";
        if !is_expiry && given.iter().all(Option::is_none) {
            if let Some(absent) = column.absent() {
                names.push(column.name);
                values.push(absent.to_owned());
            }
            continue;
        }
        names.push(column.name);
        sources.push(column.name);
        arrays.push(statement.bind(column.params(given)));
        let stored = column.stored(&format!("r.{}", column.name));
        values.push(match is_expiry {
            true => format!("COALESCE({stored}, r.time_to_live{})", time_to_live::FROM_NOW),
            false => stored,
        });
    }
    let (mut vectors, mut all_passages) = (Vectors::default(), Passages::default());
    for row in rows {
        let (vector, passages) = row.embedding.map(|made| (made.vector, made.passages)).unzip();
        vectors.push(vector);
        all_passages.push(passages.unwrap_or_default());
    }
    let (ends, vector) = vectors.bind(store, &mut statement, "r");
    names.push("embedding");
    sources.extend(["vector_from", "vector_to"]);
    arrays.extend(ends);
    values.push(vector);
    if !all_passages.elements.is_empty() {
        let (ends, vectors) = all_passages.bind(store, &mut statement, "r");
        names.push("passage_embeddings");
        sources.extend(["passages_from", "passages_to", "dimensions"]);
        arrays.extend(ends);
        values.push(vectors);
    }
    let rows: Vec<String> = arrays.iter().map(|array| format!("pg_catalog.unnest({array})")).collect();
    statement.with(format!(
        "INSERT INTO {} AS e (memory_id, {}) SELECT {memory}, {} \
         FROM ROWS FROM ({}) WITH ORDINALITY r ({}, place) ORDER BY r.place{on_conflict} \
         RETURNING e.entry_id::pg_catalog.text",
        store.relation("entries"),
        names.join(", "),
        values.join(", "),
        rows.join(", "),
        sources.join(", ")
    ))
}

/// The vectors of many rows as one array, from which each row takes a slice: writing and reading them as texts would
/// take longer than everything else.
#[derive(Default)]
pub struct Vectors {
    elements: Vec<f32>,
    from: Vec<Option<String>>,
    to: Vec<Option<String>>,
}

impl Vectors {
    /// Adds the vector of the next row.
    pub fn push(&mut self, vector: Option<Vec<f32>>) {
        let from = self.elements.len() + 1;
        let is_given = vector.is_some();
        self.elements.extend(vector.unwrap_or_default());
        self.from.push(is_given.then(|| from.to_string()));
        self.to.push(is_given.then(|| self.elements.len().to_string()));
    }

    /// Binds them; returns the arrays of the slices' first and last places, and the SQL for the vector of a row whose
    /// columns with these are `{row}.vector_from` and `{row}.vector_to`.
    pub fn bind(self, store: &Store, statement: &mut Statement, row: &str) -> ([String; 2], String) {
        let elements = statement.bind(Param::Reals(Some(self.elements)));
        let ends = [self.from, self.to].map(|ends| statement.bind(Param::NullableTexts(ends)));
        let slice = format!("(({elements})[{row}.vector_from::pg_catalog.int4 : {row}.vector_to::pg_catalog.int4])");
        (ends, store.vector(&slice))
    }
}

/// The vectors of the passages of many rows as one array, from which each row takes its own, one after the other.
#[derive(Default)]
struct Passages {
    elements: Vec<f32>,
    from: Vec<Option<String>>,
    to: Vec<Option<String>>,
    dimensions: Vec<Option<String>>,
}

impl Passages {
    /// Adds the vectors of the next row, which have the same dimensions.
    fn push(&mut self, vectors: Vec<Vec<f32>>) {
        let from = self.elements.len() + 1;
        let dimensions = vectors.first().map(Vec::len);
        vectors.iter().for_each(|vector| self.elements.extend(vector));
        self.from.push(dimensions.map(|_| from.to_string()));
        self.to.push(dimensions.map(|_| self.elements.len().to_string()));
        self.dimensions.push(dimensions.map(|dimensions| dimensions.to_string()));
    }

    /// Binds them; returns the arrays of the first and last places and of the dimensions, and the SQL for the array of
    /// vectors of a row whose columns with these are `{row}.passages_from`, `{row}.passages_to` and `{row}.dimensions`.
    fn bind(self, store: &Store, statement: &mut Statement, row: &str) -> ([String; 3], String) {
        let elements = statement.bind(Param::Reals(Some(self.elements)));
        let ends = [self.from, self.to, self.dimensions].map(|ends| statement.bind(Param::NullableTexts(ends)));
        let integer = |column: &str| format!("{row}.{column}::pg_catalog.int4");
        let [from, to, dimensions] = ["passages_from", "passages_to", "dimensions"].map(integer);
        let vectors = store.vectors_within(&elements, [&from, &to, &dimensions]);
        (ends, vectors)
    }
}
