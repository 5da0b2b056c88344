//! Checks of a store's definition, the session's embedder and the server's statistics.

use memory_search_core::Result;

use crate::embed::embedder;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{Store, TablesOfLinks};
use crate::store::doctor::check::{Check, Patient};
use crate::store::schema::relations::one_of;

const TABLES_OF_ENTRIES: &str = include_str!("tables/tables_of_entries.sql");
const DIFFERING_TYPES: &str = include_str!("tables/differing_types.sql");

/// The share of rows changed since ANALYZE from which statistics mislead.
const STALE_SHARE: f64 = 0.2;
/// A small table needs no statistics.
const FEW_ROWS: f64 = 1_000.0;

/// The tables with the rows of `entries`: the store's own, or those behind an adopted view.
pub fn tables_of_entries(reader: &Reader<'_>, store: &Store) -> Result<Vec<u32>> {
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    // A materialised view holds rows itself; its source tables are not looked at.
    let statement = statement.with(filled(TABLES_OF_ENTRIES, &[("{entries}", &entries)]));
    oids(reader, &statement)
}

/// These tables, and the tables of the store's contexts, access counts, links and aliases.
pub fn all_tables(reader: &Reader<'_>, store: &Store) -> Result<Vec<u32>> {
    let mut tables = tables_of_entries(reader, store)?;
    tables.push(store.read_from.contexts);
    let mut statement = Statement::default();
    let access = statement.bind(Param::text(store.relation("entry_access")));
    let statement = statement.with(format!("SELECT pg_catalog.to_regclass({access})::pg_catalog.oid::pg_catalog.int8"));
    tables.extend(oids(reader, &statement)?);
    tables.extend(TablesOfLinks::find(reader, &store.schema)?.oids());
    Ok(tables)
}

/// The names of the store's relations that are foreign tables.
pub fn foreign(reader: &Reader<'_>, store: &Store) -> Result<Vec<String>> {
    let mut statement = Statement::default();
    let schema = statement.bind(Param::text(&*store.schema));
    let statement = statement.with(format!(
        "SELECT c.relname::pg_catalog.text FROM pg_catalog.pg_class c \
          WHERE c.relnamespace OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace \
            AND c.relkind OPERATOR(pg_catalog.=) 'f'"
    ));
    let mut found = Vec::new();
    reader.rows(&statement, |row| {
        found.push(row.required_text(1)?);
        Ok(())
    })?;
    Ok(found)
}

fn oids(reader: &Reader<'_>, statement: &Statement) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    reader.rows(statement, |row| {
        found.extend(row.integer(1).and_then(|oid| u32::try_from(oid).ok()));
        Ok(())
    })?;
    Ok(found)
}

/// Whether a policy binds the caller on any of the tables, so that checks do not see all rows.
pub fn is_bound(reader: &Reader<'_>, patient: &Patient) -> Result<bool> {
    let mut statement = Statement::default();
    let tables = statement.bind(Param::Texts(patient.all_tables.iter().map(u32::to_string).collect()));
    let statement = statement.with(format!(
        "SELECT pg_catalog.bool_or(pg_catalog.row_security_active(c.oid)) FROM pg_catalog.pg_class c \
         WHERE c.oid OPERATOR(pg_catalog.=) ANY ({tables}::pg_catalog.oid[])"
    ));
    Ok(reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true))
}

/// Checks that read no row of the store.
pub fn examine(reader: &Reader<'_>, patient: &Patient) -> Result<Vec<Check>> {
    Ok(vec![
        dimensions(reader, patient)?,
        statistics(reader, patient)?,
        row_security(reader, patient)?,
        bloat(reader, patient)?,
    ])
}

