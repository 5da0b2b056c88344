//! Checks whether a store has links and aliases, whether there are indexes for them, and whether their entries exist.

use memory_search_core::Result;
use serde_json::Value;

use super::indexes::{INDEX_ORDER, explain, walk};
use super::tables_anew::{self, New};
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::pg::temporary_settings::with_settings;
use crate::store::definition::TablesOfLinks;
use crate::store::definition::tables_of_links::Unlike;
use crate::store::doctor::check::{Check, FOREIGN, Patient};
use crate::store::doctor::shards::NOT_LOOKED_AT;
use crate::store::schema::relations::{as_one_statement, columns_of_links_anew, index_of_corrections_anew, one_of};

const KEYS: &str = include_str!("links/keys.sql");

const TABLES: &str = "links";
const INDEXES: &str = "indexes of links";
const ORPHANS: &str = "links without entry";

/// Runs three checks.
pub fn examine(writer: &mut Writer<'_>, patient: &Patient, is_bound: bool) -> Result<Vec<Check>> {
    let (there, unlike) = spi::read(|reader| TablesOfLinks::with_unlike(reader, &patient.store.schema))?;
    let tables = match unlike.first() {
        Some(unlike) => of_unlike(patient, unlike),
        None if there.are_both() => Check::ok(TABLES, "their tables are there"),
        None => missing(patient, there)?,
    };
    let not_checked = |why: &str| [INDEXES, ORPHANS].map(|name| Check::ok(name, format!("not checked: {why}")));
    let mut checks = vec![tables];
    match there.links {
        None => checks.extend(not_checked("there is no table of links")),
        Some(_) if !may_read(writer, patient)? => checks.extend(not_checked("you may not read links")),
        Some(links) => {
            checks.push(indexes(writer, patient, links, is_bound)?);
            checks.push(orphans(writer, patient, is_bound)?);
        }
    }
    Ok(checks)
}

fn may_read(writer: &mut Writer<'_>, patient: &Patient) -> Result<bool> {
    let mut look = Statement::default();
    let name = look.bind(Param::text(patient.store.relation("links")));
    let look = look.with(format!("SELECT pg_catalog.has_table_privilege({name}, 'SELECT')"));
    writer.only(&look, |row| Ok(row.boolean(1) == Some(true)))
}

/// The check for a store that an older version made.
fn missing(patient: &Patient, there: TablesOfLinks) -> Result<Check> {
    let (what, refuses) = match (there.links, there.aliases) {
        (None, None) => ("the tables links and aliases are", "links and aliases are"),
        (None, _) => ("the table links is", "links are"),
        _ => ("the table aliases is", "aliases are"),
    };
    let mut new = Vec::new();
    if there.links.is_none() {
        new.push(New::Links);
    }
    if there.aliases.is_none() {
        new.push(New::Aliases);
    }
    let fix = spi::read(|reader| tables_anew::tables(reader, patient, &new))?;
    Ok(Check::warning(TABLES, format!("{what} missing, as in a store of an older version: {refuses} refused"), fix))
}

/// The check of a table that has the name of one of them and other columns: it lost some, or it is a user's own. Only
/// the columns that say what is linked distinguish the two.
fn of_unlike(patient: &Patient, unlike: &Unlike) -> Check {
    const TELLING: [&str; 6] = ["memory_id", "from_entry", "to_entry", "kind", "alias", "entity"];
    let relation = patient.store.relation(&unlike.name);
    let named = |what: &str, names: &[String]| (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")));
    let faults = [named("it lacks", &unlike.missing), named("of another type are", &unlike.of_other_types)];
    let faults = faults.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let detail = format!("{0} are refused, because {relation} differs from a table of {0}: {faults}", unlike.name);
    let can_be_added = unlike.of_other_types.is_empty()
        && !patient.is_foreign(&unlike.name)
        && !unlike.missing.iter().any(|name| TELLING.contains(&name.as_str()));
    match can_be_added {
        true => Check::warning(TABLES, detail, columns_of_links_anew(&patient.store.schema, &unlike.name)),
        false => {
            let detail =
                format!("{detail}. After ALTER TABLE {relation} RENAME TO another name, this check can make it");
            Check::warning(TABLES, detail, None)
        }
    }
}

/// Checks the key, the index of the heaviest links in each direction, and the index that finds the entries which an
/// entry corrects.
fn indexes(writer: &mut Writer<'_>, patient: &Patient, links: u32, is_bound: bool) -> Result<Check> {
    let store = &patient.store;
    if is_bound {
        return Ok(Check::ok(INDEXES, "not checked: row security applies to you"));
    }
    if patient.is_foreign("links") {
        return Ok(Check::ok(INDEXES, FOREIGN));
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
    let finds_corrected = store.is_view || patient.is_foreign("entries") || finds_corrected;
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
