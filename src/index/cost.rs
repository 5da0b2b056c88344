//! The cost of a scan of a memory index, for the planner.

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::state::State;

/// Processor time for each document, in units of `cpu_operator_cost`: a scan reads all documents of a memory, but few
/// bytes of each.
const OPERATORS_A_DOCUMENT: f64 = 2.0;

/// The cost of a scan that fails, far above that of any other scan.
const IMPOSSIBLE: f64 = 1e12;

/// Pages that a scan of a small memory reads, including those of the descents of the tree.
const FIRST_PAGES: f64 = 4.0;

#[pg_guard]
#[allow(clippy::too_many_arguments)] // the server's signature
pub unsafe extern "C-unwind" fn amcostestimate(
    root: *mut pg_sys::PlannerInfo,
    path: *mut pg_sys::IndexPath,
    loop_count: f64,
    startup: *mut pg_sys::Cost,
    total: *mut pg_sys::Cost,
    selectivity: *mut pg_sys::Selectivity,
    correlation: *mut f64,
    index_pages: *mut f64,
) {
    // SAFETY: the planner hands over its own structs, and places for the results.
    unsafe {
        let of_memory = selectivity_of_memory(root, path);
        // A given number stays as it is.
        let documents = (of_memory * (*(*path).indexinfo).tuples).round().max(1.0);
        let mut costs = pg_sys::GenericCosts { numIndexTuples: documents, ..Default::default() };
        pg_sys::genericcostestimate(root, path, loop_count, &mut costs);
        let pages = (FIRST_PAGES + costs.numIndexPages).min((*(*path).indexinfo).pages.into());
        let work = documents * OPERATORS_A_DOCUMENT * pg_sys::cpu_operator_cost
            + FIRST_PAGES * pg_sys::random_page_cost
            + (pages - FIRST_PAGES).max(0.0) * pg_sys::seq_page_cost;
        // No row is returned before the whole memory was read.
        *startup = if is_possible((*path).indexinfo) { work } else { IMPOSSIBLE };
        *total = *startup + documents * pg_sys::cpu_index_tuple_cost;
        *selectivity = of_memory;
        *correlation = 0.0;
        *index_pages = pages;
    }
}

/// The share of the rows that a scan reads and returns: those of the memory. The conditions on other columns are tested
/// by the executor on the table's rows, so they save nothing.
///
/// # Safety
/// The planner's structs of a path of an index.
unsafe fn selectivity_of_memory(root: *mut pg_sys::PlannerInfo, path: *mut pg_sys::IndexPath) -> f64 {
    // SAFETY: by the caller's promise: the clauses of a path are a list of `IndexClause`, and its lists are not changed.
    unsafe {
        let clauses = (*path).indexclauses;
        let count = clauses.as_ref().map_or(0, |list| list.length as usize);
        let mut conditions = std::ptr::null_mut();
        for number in 0..count {
            let clause = (*(*clauses).elements.add(number)).ptr_value.cast::<pg_sys::IndexClause>();
            if (*clause).indexcol == 0 {
                conditions = pg_sys::list_concat(conditions, (*clause).indexquals);
            }
        }
        let info = (*path).indexinfo;
        let conditions = pg_sys::add_predicate_to_index_quals(info, conditions);
        let relation = (*(*info).rel).relid as i32;
        pg_sys::clauselist_selectivity(root, conditions, relation, pg_sys::JoinType::JOIN_INNER, std::ptr::null_mut())
    }
}

/// Whether a scan of an index can succeed.
///
/// # Safety
/// The planner's struct of an index that it has locked.
unsafe fn is_possible(info: *const pg_sys::IndexOptInfo) -> bool {
    // SAFETY: by the caller's promise; the planner keeps the lock.
    unsafe {
        if (*info).hypothetical {
            return true;
        }
        let index = pg_sys::index_open((*info).indexoid, pg_sys::NoLock as i32);
        let is_possible = State::is_possible(index);
        pg_sys::index_close(index, pg_sys::NoLock as i32);
        is_possible
    }
}