fn dimensions(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "dimensions";
    if let Some((entries, contexts)) = differing_types(reader, patient)? {
        let fix = format!(
            "ALTER TABLE {} ALTER COLUMN embedding TYPE {entries} USING NULL;",
            patient.store.relation("contexts")
        );
        let detail = format!("entries hold {entries}, contexts {contexts}: one query cannot be compared with both");
        return Ok(Check::error(NAME, detail, fix));
    }
    let column = match patient.store.embedding.dimensions {
        Some(dimensions) => format!("{}({dimensions})", patient.store.embedding.type_name),
        None => format!("{} of any dimension", patient.store.embedding.type_name),
    };
    Ok(match &patient.embedder {
        Err(message) => Check::error(
            NAME,
            format!(
                "entries hold {column}, but {} fails: {}: give embeddings with each call, or name another embedder",
                embedder::name(),
                message
            ),
            None,
        ),
        Ok(None) => Check::ok(NAME, format!("{column}; no embedder: embeddings come with each call")),
        Ok(Some(made)) if patient.store.takes(*made) => {
            Check::ok(NAME, format!("{column}; {} makes {made}", embedder::name()))
        }
        Ok(Some(made)) => Check::warning(
            NAME,
            format!(
                "entries hold {column}, but {} makes {made}: without an embedding in the call, searches use words only",
                embedder::name()
            ),
            None,
        ),
    })
}

/// The types of embeddings of entries and of contexts, if they differ.
fn differing_types(reader: &Reader<'_>, patient: &Patient) -> Result<Option<(String, String)>> {
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(patient.store.read_from.entries))));
    let contexts = statement.bind(Param::Integer(Some(i64::from(patient.store.read_from.contexts))));
    let statement = statement.with(filled(DIFFERING_TYPES, &[("{entries}", &entries), ("{contexts}", &contexts)]));
    reader.first(&statement, |row| Ok((row.required_text(1)?, row.required_text(2)?)))
}

fn statistics(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "statistics";
    let mut statement = Statement::default();
    let tables = statement.bind(Param::Texts(patient.all_tables.iter().map(u32::to_string).collect()));
    // reltuples is -1 before the first ANALYZE or VACUUM, but a table that was just made is small. Building an index
    // sets it too, and counts of changes are lost in a crash; so this also tests whether there are any statistics, if
    // the caller may see them.
    let statement = statement.with(format!(
        "SELECT c.oid::pg_catalog.regclass::pg_catalog.text, c.reltuples::pg_catalog.float8, \
                pg_catalog.pg_stat_get_mod_since_analyze(c.oid)::pg_catalog.float8, \
                pg_catalog.pg_relation_size(c.oid), \
                c.relkind OPERATOR(pg_catalog.<>) 'r' OR NOT pg_catalog.has_table_privilege(c.oid, 'SELECT') \
                OR pg_catalog.row_security_active(c.oid) OR EXISTS (\
                  SELECT FROM pg_catalog.pg_stats s \
                   WHERE s.tablename OPERATOR(pg_catalog.=) c.relname \
                     AND s.schemaname OPERATOR(pg_catalog.=) ( \
                       SELECT n.nspname FROM pg_catalog.pg_namespace n \
                        WHERE n.oid OPERATOR(pg_catalog.=) c.relnamespace)) \
         FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) ANY ({tables}::pg_catalog.oid[]) ORDER BY 1"
    ));
    let mut stale = Vec::new();
    reader.rows(&statement, |row| {
        let (table, known) = (row.required_text(1)?, row.number(2).unwrap_or(-1.0));
        let (changed, bytes) = (row.number(3).unwrap_or(0.0), row.integer(4).unwrap_or(0));
        let never = known < 0.0 && bytes > 1 << 20 || known > FEW_ROWS && row.boolean(5) == Some(false);
        if never || (changed > FEW_ROWS && changed > STALE_SHARE * known) {
            stale.push(table);
        }
        Ok(())
    })?;
    if stale.is_empty() {
        return Ok(Check::ok(NAME, "fresh"));
    }
    let stale = stale.join(", ");
    Ok(Check::warning(NAME, format!("missing or stale: {stale}"), format!("ANALYZE {stale};")))
}

