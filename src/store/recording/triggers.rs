//! Makes and drops what a store's triggers consist of.

use memory_search_core::{Error, ErrorKind, Result};

use super::found::Function;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement, Writer};
use crate::store::definition::Store;
use crate::store::words_functions;

/// Refuses stores of which triggers would not hear all (0A000), callers who may not make them (42501), and databases
/// without PL/pgSQL (55000).
pub fn require_triggers(reader: &Reader<'_>, store: &Store, what: &str) -> Result<()> {
    if let Some(table) = store.adopted_table() {
        let message =
            format!("{what} makes triggers on entries, and those of store {} are the rows of {table}", store.schema);
        return Err(Error::new(ErrorKind::Unsupported, message).hint(format!("Make triggers of your own on {table}.")));
    }
    if store.is_partitioned || store.is_distributed {
        let message = format!("{what} needs the entries of store {} in one table", store.schema);
        return Err(Error::new(ErrorKind::Unsupported, message)
            .hint("Rows that are written to a partition or a shard by itself would not be heard of."));
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
            .hint(format!("{what} is for the owner of the table: it makes triggers.")));
    }
    if !words_functions::can_be_made(reader)? {
        return Err(Error::new(ErrorKind::WrongState, format!("{what} needs PL/pgSQL, which is not there to be used"))
            .hint("CREATE EXTENSION plpgsql; and GRANT USAGE ON LANGUAGE plpgsql."));
    }
    Ok(())
}

/// Gives what was made to the owner of the entries: `object` is as in `TABLE x` or `FUNCTION x()`.
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
pub fn drop_function(writer: &mut Writer<'_>, store: &Store, function: &Function) -> Result<()> {
    let entries = store.relation("entries");
    for trigger in &function.triggers {
        writer.define(&format!("DROP TRIGGER {trigger} ON {entries}"))?;
    }
    writer.define(&format!("DROP FUNCTION {}", function.signature))
}
