//! Checks the memory indexes of entries and contexts.

use memory_search_core::Result;
use memory_search_core::request::store_ranking::StoreRanking;
use pgrx::pg_sys;

use crate::pg::key_index;
use crate::pg::open_relation::OpenRelation;
use crate::pg::param::Param;
use crate::pg::spi::{Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::AdoptedRows;
use crate::store::definition::adopted_index::OverAdopted;
use crate::store::definition::memory_index::{CONTEXTS, ENTRIES, Made, holds_as};
use crate::store::definition::{MemoryIndex, Store, StoreKind, WordsFrom};
use crate::store::doctor::check::{Check, FOREIGN, Patient, Status};
use crate::store::schema::relations::one_of;

const NAME: &str = "index of searches";

/// Finds the parts of an index of partitions whose options differ from those that searches need.
const OPTIONS_OF_PARTITIONS: &str = include_str!("searches/options_of_partitions.sql");

/// Finds the types that columns of a table have, a domain as its base type, and writes those that they should have.
const TYPES_OF_COLUMNS: &str = include_str!("searches/types_of_columns.sql");

/// Checks them, and says how to make them; reports the first of several faults.
pub fn index(writer: &mut Writer<'_>, patient: &Patient) -> Result<Check> {
    let store = &patient.store;
    let read_themselves = match store {
        _ if store.is_distributed && store.is_adopted() => {
            Some("the rows lie in shards of an adopted table, and searches read them without a memory index")
        }
        _ if store.is_partitioned && store.tables_by_memory.is_none() => Some(
            "the rows lie in partitions that are not by the hash of memory_id alone, and searches read them without a \
             memory index",
        ),
        _ => None,
    };
    if let Some(detail) = read_themselves {
        return Ok(Check::warning(NAME, detail, None));
    }
    let types_anew = types_anew(writer, store)?;
    let mut entries = match store.kind {
        StoreKind::Adopted { .. } => of_adopted(patient),
        StoreKind::Own => of_own(store, &ENTRIES, store.memory_index.as_ref(), &types_anew),
    };
    if let (Status::Ok, Some(index)) = (entries.status, &store.memory_index) {
        entries = of_partitions(writer, store, index)?.unwrap_or(entries);
    }
    // No index makes the words of contexts in the way in which queries are made into words there.
    if store.words_from == WordsFrom::Column {
        return Ok(entries);
    }
    let contexts = match patient.is_foreign(CONTEXTS.table) {
        true => Check::ok(NAME, FOREIGN),
        false => of_own(store, &CONTEXTS, store.contexts_index.as_ref(), &types_anew),
    };
    let detail = format!("{}; {}", entries.detail, contexts.detail);
    Ok(match (entries.status, contexts.status) {
        (Status::Ok, Status::Ok) if entries.detail == contexts.detail => entries,
        (Status::Ok, Status::Ok) => Check::ok(NAME, detail),
        (Status::Ok, _) => contexts,
        (_, Status::Ok) => entries,
        // The index of an adopted table is made without blocking writers, and that statement must be the only one in
        // its string.
        _ if store.is_adopted() && entries.fix.is_some() => entries,
        _ => {
            let fixes: Vec<String> = entries.fix.into_iter().chain(contexts.fix).collect();
            Check::warning(NAME, detail, (!fixes.is_empty()).then(|| fixes.concat()))
        }
    })
}

/// A warning if the index of a single partition makes other words than the store, so that it is not read, or has a
/// scoring that differs from that of the index of all partitions: no search ranks by it.
fn of_partitions(writer: &mut Writer<'_>, store: &Store, index: &MemoryIndex) -> Result<Option<Check>> {
    let mut statement = Statement::default();
    let oid = statement.bind(Param::Integer(Some(i64::from(index.oid))));
    let configuration = store.configuration()?.to_u32();
    let recorded = (configuration >= pg_sys::FirstUnpinnedObjectId).then(|| i64::from(configuration));
    let recorded = statement.bind(Param::Integer(recorded));
    let marks = [("{index}", &*oid), ("{configuration}", &recorded)];
    let (mut unread, mut of_other_words, mut fixes) = (Vec::new(), Vec::new(), Vec::new());
    writer.returning(&statement.with(filled(OPTIONS_OF_PARTITIONS, &marks)), |row| {
        let name = row.required_text(1)?;
        if row.boolean(2) == Some(true) {
            unread.push(name.clone());
        }
        if row.boolean(3) == Some(true) {
            let weights = match row.text(4)? {
                Some(weights) => format!("ALTER INDEX {name} SET (weights = '{weights}');"),
                None => format!("ALTER INDEX {name} RESET (weights);"),
            };
            fixes.push(format!("ALTER INDEX {name} SET (language = '{}');", store.language));
            fixes.push(weights);
            fixes.push(format!("REINDEX INDEX {name};"));
            of_other_words.push(name);
        }
        Ok(())
    })?;
    if !of_other_words.is_empty() {
        let detail = format!(
            "{} make other words than the store, by another language or other weights: searches of the memories there \
             read the rows of the table",
            of_other_words.join(", ")
        );
        return Ok(Some(Check::warning(NAME, detail, one_of(&fixes))));
    }
    let fixes: Vec<String> = unread.iter().map(|index| format!("ALTER INDEX {index} RESET (ranking);")).collect();
    Ok((!unread.is_empty()).then(|| {
        let detail = format!(
            "searches rank by the option of {}: they do not read the option ranking of {}",
            index.name,
            unread.join(", ")
        );
        Check::warning(NAME, detail, one_of(&fixes))
    }))
}

/// The statements that give columns of the store's own tables the types that a memory index holds, each with the OID of
/// its table: somebody changed these types.
pub fn types_anew(writer: &mut Writer<'_>, store: &Store) -> Result<Vec<(u32, String)>> {
    let mut anew = Vec::new();
    for (made, table) in [(&ENTRIES, store.read_from.entries), (&CONTEXTS, store.read_from.contexts)] {
        if made.table == ENTRIES.table && store.is_adopted() {
            continue;
        }
        let mut statement = Statement::default();
        let oid = statement.bind(Param::Integer(Some(i64::from(table))));
        let (names, types): (Vec<&str>, Vec<pg_sys::Oid>) = made.columns_of_fixed_types().unzip();
        let bound = statement.bind(Param::Texts(names.iter().map(|name| (*name).to_owned()).collect()));
        let wanted = statement.bind(Param::Texts(types.iter().map(|oid| oid.to_u32().to_string()).collect()));
        let marks = [("{table}", &*oid), ("{names}", &bound), ("{types}", &wanted)];
        writer.returning(&statement.with(filled(TYPES_OF_COLUMNS, &marks)), |row| {
            let place = usize::try_from(row.required_integer(1)?).unwrap_or(0).saturating_sub(1);
            let (Some(name), Some(wanted)) = (names.get(place), types.get(place)) else { return Ok(()) };
            if !holds_as(u32::try_from(row.required_integer(2)?).unwrap_or(0), *wanted) {
                let type_name = row.required_text(3)?;
                let relation = store.relation(made.table);
                anew.push((table, format!("ALTER TABLE {relation} ALTER COLUMN {name} TYPE {type_name};")));
            }
            Ok(())
        })?;
    }
    Ok(anew)
}

/// The check of an index on an own table of the store.
fn of_own(store: &Store, made: &Made, index: Option<&MemoryIndex>, types_anew: &[(u32, String)]) -> Check {
    let is_of_contexts = made.table == CONTEXTS.table;
    let table = if is_of_contexts { store.read_from.contexts } else { store.read_from.entries };
    let anew: Vec<String> = types_anew.iter().filter(|(of, _)| *of == table).map(|(_, fix)| fix.clone()).collect();
    if !anew.is_empty() {
        let detail = format!(
            "columns of {} have other types than those that a memory index holds: searches may have to read the rows \
             of the table",
            made.table
        );
        return Check::warning(NAME, detail, one_of(&anew));
    }
    let detail = match index {
        Some(index) => match index.missing() {
            missing if missing.is_empty() && index.names_its_configuration => return there(index),
            missing if missing.is_empty() => names_another(index),
            missing => {
                format!("{} lacks {}: searches may have to read the rows of the table", index.name, missing.join(", "))
            }
        },
        None => without(made.table),
    };
    let ranking = store.ranking_to_keep().filter(|_| made.table == ENTRIES.table);
    let fix = made.create_anew(&store.schema, &format!("'{}'", store.language), ranking);
    Check::warning(NAME, detail, fix)
}

fn names_another(index: &MemoryIndex) -> String {
    format!(
        "the option language of {} names another text search configuration than the server has recorded for it, after \
         ALTER INDEX, a rename or REINDEX CONCURRENTLY: make the index again; until then searches may read the rows \
         of the table, and a dump may not restore it",
        index.name
    )
}

/// The check of an index that holds what searches need: whether they read it yet.
fn there(index: &MemoryIndex) -> Check {
    match OpenRelation::new(index.oid).is_some_and(|index| key_index::awaits_old_snapshots(&index)) {
        false => match &index.ranking {
            None => Check::ok(NAME, index.name.clone()),
            Some(ranking) => of_ranking(index, ranking),
        },
        true => {
            let why = "it was made while older transactions ran, and lacks versions of rows that they may ask for: \
                       searches read the rows of the table until these transactions have ended";
            Check::warning(NAME, format!("{} is not used yet: {why}", index.name), None)
        }
    }
}

/// The check of an index whose option has the scoring of searches.
fn of_ranking(index: &MemoryIndex, ranking: &str) -> Check {
    match StoreRanking::parse(ranking) {
        Ok(_) => Check::ok(NAME, format!("{}, with the scoring {ranking}", index.name)),
        Err(refusal) => {
            let detail = format!("searches fail: the option ranking of {} cannot be read: {refusal}", index.name);
            Check::warning(NAME, detail, format!("ALTER INDEX {} RESET (ranking);", index.name))
        }
    }
}

fn of_adopted(patient: &Patient) -> Check {
    let store = &patient.store;
    if patient.is_foreign(ENTRIES.table) {
        return Check::ok(NAME, FOREIGN);
    }
    let (Some(rows), Some(table)) = (store.adopted_rows(), store.adopted_table()) else {
        let why = AdoptedRows::why_none(store.read_from.entries);
        return Check::warning(NAME, format!("searches read the rows without a memory index: {why}"), None);
    };
    let columns = match OverAdopted::of(rows, store) {
        Ok(columns) => columns,
        Err(cannot) => {
            let why = format!("no index of the table holds {}: {}", cannot.column, cannot.reason);
            return Check::warning(NAME, format!("searches read the rows without a memory index: {why}"), None);
        }
    };
    let fix = format!("CREATE INDEX CONCURRENTLY ON {table} USING memory_search {};", columns.sql());
    match &store.memory_index {
        None => Check::warning(NAME, without(ENTRIES.table), fix),
        Some(index) if columns.is_held_by(index) && index.names_its_configuration => there(index),
        Some(index) if columns.is_held_by(index) => {
            let name = &index.name;
            let fix = format!("ALTER INDEX {name} SET (language = '{}');\nREINDEX INDEX {name};", store.language);
            Check::warning(NAME, names_another(index), fix)
        }
        Some(index) => {
            let detail =
                format!("{} lacks columns that another would hold: searches may have to read rows", index.name);
            Check::warning(NAME, detail, fix)
        }
    }
}

fn without(table: &str) -> String {
    let of = if table == CONTEXTS.table { " of contexts" } else { "" };
    format!(
        "there is no memory index{of}, or it is invalid: \
         a search reads the rows of the table, which takes several times as long"
    )
}
