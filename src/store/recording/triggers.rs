//! Makes and drops the triggers of a store and their functions.

use memory_search_core::{Error, ErrorKind, Result};

use super::found::Function;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;

const TABLES: &str = include_str!("tables.sql");
const TRIGGERS: &str = include_str!("triggers.sql");

/// The tables that need triggers so that no change is missed: entries, and each of their partitions, because a caller
/// may write to a partition directly. Refuses stores whose triggers would miss changes (0A000), callers who may not
/// make them (42501), and databases without PL/pgSQL (55000).
pub fn tables_with_triggers(reader: &Reader<'_>, store: &Store, what: &str) -> Result<Vec<String>> {
    if let Some(table) = store.adopted_table() {
        let message = format!(
            "{what} makes triggers on entries, and the entries of store {} are the rows of {table}",
            store.schema
        );
        return Err(Error::new(ErrorKind::Unsupported, message).hint(format!("Make triggers of your own on {table}.")));
    }
    if store.is_distributed {
        let message = format!("{what} makes triggers, and the entries of store {} are distributed", store.schema);
        return Err(Error::new(ErrorKind::Unsupported, message).hint("Citus has no triggers on distributed tables."));
    }
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let statement = statement.with(format!(
        "SELECT pg_catalog.pg_has_role(c.relowner, 'USAGE'), pg_catalog.pg_get_userbyid(c.relowner)::pg_catalog.text \
         FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid"
    ));
    let (is_owner, owner) = spi::with_catalogs_as_they_stand(|| {
        reader.only(&statement, |row| Ok((row.boolean(1) == Some(true), row.required_text(2)?)))
    })?;
    if !is_owner {
        let message = format!("the entries of store {} belong to \"{owner}\"", store.schema);
        return Err(Error::new(ErrorKind::InsufficientPrivilege, message)
            .hint(format!("{what} makes triggers, so only the owner of the table may call it.")));
    }
    if !can_be_made(reader)? {
        return Err(Error::new(
            ErrorKind::WrongState,
            format!("{what} needs PL/pgSQL, which is not installed, or which the current role may not use"),
        )
        .hint("CREATE EXTENSION plpgsql; and GRANT USAGE ON LANGUAGE plpgsql."));
    }
    spi::with_catalogs_as_they_stand(|| tables_of(reader, store, what))
}

/// Whether the caller may make a function in PL/pgSQL: the language may have been dropped, or restricted to its owner.
fn can_be_made(reader: &Reader<'_>) -> Result<bool> {
    let statement = Statement::default().with(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_language l \
           WHERE l.lanname OPERATOR(pg_catalog.=) 'plpgsql' AND l.lanpltrusted \
             AND pg_catalog.has_language_privilege(l.oid, 'USAGE'))"
            .to_owned(),
    );
    Ok(reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true))
}

/// Entries and their partitions, all in the store's schema, because triggers take the schema's name for the store's.
fn tables_of(reader: &Reader<'_>, store: &Store, what: &str) -> Result<Vec<String>> {
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let statement = statement.with(filled(TABLES, &[("{entries}", &entries)]));
    let mut tables = Vec::new();
    reader.rows(&statement, |row| {
        let table = row.required_text(1)?;
        if row.boolean(2) != Some(true) {
            let message = format!("{what} needs all partitions of entries in one schema, and {table} is in another");
            return Err(Error::new(ErrorKind::Unsupported, message)
                .hint(format!("ALTER TABLE {table} SET SCHEMA {};", store.schema)));
        }
        tables.push(table);
        Ok(())
    })?;
    Ok(tables)
}

/// Makes the owner of the entries the owner of a new object: `object` is as in `TABLE x` or `FUNCTION x()`.
pub fn give_to_owner(writer: &mut Writer<'_>, store: &Store, object: &str) -> Result<()> {
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let statement = statement.with(format!(
        "SELECT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(c.relowner)) FROM pg_catalog.pg_class c \
         WHERE c.oid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid \
           AND pg_catalog.pg_get_userbyid(c.relowner) OPERATOR(pg_catalog.<>) CURRENT_USER"
    ));
    match writer.first(&statement, |row| row.required_text(1))? {
        Some(owner) => writer.define(&format!("ALTER {object} OWNER TO {owner}")),
        None => Ok(()),
    }
}

/// Drops a trigger function and the triggers that call it.
pub fn drop_function(writer: &mut Writer<'_>, function: &Function) -> Result<()> {
    let mut statement = Statement::default();
    let signature = statement.bind(Param::text(&function.signature));
    let mut triggers = Vec::new();
    writer.returning(&statement.with(filled(TRIGGERS, &[("{function}", &signature)])), |row| {
        triggers.push(format!("DROP TRIGGER {} ON {}", row.required_text(1)?, row.required_text(2)?));
        Ok(())
    })?;
    for drop_trigger in &triggers {
        writer.define(drop_trigger)?;
    }
    writer.define(&format!("DROP FUNCTION {}", function.signature))
}
