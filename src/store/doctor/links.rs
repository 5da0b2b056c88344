//! Checks whether a store has links and aliases, whether there are indexes for them, and whether their entries exist.

use memory_search_core::Result;
use serde_json::Value;

use super::indexes::{INDEX_ORDER, explain, walk};
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::pg::temporary_settings::with_settings;
use crate::store::definition::TablesOfLinks;
use crate::store::doctor::check::{Check, Patient};
use crate::store::doctor::shards::NOT_LOOKED_AT;
use crate::store::schema::relations::{Relations, as_one_statement, index_of_corrections_anew, one_of};

const GRANTS: &str = include_str!("links/grants.sql");
const KEYS: &str = include_str!("links/keys.sql");

const TABLES: &str = "links";
const INDEXES: &str = "indexes of links";
const ORPHANS: &str = "links without entry";

/// Runs three checks.
pub fn examine(writer: &mut Writer<'_>, patient: &Patient, is_bound: bool) -> Result<Vec<Check>> {
    let there = spi::read(|reader| TablesOfLinks::find(reader, &patient.store.schema))?;
    let Some(links) = there.links else {
        let missing = missing(patient, there)?;
        let without = "not checked: there is no table of links";
        return Ok(vec![missing, Check::ok(INDEXES, without), Check::ok(ORPHANS, without)]);
    };
    let tables = if there.are_both() { Check::ok(TABLES, "their tables are there") } else { missing(patient, there)? };
    Ok(vec![tables, indexes(writer, patient, links, is_bound)?, orphans(writer, patient, is_bound)?])
}

/// The check for a store that an older version made.
fn missing(patient: &Patient, there: TablesOfLinks) -> Result<Check> {
    let (what, refuses) = match (there.links, there.aliases) {
        (None, None) => ("the tables links and aliases are", "links and aliases are"),
        (None, _) => ("the table links is", "links are"),
        _ => ("the table aliases is", "aliases are"),
    };
    let fix = spi::read(|reader| anew(reader, patient, there))?;
    Ok(Check::warning(TABLES, format!("{what} missing, as in a store of an older version: {refuses} refused"), fix))
}

/// The statement that makes the missing tables, as `memory_create_store()` does, with privileges for the roles that use
/// the store.
fn anew(reader: &Reader<'_>, patient: &Patient, there: TablesOfLinks) -> Result<String> {
    let store = &patient.store;
    let relations = Relations {
        schema: store.schema.clone(),
        embedding_type: String::new(),
        language: String::new(),
        partitions: partitions(reader, patient)?,
    };
    let has_entries_table = !store.is_view;
    let (mut parts, mut new) = (Vec::new(), Vec::new());
    if there.links.is_none() {
        // Citus accepts references between two distributed tables, but none that changes the distribution column.
        parts.push(relations.links(store.ids, has_entries_table && !store.is_distributed));
        new.push(store.relation("links"));
    }
    if there.aliases.is_none() {
        parts.push(relations.aliases());
        new.push(store.relation("aliases"));
    }
    if has_entries_table {
        parts.push(index_of_corrections_anew(&store.schema));
    }
    let mut statement = Statement::default();
    let access = statement.bind(Param::Integer(Some(i64::from(store.read_from.entry_access))));
    let names = statement.bind(Param::text(new.join(", ")));
    let statement = statement.with(filled(GRANTS, &[("{access}", &access), ("{new}", &names)]));
    let found = reader.first(&statement, |row| Ok((row.required_text(1)?, row.text(2)?)))?;
    if let Some((owner, grants)) = found {
        parts.extend(new.iter().map(|table| format!("ALTER TABLE {table} OWNER TO {owner};")));
        parts.extend(grants);
    }
    if store.is_distributed {
        let entries = store.relation("entries");
        let quoted = |name: &str| name.replace('\'', "''");
        parts.extend(new.iter().map(|table| {
            format!(
                "PERFORM create_distributed_table('{}', 'memory_id', colocate_with => '{}');",
                quoted(table),
                quoted(&entries)
            )
        }));
        if there.links.is_none() {
            parts.extend(["from_entry", "to_entry"].map(|end| {
                format!(
                    "ALTER TABLE {} ADD FOREIGN KEY (memory_id, {end}) REFERENCES {entries} (memory_id, entry_id) \
                     ON DELETE CASCADE;",
                    store.relation("links")
                )
            }));
        }
    }
    if let Some(setting) = &store.user_setting {
        parts.push(format!("PERFORM memory_enable_row_security({}, setting => '{setting}');", patient.argument()));
    }
    Ok(as_one_statement(&parts.join("\n")))
}

/// The number of partitions of entries, if they are partitioned by the hash of the memory.
fn partitions(reader: &Reader<'_>, patient: &Patient) -> Result<Option<usize>> {
    if patient.store.tables_by_memory.is_none() {
        return Ok(None);
    }
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(patient.store.read_from.entries))));
    let statement = statement.with(format!(
        "SELECT pg_catalog.count(*) FROM pg_catalog.pg_inherits i \
          WHERE i.inhparent OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid"
    ));
    let number = reader.only(&statement, |row| row.required_integer(1))?;
    Ok(usize::try_from(number).ok().filter(|number| *number > 0))
}

