//! The cost of a scan of a memory index, for the planner.

use pgrx::pg_sys;
use pgrx::prelude::*;

/// Processor time for each document, in units of `cpu_operator_cost`: a scan reads all documents of a memory, but few
/// bytes of each.
const OPERATORS_A_DOCUMENT: f64 = 2.0;

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
        let mut costs = pg_sys::GenericCosts::default();
        pg_sys::genericcostestimate(root, path, loop_count, &mut costs);
        let documents = costs.numIndexTuples.max(1.0);
        let pages = (FIRST_PAGES + costs.numIndexPages).min((*(*path).indexinfo).pages.into());
        let work = documents * OPERATORS_A_DOCUMENT * pg_sys::cpu_operator_cost
            + FIRST_PAGES * pg_sys::random_page_cost
            + (pages - FIRST_PAGES).max(0.0) * pg_sys::seq_page_cost;
        // No row is returned before the whole memory was read.
        *startup = work;
        *total = work + documents * pg_sys::cpu_index_tuple_cost;
        *selectivity = costs.indexSelectivity;
        *correlation = 0.0;
        *index_pages = pages;
    }
}
