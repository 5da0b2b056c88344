//! Privileges on a store, in the two sets that roles usually need.

use memory_search_core::json_fields::Choice;
use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::notice;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::sql_text::filled;
use crate::pg::view;
use crate::store::definition::{self, Store, TablesOfLinks};
use crate::store::recording::found;
use crate::store::recording::functions::INSERT;

const ADOPTED_COLUMNS: &str = include_str!("grant/adopted_columns.sql");
const CLOSED_SCHEMA: &str = include_str!("grant/closed_schema.sql");

/// The privileges of a role on a store.
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

/// Grants a role its privileges on the store's relations.
pub fn grant(store_name: &StoreName, role: &str, privileges: &str) -> Result<()> {
    let portion = memory_search_core::json_fields::choice::<Portion>("privileges", privileges)?;
    let (store, grantee, columns, history_table, links) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        let grantee = quoted_role(reader, role)?;
        let columns = adopted_columns(reader, &store)?;
        let history_table = if store.is_adopted() { None } else { found::table(reader, &store)? };
        let links = TablesOfLinks::find(reader, &store.schema)?.names();
        Ok((store, grantee, columns, history_table, links))
    })?;
    let (entries, contexts, access) =
        (store.relation("entries"), store.relation("contexts"), store.relation("entry_access"));
    let links: String = links.into_iter().map(|name| format!(", {}", store.relation(name))).collect();
    let mut grants = vec![
        format!("GRANT USAGE ON SCHEMA {} TO {grantee}", store.schema),
        format!("GRANT SELECT ON {entries}, {contexts}, {access}{links} TO {grantee}"),
    ];
    // The view runs with the privileges of the role that searches, so the role must be able to read
    // the columns of the table that the view shows, and no others.
    let on_columns = |(table, columns)| format!("GRANT SELECT ({columns}) ON {table} TO {grantee}");
    grants.extend(columns.into_iter().map(on_columns));
    if let Some(table) = store.adopted_table().filter(|_| view::reads_whole_rows(store.read_from.entries)) {
        grants.push(format!("GRANT SELECT ON {table} TO {grantee}"));
    }
    let history = history_table.map(|_| store.relation("history"));
    grants.extend(history.iter().map(|history| format!("GRANT SELECT ON {history} TO {grantee}")));
    if portion == Portion::Writer {
        // Triggers write the history of a writer's changes with the writer's privileges.
        grants.extend(history.iter().map(|table| format!("GRANT {}, DELETE ON {table} TO {grantee}", INSERT)));
        // Only the application writes the rows of an adopted table.
        let own = if !store.is_adopted() { format!("{entries}, ") } else { String::new() };
        grants.push(format!("GRANT INSERT, UPDATE, DELETE ON {own}{contexts}, {access}{links} TO {grantee}"));
    }
    spi::write(|writer| grants.iter().try_for_each(|grant| writer.define(grant)))?;
    if let Some(schema) = spi::read(|reader| closed_schema_of_words(reader, &store, role))? {
        notice::warn(&refused_by_schema(&schema, &grantee));
    }
    Ok(())
}

/// The schema of the store's text search configuration if the role may not use it: then the server refuses every
/// statement of the role that names the configuration. It is another owner's, perhaps, and may hold more than the
/// configuration, so it is not opened here.
fn closed_schema_of_words(reader: &Reader<'_>, store: &Store, role: &str) -> Result<Option<QuotedIdentifier>> {
    let mut statement = Statement::default();
    let [role, language] = [role, &store.language.replace("''", "'")].map(|text| statement.bind(Param::text(text)));
    let statement = statement.with(filled(CLOSED_SCHEMA, &[("{role}", &role), ("{language}", &language)]));
    spi::with_catalogs_as_they_stand(|| reader.first(&statement, |row| QuotedIdentifier::read(row, 1)))
}

fn refused_by_schema(schema: &QuotedIdentifier, grantee: &QuotedIdentifier) -> Error {
    let message = format!(
        "{grantee} may not use the schema {schema} with the store's text search configuration: its searches, and its \
         writes, will be refused"
    );
    Error::new(ErrorKind::InsufficientPrivilege, message).hint(format!("GRANT USAGE ON SCHEMA {schema} TO {grantee};"))
}

/// The role as SQL text; `public` means everybody.
fn quoted_role(reader: &Reader<'_>, role: &str) -> Result<QuotedIdentifier> {
    if role == "public" {
        return Ok(QuotedIdentifier::public());
    }
    let mut statement = Statement::default();
    let placeholder = statement.bind(Param::text(role));
    let statement = statement.with(format!(
        "SELECT pg_catalog.quote_ident(r.rolname) FROM pg_catalog.pg_roles r \
         WHERE r.rolname OPERATOR(pg_catalog.=) {placeholder}"
    ));
    reader.first(&statement, |row| QuotedIdentifier::read(row, 1))?.ok_or_else(|| {
        Error::new(ErrorKind::UndefinedObject, format!("role \"{role}\" does not exist"))
            .hint("Make it with CREATE ROLE; 'public' means everybody.")
    })
}

/// The tables behind an adopted store's view, each with the columns that the view reads.
fn adopted_columns(reader: &Reader<'_>, store: &Store) -> Result<Vec<(QualifiedName, String)>> {
    if !store.is_adopted() {
        return Ok(Vec::new());
    }
    let mut statement = Statement::default();
    let view = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let statement = statement.with(filled(ADOPTED_COLUMNS, &[("{view}", &view)]));
    let mut found = Vec::new();
    reader.rows(&statement, |row| {
        found.push((QualifiedName::read(row, 1)?, row.required_text(2)?));
        Ok(())
    })?;
    Ok(found)
}