fn row_security(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "row security";
    let mut statement = Statement::default();
    let tables = statement.bind(Param::Texts(patient.all_tables.iter().map(u32::to_string).collect()));
    let statement = statement.with(format!(
        "SELECT c.oid::pg_catalog.regclass::pg_catalog.text, c.relrowsecurity, c.relforcerowsecurity, \
                pg_catalog.pg_get_userbyid(c.relowner)::pg_catalog.text, pg_catalog.row_security_active(c.oid), \
                EXISTS (SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid OPERATOR(pg_catalog.=) c.oid) \
         FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) ANY ({tables}::pg_catalog.oid[]) ORDER BY 1"
    ));
    let (mut bypassed, mut without, mut open, mut is_on) = (Vec::new(), Vec::new(), Vec::new(), false);
    // A role that owns the store may rely on bypassing its policies: the fix of another error must not change this.
    let (mut forcing, mut enabling) = (Vec::new(), Vec::new());
    reader.rows(&statement, |row| {
        let (table, owner) = (row.required_text(1)?, row.required_text(4)?);
        let (on, forced) = (row.boolean(2) == Some(true), row.boolean(3) == Some(true));
        is_on |= on;
        if on && !forced {
            bypassed.push(format!("{table} (by its owner {owner})"));
            forcing.push(format!("ALTER TABLE {table} FORCE ROW LEVEL SECURITY;"));
        } else if !on && row.boolean(6) == Some(true) {
            without.push(table.clone());
            enabling.push(format!("ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;"));
        } else if !on {
            open.push(table);
        }
        Ok(())
    })?;
    if !without.is_empty() {
        return Ok(Check::error(
            NAME,
            format!("policies that are not in force: {}", without.join(", ")),
            one_of(&enabling),
        ));
    }
    if is_on && !open.is_empty() {
        let open = open.join(", ");
        return Ok(Check::warning(
            NAME,
            format!("on for some tables, and not for {open}: who may read these tables sees rows about all entries"),
            policy_of_seen_entries(reader, patient)?,
        ));
    }
    if !bypassed.is_empty() {
        return Ok(Check::warning(
            NAME,
            format!("on, but bypassed: {}. Superusers and roles with BYPASSRLS always bypass it", bypassed.join(", ")),
            one_of(&forcing),
        ));
    }
    Ok(Check::ok(
        NAME,
        if is_on { "on, for the owner too" } else { "off: a role that may read the store sees all of it" },
    ))
}

/// Policies by which links, aliases and access counts show with the entries that they are about: a subquery of a policy
/// runs as the role that reads the table. `None` where these tables have policies, and others have none.
fn policy_of_seen_entries(reader: &Reader<'_>, patient: &Patient) -> Result<Option<String>> {
    const EQUALS: &str = "OPERATOR(pg_catalog.=)";
    let (store, mut fixes) = (&patient.store, Vec::new());
    let sees = |condition: &str| format!("EXISTS (SELECT FROM {} e WHERE {condition})", store.relation("entries"));
    let has = |table: &str, end: &str| {
        sees(&format!("e.memory_id {EQUALS} {table}.memory_id AND e.entry_id {EQUALS} {table}.{end}"))
    };
    let conditions = [
        ("links", format!("{} AND {}", has("links", "from_entry"), has("links", "to_entry"))),
        ("aliases", sees(&format!("e.memory_id {EQUALS} aliases.memory_id"))),
        ("entry_access", has("entry_access", "entry_id")),
    ];
    for (table, condition) in conditions {
        let relation = store.relation(table);
        let mut statement = Statement::default();
        let name = statement.bind(Param::text(&*relation));
        let statement = statement.with(format!(
            "SELECT NOT c.relrowsecurity FROM pg_catalog.pg_class c \
              WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass({name})"
        ));
        if reader.first(&statement, |row| Ok(row.boolean(1) == Some(true)))? == Some(true) {
            fixes.push(format!("ALTER TABLE {relation} ENABLE ROW LEVEL SECURITY;"));
            fixes.push(format!("CREATE POLICY of_seen_entries ON {relation} USING ({condition});"));
        }
    }
    Ok((!fixes.is_empty()).then(|| one_of(&fixes)))
}

fn bloat(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "bloat of access counts";
    let mut statement = Statement::default();
    let table = statement.bind(Param::text(patient.store.relation("entry_access")));
    let statement = statement.with(format!(
        "SELECT pg_catalog.pg_stat_get_live_tuples(c.oid), pg_catalog.pg_stat_get_dead_tuples(c.oid) \
         FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass({table})"
    ));
    let (live, dead) = reader.only(&statement, |row| Ok((row.integer(1).unwrap_or(0), row.integer(2).unwrap_or(0))))?;
    if dead as f64 > FEW_ROWS && dead > live {
        let fix = format!("VACUUM {};", patient.store.relation("entry_access"));
        return Ok(Check::warning(NAME, format!("{dead} dead rows beside {live} live ones"), fix));
    }
    Ok(Check::ok(NAME, format!("{live} live rows, {dead} dead")))
}
