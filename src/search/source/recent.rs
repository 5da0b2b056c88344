//! The recent retrieval: the newest entries.

use memory_search_core::Result;
use memory_search_core::output::response::ReadDiagnostics;
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::rank::ranking::newer_first;

use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{Reader, Statement};
use crate::search::row_words::{self, RowJudge};
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::searched::{Searched, candidate};

/// The `limit` newest entries that pass the filters and are at least this important.
pub fn newest(reader: &Reader<'_>, scopes: &Scopes<'_>, least_importance: f64, limit: usize) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for (memory, scope) in scopes.numbered() {
        newest_of_memory(reader, scope, least_importance, limit, |candidate| {
            found.push(Candidate { memory, ..candidate });
        })?;
        // None that is older than so many can be among them.
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

fn newest_of_memory(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    least_importance: f64,
    limit: usize,
    mut each: impl FnMut(Candidate),
) -> Result<()> {
    let demands = Searched::Entries.demands(scope);
    let mut judge = demands.map(|demands| RowJudge::of(scope.store, demands)).transpose()?;
    // Of rows whose words are looked at here nobody knows how many have to be read.
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

/// The newest entries that pass the filters, whatever the query demands of their words.
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
