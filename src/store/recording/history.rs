//! Switches the history of a store on and off.

use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use super::found::{self, Recording};
use super::functions::{self, history_triggers, record_history};
use super::triggers::{drop_function, give_to_owner, tables_with_triggers};
use crate::pg::identifier::QuotedIdentifier;
use crate::pg::notice;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::sql_text::{filled, filled_as_written};
use crate::store::definition::{self, Store};

const TABLE: &str = include_str!("history_table.sql");
/// The condition that the caller sees a row.
const SEEN: &str = include_str!("history_seen.sql");

/// The words of `operation`.
const OPERATIONS: [&str; 6] = ["added", "changed", "deleted", "restored", "superseded", "reinstated"];

fn table_of(schema: &QuotedIdentifier) -> String {
    let operations: Vec<String> = OPERATIONS.iter().map(|word| format!("'{word}'")).collect();
    filled_as_written(
        TABLE,
        &[("{schema}", schema), ("{seen}", &seen(schema)), ("{operations}", &operations.join(", "))],
    )
}

fn seen(schema: &QuotedIdentifier) -> String {
    let in_literal = schema.replace('\'', "''");
    filled(SEEN, &[("{schema_in_literal}", &in_literal), ("{schema}", schema)])
}

/// The statement that limits deletions from the history to rows that the caller sees, for a history whose policy does
/// not.
pub fn limit_deletions(store: &Store) -> String {
    let (history, seen) = (store.relation("history"), seen(&store.schema));
    format!("ALTER POLICY memory_search_history_forgotten ON {history} USING ({seen})")
}

/// Starts or stops recording the changes of entries. Events recorded before are kept.
pub fn keep(store_name: &StoreName, enabled: bool) -> Result<()> {
    let (store, recording, tables) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        let tables = tables_with_triggers(reader, &store, "memory_keep_history")?;
        let recording = Recording::of(reader, &store)?;
        if enabled && recording.table.is_none() {
            refuse_other_table(reader, &store)?;
        }
        Ok((store, recording, tables))
    })?;
    if enabled { switch_on(store_name, &store, &recording, &tables) } else { switch_off(&store, &recording) }
}

fn switch_on(store_name: &StoreName, store: &Store, recording: &Recording, tables: &[String]) -> Result<()> {
    let create = functions::create(recording.history.is_some());
    let history = store.relation("history");
    spi::write(|writer| {
        if recording.table.is_none() {
            writer.define(&table_of(&store.schema))?;
            give_to_owner(writer, store, &format!("TABLE {history}"))?;
        }
        if recording.table.is_some_and(|table| table.lets_all_delete) {
            writer.define(&limit_deletions(store))?;
        }
        writer.define(&record_history(store_name, &store.schema, create))?;
        writer.define(&history_triggers(&store.schema, tables, create))?;
        give_to_owner(writer, store, &format!("FUNCTION {}.record_history()", store.schema))
    })?;
    let grants = spi::read(|reader| match found::table(reader, store)? {
        Some(table) => spi::with_catalogs_as_they_stand(|| found::missing_grants(reader, store, table)),
        None => Err(Error::new(ErrorKind::Internal, "the table of the history is not found after it was made")),
    })?;
    spi::write(|writer| grants.iter().try_for_each(|grant| writer.define(grant)))
}

fn switch_off(store: &Store, recording: &Recording) -> Result<()> {
    if let Some(function) = &recording.history {
        spi::write(|writer| drop_function(writer, function))?;
    }
    if recording.table.is_some() {
        let history = store.relation("history");
        notice::inform(&format!("the recorded changes stay in {history}; DROP TABLE {history} removes them"));
    }
    Ok(())
}

/// Refuses another relation of this name, which is not the store's (42710).
fn refuse_other_table(reader: &Reader<'_>, store: &Store) -> Result<()> {
    let mut statement = Statement::default();
    let history = store.relation("history");
    let name = statement.bind(Param::text(&history));
    let statement = statement.with(format!("SELECT pg_catalog.to_regclass({name}) IS NOT NULL"));
    if reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() != Some(true) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::DuplicateObject, format!("{history} exists already, and is no history of the entries"))
        .hint("Rename that relation, or move it to another schema."))
}
