//! Checks the b-trees of a store, and finds broken indexes. The planner says whether an index serves each usual query:
//! it knows which query an index on an adopted table's expression can serve.

use memory_search_core::ids::IdKind;
use memory_search_core::{Error, Result};
use serde_json::Value;

use crate::pg::identifier::QualifiedName;
use crate::pg::indexed_types;
use crate::pg::param::Param;
use crate::pg::spi::{Statement, Writer};
use crate::pg::sql_text::filled;
use crate::pg::temporary_settings::with_settings;
use crate::pg::view;
use crate::store::definition;
use crate::store::doctor::check::{Check, FOREIGN, Patient};
use crate::store::doctor::{searches, shards};
use crate::store::schema::relations::one_of;
use crate::store::writing::upsert;

const BROKEN_INDEXES: &str = include_str!("indexes/broken.sql");
const PENDING_INDEX: &str = include_str!("indexes/pending.sql");
const CHILDREN: &str = include_str!("indexes/children.sql");

const ACCESS_COUNTS: &str = "index of access counts";

/// Settings under which the planner uses an index whenever one fits, so that the answer does not depend on how full the
/// table is; all of them for an index that also gives the order.
pub const INDEX_ORDER: [(&str, &str); 3] =
    [("enable_seqscan", "off"), ("enable_sort", "off"), ("enable_bitmapscan", "off")];

/// A question to the planner.
struct Probe {
    name: &'static str,
    /// A query whose plan shows the index.
    query: String,
    /// Whether a plan that sorts everything lacks the index.
    refuses_sort: bool,
    /// Whether a plan that reads more rows than it gives lacks the index.
    refuses_filter: bool,
    /// The calls that are slow without it.
    without: &'static str,
    /// The relation of the store, the index's method if it is GIN, and the columns to index, as SQL.
    relation: &'static str,
    method: &'static str,
    columns: &'static [(&'static str, &'static str)],
}

/// One check for each index, and one for indexes that exist but are broken.
pub fn examine(writer: &mut Writer<'_>, patient: &Patient, is_bound: bool) -> Result<Vec<Check>> {
    let store = &patient.store;
    let (entries, contexts) = (store.relation("entries"), store.relation("contexts"));
    let of_memory = |alias: &str, id_type: IdKind| {
        format!("{alias}.memory_id OPERATOR(pg_catalog.=) (SELECT NULL::pg_catalog.{id_type})")
    };
    let newest = |relation: &str, id: &str, id_type: IdKind, order: &str| {
        format!(
            "SELECT r.{id} FROM {relation} r WHERE {} ORDER BY r.creation_time {order}, r.{id} LIMIT 1",
            of_memory("r", id_type)
        )
    };
    let probes = [
        Probe {
            name: "index of ids",
            query: format!(
                "SELECT r.raw_entry FROM {entries} r WHERE {} AND r.entry_id OPERATOR(pg_catalog.=) (SELECT NULL::pg_catalog.{})",
                of_memory("r", store.ids.memory),
                store.ids.entry
            ),
            refuses_sort: false,
            refuses_filter: true,
            without: "a look at one entry reads all of its memory, or of the table",
            relation: "entries",
            method: "btree",
            columns: &[("memory_id", ""), ("entry_id", "")],
        },
        Probe {
            name: "index by time",
            query: newest(&entries, "entry_id", store.ids.memory, store.newest_first()),
            refuses_sort: true,
            refuses_filter: false,
            without: "strategy recent and contexts on entries sort the memory",
            relation: "entries",
            method: "btree",
            columns: &[("memory_id", ""), ("creation_time", "newest first"), ("entry_id", "")],
        },
        Probe {
            name: "index of contexts",
            query: newest(&contexts, "context_id", IdKind::Text, "DESC"),
            refuses_sort: true,
            refuses_filter: false,
            without: "the latest context is found by sorting",
            relation: "contexts",
            method: "btree",
            columns: &[("memory_id", ""), ("creation_time", "newest first"), ("context_id", "")],
        },
    ];
    let mut checks = Vec::new();
    for probe in probes {
        // Plans for a role under a policy show the effects of the policy, not which indexes exist.
        if is_bound {
            checks.push(Check::ok(probe.name, "not checked: row security applies to you"));
            continue;
        }
        if patient.is_foreign(probe.relation) {
            checks.push(Check::ok(probe.name, FOREIGN));
            continue;
        }
        if store.is_distributed && probe.name != "index of ids" {
            checks.push(Check::ok(probe.name, shards::NOT_LOOKED_AT));
            continue;
        }
        // Another index could also find an id, but only the key keeps ids unique.
        if probe.name == "index of ids" && !store.is_adopted() {
            checks.push(key(writer, probe.name, store.read_from.entries, &entries)?);
            continue;
        }
        if probe.name == "index of ids" && store.adopted_rows().is_some() {
            checks.push(Check::ok(probe.name, "the ids are a key of the table"));
            continue;
        }
        let plan = {
            let settings = if probe.refuses_sort { &INDEX_ORDER[..] } else { &INDEX_ORDER[..1] };
            with_settings(writer, settings, |writer| explain(writer, "", &probe.query))?
        };
        let mut index = None;
        let (mut sorts, mut filters) = (false, false);
        walk(&plan, &mut |node| {
            let text = |key: &str| node.get(key).and_then(Value::as_str);
            sorts |= text("Node Type") == Some("Sort");
            filters |= text("Filter").is_some();
            // In the index's order a scan needs no condition if the memory is a constant.
            if (text("Index Cond").is_some() || probe.refuses_sort)
                && let Some(name) = text("Index Name")
            {
                index = Some(name.to_owned());
            }
        });
        checks.push(match index.filter(|_| !(sorts && probe.refuses_sort || filters && probe.refuses_filter)) {
            Some(index) => Check::ok(probe.name, index),
            None => missing(writer, patient, &probe)?,
        });
    }
    checks.push(searches::index(writer, patient)?);
    let counts = store.read_from.entry_access;
    checks.push(match patient.is_foreign("entry_access") {
        true => Check::ok(ACCESS_COUNTS, FOREIGN),
        false => key(writer, ACCESS_COUNTS, counts, &store.relation("entry_access"))?,
    });
    checks.push(index_of_keys(writer, patient)?);
    checks.push(pending_embeddings(writer, patient)?);
    checks.push(broken(writer, patient)?);
    Ok(checks)
}

