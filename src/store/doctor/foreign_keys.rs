//! Checks whether rows about an entry still go with it: DROP CONSTRAINT ... CASCADE of the key of entries also drops
//! the foreign keys, and a table that takes the place of entries is not the one that they refer to.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{StoreKind, key};
use crate::store::doctor::check::{Check, FOREIGN, Patient};
use crate::store::doctor::shards::NOT_LOOKED_AT;
use crate::store::schema::relations::as_one_statement;

const FIND: &str = include_str!("foreign_keys/find.sql");

const NAME: &str = "foreign keys";
const EQUALS: &str = "OPERATOR(pg_catalog.=)";

/// A foreign key that a table of the store lacks.
struct Missing {
    table: String,
    column: String,
    /// The constraint in its place: it refers to another table, keeps rows or is not enforced.
    instead: Option<String>,
}

/// One check.
pub fn examine(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    let store = &patient.store;
    if patient.is_foreign("entries") {
        return Ok(Check::ok(NAME, FOREIGN));
    }
    if !matches!(store.kind, StoreKind::Own) {
        return Ok(Check::ok(NAME, "none refers to the rows of an adopted table"));
    }
    if store.is_distributed {
        return Ok(Check::ok(NAME, NOT_LOOKED_AT));
    }
    let mut statement = Statement::default();
    let [schema, entries] = [Param::text(&*store.schema), Param::Integer(Some(i64::from(store.read_from.entries)))]
        .map(|value| statement.bind(value));
    let statement = statement.with(filled(FIND, &[("{schema}", &schema), ("{entries}", &entries)]));
    let mut missing = Vec::new();
    reader.rows(&statement, |row| {
        missing.push(Missing { table: row.required_text(1)?, column: row.required_text(2)?, instead: row.text(3)? });
        Ok(())
    })?;
    if missing.is_empty() {
        return Ok(Check::ok(NAME, "rows about an entry are removed with it"));
    }
    let named: Vec<String> = missing.iter().map(|key| format!("{} ({})", key.table, key.column)).collect();
    let detail = format!(
        "missing, or of another table than {}: {}. Rows about purged entries stay, or rows about new ones are refused; \
         the fix deletes rows whose entry is gone",
        store.relation("entries"),
        named.join(", ")
    );
    // A person must decide about rows that the fix deletes: `memory-search upgrade` runs the fixes of errors.
    Ok(Check::warning(NAME, detail, fix(reader, patient, &missing)?))
}

fn fix(reader: &Reader<'_>, patient: &Patient, missing: &[Missing]) -> Result<String> {
    let store = &patient.store;
    let entries = store.relation("entries");
    let mut parts = Vec::new();
    let of_ids = key::unique_in_memory(store.read_from.entries, "entry_id", "true");
    if reader.first(&of_ids, |_| Ok(()))?.is_none() {
        // The fix of the key may have run before this one.
        parts.push(format!(
            "IF NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k \
               WHERE k.conrelid {EQUALS} '{}'::pg_catalog.regclass AND k.contype {EQUALS} 'p') THEN \
             ALTER TABLE {entries} ADD PRIMARY KEY (memory_id, entry_id); END IF;",
            entries.replace('\'', "''")
        ));
    }
    for Missing { table, column, instead } in missing {
        let relation = store.relation(table);
        parts.push(format!(
            "DELETE FROM {relation} r WHERE r.{column} IS NOT NULL AND NOT EXISTS (SELECT FROM {entries} e \
               WHERE e.memory_id {EQUALS} r.memory_id AND e.entry_id {EQUALS} r.{column});"
        ));
        parts.extend(instead.as_ref().map(|name| format!("ALTER TABLE {relation} DROP CONSTRAINT {name};")));
        parts.push(format!(
            "ALTER TABLE {relation} ADD FOREIGN KEY (memory_id, {column}) REFERENCES {entries} (memory_id, entry_id) \
             ON UPDATE CASCADE ON DELETE CASCADE;"
        ));
    }
    Ok(as_one_statement(&parts.join("\n")))
}