/// Checks the key, the index of the heaviest links in each direction, and the index that finds the entries which an
/// entry corrects.
fn indexes(writer: &mut Writer<'_>, patient: &Patient, links: u32, is_bound: bool) -> Result<Check> {
    let store = &patient.store;
    if is_bound {
        return Ok(Check::ok(INDEXES, "not checked: row security applies to you"));
    }
    if store.is_distributed {
        return Ok(Check::ok(INDEXES, NOT_LOOKED_AT));
    }
    let mut statement = Statement::default();
    let [table, entries] =
        [links, store.read_from.entries].map(|oid| statement.bind(Param::Integer(Some(i64::from(oid)))));
    let statement = statement.with(filled(KEYS, &[("{links}", &table), ("{entries}", &entries)]));
    let (has_key, finds_corrected) =
        writer.only(&statement, |row| Ok((row.boolean(1) == Some(true), row.boolean(2) == Some(true))))?;
    let relation = store.relation("links");
    if !has_key {
        let detail = "the key is missing: a link may occur twice, and making one fails";
        let fix = format!("ALTER TABLE {relation} ADD PRIMARY KEY (memory_id, from_entry, to_entry, kind);");
        return Ok(Check::error(INDEXES, detail, fix));
    }
    let mut fixes = Vec::new();
    for (own, other) in [("from_entry", "to_entry"), ("to_entry", "from_entry")] {
        let query = format!(
            "SELECT l.{other} FROM {relation} l \
              WHERE l.memory_id OPERATOR(pg_catalog.=) (SELECT NULL::pg_catalog.{}) \
                AND l.{own} OPERATOR(pg_catalog.=) (SELECT NULL::pg_catalog.{}) \
              ORDER BY l.weight DESC, l.creation_time DESC, l.{other} LIMIT 1",
            store.ids.memory, store.ids.entry
        );
        let plan = with_settings(writer, &INDEX_ORDER, |writer| explain(writer, "", &query))?;
        let (mut is_served, mut sorts) = (false, false);
        walk(&plan, &mut |node| {
            let text = |key: &str| node.get(key).and_then(Value::as_str);
            sorts |= text("Node Type").is_some_and(|kind| kind.ends_with("Sort"));
            is_served |= text("Index Cond").is_some_and(|condition| condition.contains(own));
        });
        if sorts || !is_served {
            fixes.push(format!(
                "CREATE INDEX ON {relation} (memory_id, {own}, weight DESC, creation_time DESC, {other});"
            ));
        }
    }
    let finds_corrected = store.is_view || finds_corrected;
    if !finds_corrected {
        fixes.push(index_of_corrections_anew(&store.schema));
    }
    if fixes.is_empty() {
        return Ok(Check::ok(INDEXES, "links are found from both ends, the heaviest first"));
    }
    let detail = "missing: all links of an entry are read and sorted, or all corrected entries of a memory";
    let fix = if finds_corrected { one_of(&fixes) } else { as_one_statement(&fixes.join("\n")) };
    Ok(Check::warning(INDEXES, detail, fix))
}

/// Links of rows that no longer exist: an adopted table has no foreign key to prevent them.
fn orphans(writer: &mut Writer<'_>, patient: &Patient, is_bound: bool) -> Result<Check> {
    if is_bound {
        return Ok(Check::ok(ORPHANS, "not checked: row security hides rows from you"));
    }
    if patient.store.is_distributed {
        return Ok(Check::ok(ORPHANS, NOT_LOOKED_AT));
    }
    let (entries, links) = (patient.store.relation("entries"), patient.store.relation("links"));
    let mut look = Statement::default();
    let name = look.bind(Param::text(&*links));
    let look = look.with(format!("SELECT pg_catalog.has_table_privilege({name}, 'SELECT')"));
    if writer.only(&look, |row| Ok(row.boolean(1)))? != Some(true) {
        return Ok(Check::ok(ORPHANS, "not checked: you may not read links"));
    }
    let is_gone = |end: &str| {
        format!(
            "NOT EXISTS (SELECT FROM {entries} e WHERE e.memory_id OPERATOR(pg_catalog.=) l.memory_id \
               AND e.entry_id OPERATOR(pg_catalog.=) l.{end})"
        )
    };
    let condition = format!("{} OR {}", is_gone("from_entry"), is_gone("to_entry"));
    let statement = Statement::default().with(format!("SELECT pg_catalog.count(*) FROM {links} l WHERE {condition}"));
    let orphans = writer.only(&statement, |row| row.required_integer(1))?;
    if orphans == 0 {
        return Ok(Check::ok(ORPHANS, "none"));
    }
    let fix = format!("DELETE FROM {links} l WHERE {condition};");
    Ok(Check::warning(ORPHANS, format!("{orphans}, left by rows that are gone"), fix))
}