/// The unique index on (memory_id, entry_id) that a table of the store needs.
fn key(writer: &mut Writer<'_>, name: &'static str, table: u32, relation: &str) -> Result<Check> {
    let wanted = definition::key::unique_in_memory(table, "entry_id", "true");
    let found = writer.first(&wanted, |row| row.required_text(1))?;
    Ok(match found {
        Some(index) => Check::ok(name, index),
        None => Check::error(
            name,
            "the key is missing: an id may occur twice, and counting accesses fails",
            format!("ALTER TABLE {relation} ADD PRIMARY KEY (memory_id, entry_id);"),
        ),
    })
}

/// The index that makes keys unique in a memory.
fn index_of_keys(writer: &mut Writer<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "index of keys";
    if patient.store.is_adopted() {
        return Ok(Check::ok(NAME, "entries of an adopted table are named by their ids alone"));
    }
    let entries = patient.store.read_from.entries;
    let wanted = definition::key::unique_in_memory(entries, "entry_key", definition::key::WITH_KEY);
    let found = writer.first(&wanted, |row| row.required_text(1))?;
    Ok(match found {
        Some(index) => Check::ok(NAME, index),
        None => Check::error(
            NAME,
            "it is missing: a key may occur twice, and adding an entry with one fails",
            upsert::index_of_keys_anew(&patient.store),
        ),
    })
}

/// Checks whether rows without an embedding are found without reading their whole tables.
fn pending_embeddings(writer: &mut Writer<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "index of missing embeddings";
    let store = &patient.store;
    if store.is_adopted() {
        return Ok(Check::ok(NAME, "embeddings of an adopted table are made by its application"));
    }
    let mut fixes = Vec::new();
    for (table, key) in [("entries", "entry_id"), ("contexts", "context_id")] {
        let relation = store.relation(table);
        let mut statement = Statement::default();
        let table_name = statement.bind(Param::text(&*relation));
        let usual = format!("{table}_to_embed");
        let name = statement.bind(Param::text(&*store.relation(&usual)));
        let statement = statement.with(filled(PENDING_INDEX, &[("{table}", &table_name), ("{name}", &name)]));
        let found = writer.first(&statement, |row| Ok((row.integer(1), row.boolean(2))))?;
        if let Some((Some(0), is_free)) = found {
            // If another relation has the usual name, the server chooses one.
            let name = if is_free == Some(true) { format!("{usual} ") } else { String::new() };
            fixes.push(format!("CREATE INDEX {name}ON {relation} (memory_id, {key}) WHERE embedding IS NULL;"));
        }
    }
    if fixes.is_empty() {
        return Ok(Check::ok(NAME, "memory_embed_pending reads only them"));
    }
    let detail = "missing: memory_embed_pending reads whole tables for them";
    Ok(Check::warning(NAME, detail, one_of(&fixes)))
}

