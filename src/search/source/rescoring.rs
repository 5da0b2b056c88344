//! Rescoring: the exact distances of the rows that were chosen by estimates.

use std::collections::HashMap;

use memory_search_core::Result;
use memory_search_core::ids::RowId;
use memory_search_core::rank::collector::Collected;
use memory_search_core::vector::rescoring::Needed;
use memory_search_pgformat::index_tuple::Tid;

use super::pass::Wanted;
use super::statement;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::{interrupt, settings};
use crate::search::scope::Scope;
use crate::search::searched::Searched;

/// Rescores the best by estimate, and of what else is at hand as many as it takes; gives how many distances were
/// computed, how many rows another embedder made, and what is still needed.
pub fn rescore(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    wanted: &Wanted<'_>,
    vector: &[f32],
    mut rescored: usize,
    collected: &mut Collected<Tid>,
) -> Result<(u64, u64, Needed)> {
    let (mut distances, mut by_another) = (0, 0);
    loop {
        let (computed, others) = compute_estimated(reader, scope, vector, collected)?;
        distances += computed;
        by_another += others;
        match collected.needed(rescored, wanted.nearest(scope.plan.top_ke), vector) {
            Needed::Rescore(rows) if rows > rescored && collected.take_more(rows - rescored) => rescored = rows,
            needed => return Ok((distances, by_another, needed)),
        }
    }
}

/// Computes the distances that estimates stood for: of the rows whose places are known there, and of the
/// others, and those that have moved within their block, by their ids. Gives how many, and how many rows another
/// embedder made.
fn compute_estimated(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    vector: &[f32],
    collected: &mut Collected<Tid>,
) -> Result<(u64, u64)> {
    let (mut tids, mut asked) = (Vec::new(), Vec::new());
    for (id, tid) in collected.estimated() {
        interrupt::check();
        tids.extend(tid.map(|tid| format!("({},{})", tid.block, tid.offset)));
        asked.push(id.clone());
    }
    interrupt::check();
    let (mut distances, mut by_another) = (HashMap::new(), 0);
    if !tids.is_empty() {
        // No condition on the memory, whose rows they are: it would make other plans possible.
        let mut statement = Statement::default();
        let distance = statement::distance(scope, Searched::Entries, vector, &mut statement);
        let tids = statement.bind(Param::Texts(tids));
        let statement = statement.with(format!(
            "SELECT e.entry_id, {}, {} FROM {} e WHERE e.ctid OPERATOR(pg_catalog.=) ANY ({tids}::pg_catalog.tid[])",
            distance.sql,
            distance.is_by_another,
            scope.store.relation("entries")
        ));
        settings::with_tids_only(|| read_distances(reader, &statement, &mut distances, &mut by_another))?;
    }
    let ids: Vec<[u8; 16]> = asked
        .iter()
        .filter_map(|id| match id {
            RowId::Uuid(bytes) if !distances.contains_key(id) => Some(*bytes),
            _ => None,
        })
        .collect();
    if !ids.is_empty() {
        let mut statement = Statement::default();
        let of_memory = scope.of_memory(&mut statement, "e");
        let distance = statement::distance(scope, Searched::Entries, vector, &mut statement);
        let ids = statement.bind(Param::Uuids(ids));
        let statement = statement.with(format!(
            "SELECT e.entry_id, {}, {} FROM {}",
            distance.sql,
            distance.is_by_another,
            scope.store.wanted(&ids, &of_memory)
        ));
        read_distances(reader, &statement, &mut distances, &mut by_another)?;
    }
    interrupt::check();
    collected.set_distances(&distances, &interrupt::check);
    interrupt::check();
    Ok((distances.len() as u64, by_another))
}

fn read_distances(
    reader: &Reader<'_>,
    statement: &Statement,
    distances: &mut HashMap<RowId, f64>,
    by_another: &mut u64,
) -> Result<()> {
    reader.scan(statement, |row| {
        *by_another += u64::from(row.boolean(3) == Some(true));
        if let Some(id) = row.id(1, "uuid")? {
            distances.insert(id, row.number(2).unwrap_or(f64::NAN));
        }
        Ok(())
    })
}
