//! Checks whether the memory indexes that searches read exist.

use memory_search_core::request::store_ranking::StoreRanking;

use crate::pg::key_index;
use crate::pg::open_relation::OpenRelation;
use crate::store::definition::adopted_index::OverAdopted;
use crate::store::definition::memory_index::{CONTEXTS, ENTRIES, Made};
use crate::store::definition::{MemoryIndex, Store, StoreKind, WordsFrom};
use crate::store::doctor::check::{Check, Patient, Status};
use crate::store::schema::ranking;

const NAME: &str = "index of searches";

/// Checks them, and says how to make them; reports the first of several faults.
pub fn index(patient: &Patient) -> Check {
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
        return Check::ok(NAME, detail);
    }
    let entries = match store.kind {
        StoreKind::Adopted { .. } => of_adopted(patient),
        StoreKind::Own => of_own(store, &ENTRIES, store.memory_index.as_ref()),
    };
    // No index makes the words of contexts in the way in which queries are made into words there.
    if store.words_from == WordsFrom::Column {
        return entries;
    }
    let contexts = of_own(store, &CONTEXTS, store.contexts_index.as_ref());
    let detail = format!("{}; {}", entries.detail, contexts.detail);
    match (entries.status, contexts.status) {
        (Status::Ok, Status::Ok) => Check::ok(NAME, detail),
        (Status::Ok, _) => contexts,
        (_, Status::Ok) => entries,
        // The index of an adopted table is made without blocking writers, and that statement must be the only one in
        // its string.
        _ if store.is_adopted() => entries,
        _ => {
            let fixes: Vec<String> = entries.fix.into_iter().chain(contexts.fix).collect();
            Check::warning(NAME, detail, (!fixes.is_empty()).then(|| fixes.concat()))
        }
    }
}

/// The check of an index on an own table of the store.
fn of_own(store: &Store, made: &Made, index: Option<&MemoryIndex>) -> Check {
    let detail = match index {
        Some(index) => match index.missing() {
            missing if missing.is_empty() => return there(index),
            missing => {
                format!("{} lacks {}: searches may have to read the rows of the table", index.name, missing.join(", "))
            }
        },
        None => without(made.table),
    };
    let mut fix = made.create_anew(&store.schema, &format!("'{}'", store.language));
    if let Some(ranking) = index.and_then(|index| index.ranking.as_ref()) {
        fix += &format!("{};\n", ranking::set(&format!("{}.{}", store.schema, made.name), ranking));
    }
    Check::warning(NAME, detail, fix)
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
    let (Some(rows), Some(table)) = (store.adopted_rows(), store.adopted_table()) else {
        let why = "the relation is no table whose column entry_id is a key";
        return Check::ok(NAME, format!("searches read the rows without a memory index: {why}"));
    };
    let columns = match OverAdopted::of(rows, store) {
        Ok(columns) => columns,
        Err(cannot) => {
            let why = format!("no index of the table holds {}: {}", cannot.column, cannot.reason);
            return Check::ok(NAME, format!("searches read the rows without a memory index: {why}"));
        }
    };
    let fix = format!("CREATE INDEX CONCURRENTLY ON {table} USING memory_search {};", columns.sql());
    match &store.memory_index {
        None => Check::warning(NAME, without(ENTRIES.table), fix),
        Some(index) if columns.is_held_by(index) => there(index),
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
