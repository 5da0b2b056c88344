//! Copies the rows of a table into a store of its own. A row's id becomes the key of its entry, so that a second copy
//! changes rows that differ, adds new ones, and leaves the rest unchanged.

mod row;
mod target;

use std::collections::{BTreeMap, HashSet};

use memory_search_core::request::adopted_columns::{COLUMNS, Mapping};
use memory_search_core::request::arguments;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::notice;
use crate::pg::progress::Progress;
use crate::pg::spi::{self, Reader, Statement};
use crate::store::adopted::mapped_relation::{self, MappedColumn, MappedRelation};
use crate::store::definition::Store;
use crate::store::definition::key::{self, KeyColumn};
use crate::store::writing::add_many;
use crate::store::writing::insert_rows::BATCH;
use row::Row;

pub use target::Target;

/// The result for the rows.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Outcome {
    pub added: u64,
    pub changed: u64,
    pub unchanged: u64,
    /// The number of skipped rows for each reason.
    pub skipped: BTreeMap<&'static str, u64>,
}

/// Columns that the store fills itself, or that would refer to something else there: the column, and what the caller
/// can do.
const NOT_COPIED: [(&str, &str); 4] = [
    ("search_vector", "A store extracts words from its texts; leave the column out."),
    (
        "embedding_model",
        "The column names embedders of the store, and copied vectors count as given by the caller; leave it out.",
    ),
    ("superseded_by", "Leave it out, and record corrections by memory_supersede()."),
    ("superseded_time", "Leave it out, and record corrections by memory_supersede()."),
];

/// Copies the rows of the relation with this OID into the store, which is made if it does not exist.
pub fn import_table(name: &StoreName, relation: u32, columns: &str, target: &Target) -> Result<Outcome> {
    name.check_length()?;
    let mapping = mapping(columns)?;
    let (from, mapped) = spi::read(|reader| {
        let from = mapped_relation::find(reader, relation, "copied")?;
        let vector_schema = crate::store::definition::vector_schema(reader)?;
        let mapped = mapped_relation::columns(reader, &from, &mapping, &vector_schema)?;
        Ok((from, mapped))
    })?;
    let store = target.find_or_make(name, &from, &mapped)?;
    let entry_id = COLUMNS.iter().zip(&mapping.sources).find(|(column, _)| column.name == "entry_id");
    let entry_id = entry_id.and_then(|(_, source)| source.as_deref()).unwrap_or_default();
    spi::read(|reader| {
        if !key::is_key(reader, relation, &KeyColumn::Named(entry_id))? {
            refuse_repeated_keys(reader, &from, &mapped)?;
        }
        copy(reader, &store, &from, &mapped)
    })
}

fn mapping(columns: &str) -> Result<Mapping> {
    let mut mapping = Mapping::parse(columns)?;
    for (column, source) in COLUMNS.iter().zip(&mapping.sources) {
        if let Some((_, hint)) = NOT_COPIED.iter().find(|(name, _)| *name == column.name).filter(|_| source.is_some()) {
            let message = format!("columns.{} cannot be copied into a store", column.name);
            return Err(Error::new(ErrorKind::Unsupported, message).hint(*hint));
        }
    }
    // There is no search for a column of lexemes.
    mapping.names_search_vector = true;
    Ok(mapping)
}

/// Refuses rows with the same key, because the later one would replace the earlier one (22023).
fn refuse_repeated_keys(reader: &Reader<'_>, from: &MappedRelation, mapped: &[MappedColumn]) -> Result<()> {
    let (memory, id) = (row::text_of(mapped, "memory_id"), row::text_of(mapped, "entry_id"));
    let statement = Statement::default().with(format!(
        "SELECT r.memory_id, r.entry_id FROM (SELECT {memory} AS memory_id, {id} AS entry_id FROM {}) r \
         WHERE r.memory_id IS NOT NULL AND r.entry_id IS NOT NULL \
         GROUP BY r.memory_id, r.entry_id HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1 LIMIT 1",
        from.name
    ));
    match reader.first(&statement, |row| Ok((row.required_text(1)?, row.required_text(2)?)))? {
        None => Ok(()),
        Some((memory, id)) => {
            Err(Error::invalid(format!("several rows of {} have {}", from.name, row::named(&memory, &id))).hint(
                "Map entry_id to a column that identifies a row within its memory: it becomes the key of the entry.",
            ))
        }
    }
}

fn copy(reader: &Reader<'_>, store: &Store, from: &MappedRelation, mapped: &[MappedColumn]) -> Result<Outcome> {
    let (mut outcome, mut progress) = (Outcome::default(), Progress::new("imported", None));
    let mut batch: Vec<Row> = Vec::new();
    reader.scan(&row::statement(from, mapped), |found| {
        match Row::read(&found)? {
            Ok(row) => {
                let is_full = batch.len() == BATCH || batch.last().is_some_and(|last| last.memory_id != row.memory_id);
                if is_full {
                    write(store, std::mem::take(&mut batch), from, &mut outcome)?;
                }
                batch.push(row);
            }
            Err(why) => *outcome.skipped.entry(why).or_default() += 1,
        }
        progress.advance(1);
        Ok(())
    })?;
    write(store, batch, from, &mut outcome)?;
    progress.finish();
    if !outcome.skipped.is_empty() {
        let reasons: Vec<String> = outcome.skipped.iter().map(|(why, rows)| format!("{rows} whose {why}")).collect();
        let message = format!("rows of {} were left out: {}", from.name, reasons.join(", "));
        notice::warn(&Error::new(ErrorKind::WrongState, message).hint(
            "An entry needs each of them: fill these columns, or map others, and call memory_import_table again.",
        ));
    }
    Ok(outcome)
}

/// Writes rows of one memory.
fn write(store: &Store, rows: Vec<Row>, from: &MappedRelation, outcome: &mut Outcome) -> Result<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let memory = first.memory_id.clone();
    let name = |key: &str| format!("{}, {}", row::named(&memory, key), from.name);
    let memory_id: MemoryId = arguments::memory_id(Some(memory.clone()))
        .map_err(|refusal| refusal.detail(format!("The error concerns {}.", name(""))))?;
    let mut known = row::stored(store, &memory_id, rows.iter().map(|row| row.key.clone()).collect())?;
    let (mut entries, mut keys, mut there) = (Vec::new(), Vec::new(), HashSet::new());
    for row in rows {
        let key = row.key.clone();
        match known.remove(&key) {
            Some(stored) if row.is_as(&stored, store) => {
                outcome.unchanged += 1;
                continue;
            }
            Some(_) => {
                outcome.changed += 1;
                there.insert(key.clone());
            }
            None => outcome.added += 1,
        }
        entries
            .push(row.into_entry().map_err(|refusal| refusal.detail(format!("The error concerns {}.", name(&key))))?);
        keys.push(key);
    }
    let name = |at: usize| name(keys.get(at).map_or("", String::as_str));
    add_many::add_rows(store, &memory_id, entries, &there, &name).map(|_| ())
}
