//! Privileges on a store, in the two portions that people need.

use memory_search_core::request::json_fields::Choice;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::view;
use crate::store::definition::{self, Store};

/// What a role may do with a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Portion {
    /// Search.
    Reader,
    /// Search, add, change, delete, count.
    Writer,
}

impl Choice for Portion {
    const CHOICES: &'static [(&'static str, Self)] = &[("reader", Portion::Reader), ("writer", Portion::Writer)];
}

/// Grants a role its portion of the store's relations.
pub fn grant(store_name: &str, role: &str, privileges: &str) -> Result<()> {
    let portion = memory_search_core::request::json_fields::choice::<Portion>("privileges", privileges)?;
    let (store, role, columns) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        let role = quoted_role(reader, role)?;
        let columns = adopted_columns(reader, &store)?;
        Ok((store, role, columns))
    })?;
    let (entries, contexts, access) =
        (store.relation("entries"), store.relation("contexts"), store.relation("entry_access"));
    let mut grants = vec![
        format!("GRANT USAGE ON SCHEMA {} TO {role}", store.schema),
        format!("GRANT SELECT ON {entries}, {contexts}, {access} TO {role}"),
    ];
    // The view runs as whoever searches, so the role must be able to read what it shows: these
    // columns of the table and no more.
    grants.extend(columns.into_iter().map(|(table, columns)| format!("GRANT SELECT ({columns}) ON {table} TO {role}")));
    if let Some(table) = store.adopted_from.as_ref().filter(|_| view::reads_whole_rows(store.read_from.entries)) {
        grants.push(format!("GRANT SELECT ON {table} TO {role}"));
    }
    if portion == Portion::Writer {
        // Rows of an adopted table are its application's to write.
        let own = if store.adopted_from.is_none() { format!("{entries}, ") } else { String::new() };
        grants.push(format!("GRANT INSERT, UPDATE, DELETE ON {own}{contexts}, {access} TO {role}"));
    }
    spi::write(|writer| grants.iter().try_for_each(|grant| writer.define(grant)))
}

/// The role as SQL text; `public` is everybody.
fn quoted_role(reader: &Reader<'_>, role: &str) -> Result<String> {
    if role == "public" {
        return Ok("PUBLIC".to_owned());
    }
    let mut statement = Statement::default();
    let placeholder = statement.bind(Param::text(role));
    let statement = statement.with(format!(
        "SELECT pg_catalog.quote_ident(r.rolname) FROM pg_catalog.pg_roles r WHERE r.rolname OPERATOR(pg_catalog.=) {placeholder}"
    ));
    reader.first(&statement, |row| row.required_text(1))?.ok_or_else(|| {
        Error::new(ErrorKind::UndefinedObject, format!("role \"{role}\" does not exist"))
            .hint("Make it with CREATE ROLE; 'public' means everybody.")
    })
}

/// The tables behind an adopted store's view, each with the columns that the view reads.
fn adopted_columns(reader: &Reader<'_>, store: &Store) -> Result<Vec<(String, String)>> {
    if store.adopted_from.is_none() {
        return Ok(Vec::new());
    }
    let mut statement = Statement::default();
    let view = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let statement = statement.with(format!(
        "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), \
                pg_catalog.string_agg(DISTINCT pg_catalog.quote_ident(a.attname), ', ') \
         FROM pg_catalog.pg_rewrite r \
         JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass \
           AND d.objid OPERATOR(pg_catalog.=) r.oid AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass \
           AND d.refobjid OPERATOR(pg_catalog.<>) r.ev_class AND d.refobjsubid OPERATOR(pg_catalog.>) 0 \
         JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) d.refobjid \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
         JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.=) d.refobjsubid \
         WHERE r.ev_class OPERATOR(pg_catalog.=) {view}::pg_catalog.oid GROUP BY n.nspname, c.relname ORDER BY 1"
    ));
    let mut found = Vec::new();
    reader.rows(&statement, |row| {
        found.push((row.required_text(1)?, row.required_text(2)?));
        Ok(())
    })?;
    Ok(found)
}
