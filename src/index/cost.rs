//! What a scan of a memory index costs, for the planner.

use pgrx::pg_sys;
use pgrx::prelude::*;

/// Processor time a document, in units of `cpu_operator_cost`: a scan looks at all of a memory's, but at few bytes.
const OPERATORS_A_DOCUMENT: f64 = 2.0;

/// Descents of the tree, and pages that a scan of a small memory reads.
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
        // Nothing comes out before all of the memory was looked at.
        *startup = work;
        *total = work + documents * pg_sys::cpu_index_tuple_cost;
        *selectivity = costs.indexSelectivity;
        *correlation = 0.0;
        *index_pages = pages;
    }
}
