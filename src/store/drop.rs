//! Removes a store: its relations, and its schema when nothing else is in it.

use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::{self, StoreKind};
use crate::store::recording::found::Recording;
use crate::store::settings::{EVERY_ROW, with_settings};
use crate::store::words_functions::{self, WordsFunction};

const IS_ALONE: &str = include_str!("drop/is_alone.sql");

/// Drops the store `name`; one that holds rows only when `force` says so (55000).
pub fn drop_store(name: &StoreName, force: bool) -> Result<()> {
    let (store, functions, has_history, alone) = match spi::read(|reader| {
        let store = definition::store(reader, name)?;
        let recording = Recording::of(reader, &store)?;
        let mut functions = signatures(words_functions::of_schema(reader, &store.schema)?);
        functions.extend(recording.functions().map(|function| function.signature.clone()));
        let alone = is_alone(reader, &store.schema, &functions, recording.table.map(|table| table.oid))?;
        Ok((store, functions, recording.table.is_some(), alone))
    }) {
        Err(error) if error.kind == ErrorKind::UndefinedTable => return drop_remains(name, force, error),
        found => found?,
    };
    let (entries, contexts, access) =
        (store.relation("entries"), store.relation("contexts"), store.relation("entry_access"));
    // An adopted table is its application's: only the view on it goes, and only what the store itself
    // holds is in danger.
    let (own, drop_entries) = match store.kind {
        StoreKind::Own => (vec![entries.clone(), contexts.clone()], format!("DROP TABLE {entries}")),
        StoreKind::Adopted { .. } => (vec![contexts.clone(), access.clone()], format!("DROP VIEW {entries}")),
    };
    spi::write(|writer| {
        // Locked first, so that nothing can be added between looking and dropping.
        writer.define(&format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", own.join(", ")))?;
        if !force && holds_rows(writer, &own)? {
            return Err(Error::new(ErrorKind::WrongState, format!("store \"{name}\" holds memories"))
                .hint("Drop it with all it holds by memory_drop_store(..., force => true)."));
        }
        writer.define(&format!("DROP TABLE IF EXISTS {access}"))?;
        if has_history {
            writer.define(&format!("DROP TABLE {}", store.relation("history")))?;
        }
        writer.define(&format!("DROP TABLE {contexts}"))?;
        writer.define(&drop_entries)?;
        drop_functions(writer, &functions)?;
        // Without CASCADE: whatever a user put beside the store keeps its schema.
        if alone { writer.define(&format!("DROP SCHEMA {}", store.schema)) } else { Ok(()) }
    })
}

/// Drops what is left of an adopted store whose table went, and its view with it. `refusal` is for a
/// schema that holds nothing of a store.
fn drop_remains(name: &StoreName, force: bool, refusal: Error) -> Result<()> {
    let (schema, remains, functions, alone) = spi::read(|reader| {
        let schema = QuotedIdentifier::of(reader, name)?;
        let mut remains = Vec::new();
        for relation in ["entry_access", "contexts"] {
            let mut statement = Statement::default();
            let relation = schema.relation(relation);
            let table = statement.bind(Param::text(&relation));
            let statement = statement.with(format!("SELECT pg_catalog.to_regclass({table}) IS NOT NULL"));
            if reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true) {
                remains.push(relation);
            }
        }
        let functions = signatures(words_functions::of_schema(reader, &schema)?);
        let alone = is_alone(reader, &schema, &functions, None)?;
        Ok((schema, remains, functions, alone))
    })?;
    if remains.len() < 2 {
        return Err(refusal);
    }
    spi::write(|writer| {
        writer.define(&format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", remains.join(", ")))?;
        if !force && holds_rows(writer, &remains)? {
            return Err(Error::new(
                ErrorKind::WrongState,
                format!("store \"{name}\" has lost its entries, but holds contexts or access counts"),
            )
            .hint("Drop what is left by memory_drop_store(..., force => true)."));
        }
        writer.define(&format!("DROP TABLE {}", remains.join(", ")))?;
        drop_functions(writer, &functions)?;
        if alone { writer.define(&format!("DROP SCHEMA {schema}")) } else { Ok(()) }
    })
}

fn signatures(functions: Vec<WordsFunction>) -> Vec<QualifiedName> {
    functions.into_iter().map(|function| function.signature).collect()
}

fn drop_functions(writer: &mut Writer<'_>, functions: &[QualifiedName]) -> Result<()> {
    functions.iter().try_for_each(|function| writer.define(&format!("DROP FUNCTION {function}")))
}

/// Whether there is any row, also one that a policy hides from the caller: under a policy that
/// cannot be switched off the look itself fails. A look for each relation: of shards Citus asks one table at a time.
fn holds_rows(writer: &mut Writer<'_>, relations: &[QualifiedName]) -> Result<bool> {
    let mut holds = false;
    with_settings(writer, &EVERY_ROW, |_| {
        // The transaction's own snapshot may be older than the lock.
        spi::read_newest(|reader| {
            relations.iter().try_for_each(|relation| {
                let look = Statement::default().with(format!("SELECT true FROM {relation} LIMIT 1"));
                holds |= reader.first(&look, |row| Ok(row.boolean(1)))?.is_some();
                Ok(())
            })
        })
    })?;
    Ok(holds)
}

/// Whether the schema holds nothing but the store's relations (with their indexes and sequences), its history and the
/// functions of both, and the caller may drop it.
fn is_alone(
    reader: &spi::Reader<'_>,
    schema: &QuotedIdentifier,
    functions: &[QualifiedName],
    history: Option<u32>,
) -> Result<bool> {
    let mut statement = Statement::default();
    let schema = statement.bind(Param::text(schema));
    let functions = statement.bind(Param::Texts(functions.iter().map(String::from).collect()));
    let history = statement.bind(Param::Integer(history.map(i64::from)));
    let marks = [("{schema}", &*schema), ("{functions}", &functions), ("{history}", &history)];
    let statement = statement.with(filled(IS_ALONE, &marks));
    Ok(reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true))
}