fn missing(writer: &mut Writer<'_>, patient: &Patient, probe: &Probe) -> Result<Check> {
    let detail = format!("no index serves it: {}", probe.without);
    let store = &patient.store;
    let newest_first = format!(" {}", store.newest_first());
    let order = |mark: &str| if mark.is_empty() { "" } else { newest_first.as_str() }.to_owned();
    let is_own = !store.is_adopted() || probe.relation == "contexts";
    if is_own {
        let columns: Vec<String> =
            probe.columns.iter().map(|(column, mark)| format!("{column}{}", order(mark))).collect();
        let relation = store.relation(probe.relation);
        let concurrently = match children(writer, &relation)? {
            Children::None => " CONCURRENTLY",
            Children::Partitions => "",
            Children::Inherit => {
                let detail = format!("{detail}; index each of the tables that inherit from {relation}");
                return Ok(Check::warning(probe.name, detail, None));
            }
        };
        let fix = format!("CREATE INDEX{concurrently} ON {relation} USING {} ({});", probe.method, columns.join(", "));
        return Ok(Check::warning(probe.name, detail, fix));
    }
    // The sources of the view's columns, as the server writes them.
    let list: Vec<String> = probe.columns.iter().map(|(column, _)| format!("r.{column}")).collect();
    let plan =
        explain(writer, "VERBOSE, ", &format!("SELECT {} FROM {} r", list.join(", "), store.relation("entries")))?;
    let (mut found, mut scans) = (None, 0);
    walk(&plan, &mut |node| {
        let (Some(Value::Array(output)), Some(Value::String(table)), Some(Value::String(schema))) =
            (node.get("Output"), node.get("Relation Name"), node.get("Schema"))
        else {
            return;
        };
        scans += 1;
        let output: Vec<String> = output.iter().filter_map(|column| column.as_str().map(str::to_owned)).collect();
        if found.is_none() && output.len() == probe.columns.len() {
            // EXPLAIN shows a partition under an alias of its own.
            let alias = node.get("Alias").and_then(Value::as_str).unwrap_or(table);
            let output = output.iter().map(|column| column.replace(&format!("{alias}."), "")).collect();
            found = Some((schema.clone(), table.clone(), output));
        }
    });
    let found: Option<(String, String, Vec<String>)> = found;
    let Some((schema, table, output)) = found.filter(|_| patient.tables.len() == 1) else {
        return Ok(Check::warning(
            probe.name,
            format!("{detail}; index the tables behind {}", store.adopted_table().map_or("", |table| table)),
            None,
        ));
    };
    let is_constant = |expression: &str| expression.starts_with('\'') || expression.starts_with("NULL::");
    let marked = output.iter().zip(probe.columns);
    if marked.clone().any(|(expression, (_, mark))| !mark.is_empty() && is_constant(expression)) {
        return Ok(Check::ok(probe.name, "the table has no time: no row is newer than another"));
    }
    if output.iter().any(|expression| expression.contains("SubPlan") || expression.contains("InitPlan")) {
        let detail = format!("{detail}; it cannot be indexed, because a mapped expression holds a subquery");
        return Ok(Check::warning(probe.name, detail, None));
    }
    let not_held = view::columns_not_held(store.read_from.entries);
    if let Some((column, reason)) = not_held.iter().find(|(name, _)| probe.columns.iter().any(|(of, _)| of == name)) {
        let detail = format!("{detail}; {column} cannot be indexed, because {reason}");
        return Ok(Check::warning(probe.name, detail, None));
    }
    let columns: Vec<String> = marked
        // A constant is the same in every row, so it needs no place in an index.
        .filter(|(expression, _)| !is_constant(expression))
        .map(|(expression, (_, mark))| format!("({expression}){}", order(mark)))
        .collect();
    // An index on a partitioned table indexes every partition at once, but cannot be made concurrently; tables that
    // inherit are indexed one by one.
    let (quoted, concurrently) = match partitioned(writer, patient)? {
        Some(table) => (table, ""),
        None if scans > 1 => {
            let detail = format!("{detail}; index each of the tables that inherit from {schema}.{table}");
            return Ok(Check::warning(probe.name, detail, None));
        }
        None => (quoted(writer, &schema, &table)?, " CONCURRENTLY"),
    };
    let fix = format!("CREATE INDEX{concurrently} ON {quoted} USING {} ({});", probe.method, columns.join(", "));
    Ok(Check::warning(probe.name, detail, fix))
}

/// The tables below a table of the store.
enum Children {
    None,
    Partitions,
    Inherit,
}

fn children(writer: &mut Writer<'_>, relation: &QualifiedName) -> Result<Children> {
    let mut statement = Statement::default();
    let name = statement.bind(Param::text(&**relation));
    let statement = statement.with(filled(CHILDREN, &[("{relation}", &name)]));
    let found = writer.first(&statement, |row| Ok((row.boolean(1) == Some(true), row.boolean(2) == Some(true))))?;
    Ok(match found {
        Some((true, _)) => Children::Partitions,
        Some((false, true)) => Children::Inherit,
        _ => Children::None,
    })
}

