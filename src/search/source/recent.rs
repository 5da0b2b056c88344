//! The recent retrieval: the newest entries, by a statement in the order of time or, if the memory index can answer the
//! filters, by the index.

use std::collections::HashMap;

use memory_search_core::Result;
use memory_search_core::output::response::ReadDiagnostics;
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::rank::ranking::newer_first;

use super::memory_index;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{Reader, Statement};
use crate::search::row_words::{self, RowJudge};
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::searched::{Searched, candidate};

/// The number of the newest rows that are read for each wanted entry before the memory index is used, whose answer
/// takes as long as some hundreds of rows; and the least and, unless more are wanted, the greatest number.
const ROWS_FOR_ONE: usize = 64;
const LEAST_ROWS: usize = 256;
const MOST_ROWS: usize = 1_024;

/// The `limit` newest entries that pass the filters and are at least this important.
pub fn newest(reader: &Reader<'_>, scopes: &Scopes<'_>, least_importance: f64, limit: usize) -> Result<Vec<Candidate>> {
    let mut known = if memory_index::may_know_newest(scopes, limit) {
        known(reader, scopes, least_importance, limit)?
    } else {
        HashMap::new()
    };
    let mut found = Vec::new();
    for (memory, scope) in scopes.numbered() {
        let mut add = |candidate| found.push(Candidate { memory, ..candidate });
        match known.remove(&memory) {
            Some(newest) => newest.into_iter().for_each(add),
            None => newest_of_memory(reader, scope, least_importance, limit, &mut add)?,
        }
        // An entry older than `limit` others cannot be among them.
        if memory > 0 && found.len() > limit {
            found.sort_by(newer_first);
            found.truncate(limit);
        }
    }
    scopes.trace.read(ReadDiagnostics {
        relation: Searched::Entries.name(),
        path: "newest",
        rows: found.len() as u64,
        matching: 0,
        distances: None,
        other_embedder: 0,
    });
    Ok(found)
}

/// The newest entries of memories if they can be known without reading every row: from the newest rows if some of these
/// pass the filters, else from the memory index.
fn known(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    least_importance: f64,
    limit: usize,
) -> Result<HashMap<u32, Vec<Candidate>>> {
    let mut found = HashMap::new();
    for (memory, scope) in scopes.numbered() {
        if let Some(newest) = among_the_newest(reader, scope, least_importance, limit)? {
            found.insert(memory, newest);
        }
    }
    if found.len() < scopes.memories.len() {
        for (memory, newest) in memory_index::newest(reader, scopes, least_importance, limit)?.unwrap_or_default() {
            found.entry(memory).or_insert(newest);
        }
    }
    Ok(found)
}

/// The newest entries that pass the filters, if the newest rows contain enough of them, or are all rows.
fn among_the_newest(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    least_importance: f64,
    limit: usize,
) -> Result<Option<Vec<Candidate>>> {
    let rows = (ROWS_FOR_ONE * limit).clamp(LEAST_ROWS, MOST_ROWS.max(2 * limit));
    let mut statement = Statement::default();
    let visible = scope.visible_entries(&mut statement);
    let (by_time, filters) = scope.filters_by_time(&mut statement);
    let importance = Searched::Entries.importance();
    let least = statement.bind(Param::Number(least_importance));
    let most = statement.bind(Param::Integer(Some(rows as i64)));
    let statement = statement.with(format!(
        "SELECT e.entry_id::pg_catalog.text, e.creation_time::pg_catalog.timestamptz, {importance}, \
           {filters} AND {importance} OPERATOR(pg_catalog.>=) {least} \
         FROM {} e WHERE {visible} AND {by_time} AND e.entry_id IS NOT NULL \
         ORDER BY e.creation_time {}, {} LIMIT {most}",
        scope.store.relation("entries"),
        scope.store.newest_first(),
        scope.store.id_order("e.entry_id")
    ));
    let (mut found, mut read) = (Vec::new(), 0);
    scope.store.in_index_order(|| {
        reader.scan_while(&statement, |row| {
            read += 1;
            if row.boolean(4) == Some(true) {
                found.push(candidate(&row)?);
            }
            Ok(found.len() < limit)
        })
    })?;
    Ok((found.len() == limit || read < rows).then_some(found))
}

fn newest_of_memory(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    least_importance: f64,
    limit: usize,
    mut each: impl FnMut(Candidate),
) -> Result<()> {
    let demands = Searched::Entries.demands(scope);
    let mut judge = demands.map(|demands| RowJudge::of(scope.store, demands)).transpose()?;
    // For rows whose words are tested here, the number of rows to read is unknown.
    let mut rows = limit;
    loop {
        let (mut found, mut read) = (Vec::new(), 0);
        newest_rows(reader, scope, least_importance, rows, &mut |row| {
            read += 1;
            let is_met = judge.as_mut().map_or(Ok(true), |judge| judge.meets(&row, 4))?;
            if is_met && found.len() < limit {
                found.push(candidate(&row)?);
            }
            Ok(())
        })?;
        if found.len() == limit || read < rows {
            found.into_iter().for_each(&mut each);
            return Ok(());
        }
        rows = rows.saturating_mul(8);
    }
}

/// The newest entries that pass the filters, without the query's demands on words.
fn newest_rows(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    least_importance: f64,
    limit: usize,
    each: &mut dyn FnMut(Row<'_>) -> Result<()>,
) -> Result<()> {
    let mut statement = Statement::default();
    let visible = scope.visible_entries(&mut statement);
    let words = match Searched::Entries.demands(scope) {
        Some(_) => format!(", {}", row_words::columns(scope.store, Searched::Entries)),
        None => String::new(),
    };
    let filters = scope.filters(&mut statement);
    let importance = Searched::Entries.importance();
    let least = statement.bind(Param::Number(least_importance));
    let limit = statement.bind(Param::Integer(Some(limit as i64)));
    let statement = statement.with(format!(
        "SELECT e.entry_id::pg_catalog.text, e.creation_time::pg_catalog.timestamptz, {importance}{words} \
         FROM {} e WHERE {visible} AND {filters} AND {importance} OPERATOR(pg_catalog.>=) {least} \
           AND e.entry_id IS NOT NULL \
         ORDER BY e.creation_time {}, {} LIMIT {limit}",
        scope.store.relation("entries"),
        scope.store.newest_first(),
        scope.store.id_order("e.entry_id")
    ));
    scope.store.in_index_order(|| reader.scan(&statement, each))
}