/// The adopted table's name if it has partitions.
fn partitioned(writer: &mut Writer<'_>, patient: &Patient) -> Result<Option<QualifiedName>> {
    let mut statement = Statement::default();
    let oid = statement.bind(Param::Integer(patient.tables.first().map(|oid| i64::from(*oid))));
    let statement = statement.with(format!(
        "SELECT c.oid::pg_catalog.regclass::pg_catalog.text FROM pg_catalog.pg_class c \
         WHERE c.oid OPERATOR(pg_catalog.=) {oid}::pg_catalog.oid AND c.relkind OPERATOR(pg_catalog.=) 'p'"
    ));
    writer.first(&statement, |row| QualifiedName::read(row, 1))
}

fn quoted(writer: &mut Writer<'_>, schema: &str, table: &str) -> Result<QualifiedName> {
    let mut statement = Statement::default();
    let schema = statement.bind(Param::text(schema));
    let table = statement.bind(Param::text(table));
    let statement = statement.with(format!("SELECT pg_catalog.format('%I.%I', {schema}, {table})"));
    writer.only(&statement, |row| QualifiedName::read(row, 1))
}

/// Indexes of the store's tables that exist but are invalid or incomplete, or memory indexes with a column of a type
/// that they cannot hold.
fn broken(writer: &mut Writer<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "valid indexes";
    let types_anew = searches::types_anew(writer, &patient.store)?;
    let mut statement = Statement::default();
    let tables = statement.bind(Param::Texts(patient.all_tables.iter().map(u32::to_string).collect()));
    let statement = statement.with(filled(BROKEN_INDEXES, &[("{tables}", &tables)]));
    // The details, and the fixes with whether each can be CONCURRENTLY.
    let (mut details, mut fixes): (Vec<String>, Vec<(String, bool)>) = Default::default();
    writer.returning(&statement, |row| {
        let name = row.required_text(2)?;
        let number = |column| Ok::<_, Error>(usize::try_from(row.required_integer(column)?).unwrap_or(0));
        let refusal = match row.boolean(5) {
            Some(true) => indexed_types::refusal_of(number(1)? as u32, number(6)?, number(7)?),
            _ => None,
        };
        match refusal {
            _ if row.boolean(3) == Some(true) && row.boolean(4) == Some(true) => details.push(format!(
                "{name} lacks indexes of some partitions, or one of them is invalid: ALTER INDEX {name} ATTACH \
                 PARTITION adds one of a partition, and DROP INDEX {name} removes all"
            )),
            _ if row.boolean(3) == Some(true) => {
                // An interrupted REINDEX leaves a copy.
                let is_copy = name.contains("_ccnew") || name.contains("_ccold");
                fixes.push((format!("{} {name};", if is_copy { "DROP INDEX" } else { "REINDEX INDEX" }), true));
                details.push(name);
            }
            Some(refusal) => {
                let table = u32::try_from(row.required_integer(8)?).unwrap_or(0);
                let anew: Vec<&String> = types_anew.iter().filter(|(of, _)| *of == table).map(|(_, fix)| fix).collect();
                match anew.is_empty() {
                    true => fixes.push((format!("DROP INDEX {name};"), true)),
                    false => fixes.extend(anew.into_iter().map(|fix| (fix.clone(), false))),
                }
                details.push(format!("{name}, and no row can be added: {}", refusal.message));
            }
            None => {}
        }
        Ok(())
    })?;
    if details.is_empty() {
        return Ok(Check::ok(NAME, "none is invalid"));
    }
    // A concurrent statement must be alone: several statements in one string share a transaction.
    let is_alone = fixes.len() == 1;
    let fixes: Vec<String> = fixes
        .into_iter()
        .map(|(fix, can_be)| if is_alone && can_be { fix.replacen(" INDEX ", " INDEX CONCURRENTLY ", 1) } else { fix })
        .collect();
    Ok(Check::error(NAME, format!("invalid: {}", details.join(", ")), (!fixes.is_empty()).then(|| one_of(&fixes))))
}

/// The plan of a query, as JSON.
pub fn explain(writer: &mut Writer<'_>, options: &str, query: &str) -> Result<Value> {
    let statement = Statement::default().with(format!("EXPLAIN ({options}COSTS OFF, FORMAT JSON) {query}"));
    let plan = writer.only(&statement, |row| row.json_text(1))?;
    Ok(plan.and_then(|plan| serde_json::from_str(&plan).ok()).unwrap_or(Value::Null))
}

/// Visits every node of a plan.
pub fn walk(plan: &Value, see: &mut impl FnMut(&serde_json::Map<String, Value>)) {
    match plan {
        Value::Array(items) => items.iter().for_each(|item| walk(item, see)),
        Value::Object(node) => {
            see(node);
            node.values().for_each(|value| walk(value, see));
        }
        _ => {}
    }
}
