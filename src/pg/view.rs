//! What the server knows of a view's columns and no catalog says.

use core::ffi::CStr;

use pgrx::pg_sys;

/// The columns whose expressions are not immutable, so that no index can hold them. Empty for what is
/// no view.
pub fn columns_that_change(relation: u32) -> Vec<String> {
    let mut names = Vec::new();
    // SAFETY: the relation is opened under a lock and closed again; an ERROR in between releases both.
    // A view's query is a parse tree of the relation's cache entry, alive while that is open; each
    // element of its target list is a TargetEntry.
    unsafe {
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        let view = pg_sys::relation_open(pg_sys::Oid::from(relation), lock);
        if (*(*view).rd_rel).relkind == pg_sys::RELKIND_VIEW as core::ffi::c_char {
            let targets = (*pg_sys::get_view_query(view)).targetList;
            for place in 0..(*targets).length as usize {
                let target = (*(*targets).elements.add(place)).ptr_value.cast::<pg_sys::TargetEntry>();
                if !(*target).resname.is_null() && pg_sys::contain_mutable_functions((*target).expr.cast()) {
                    names.push(CStr::from_ptr((*target).resname).to_string_lossy().into_owned());
                }
            }
        }
        pg_sys::relation_close(view, lock);
    }
    names
}

/// Whether an expression of the view gives several rows for one.
pub fn returns_sets(relation: u32) -> bool {
    // SAFETY: as in columns_that_change.
    unsafe {
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        let view = pg_sys::relation_open(pg_sys::Oid::from(relation), lock);
        let found = (*(*view).rd_rel).relkind == pg_sys::RELKIND_VIEW as core::ffi::c_char
            && (*pg_sys::get_view_query(view)).hasTargetSRFs;
        pg_sys::relation_close(view, lock);
        found
    }
}

/// The relation that stands first in the view's FROM.
pub fn source(relation: u32) -> Option<u32> {
    // SAFETY: as in columns_that_change; the range table is a list of RangeTblEntry.
    unsafe {
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        let view = pg_sys::relation_open(pg_sys::Oid::from(relation), lock);
        let mut found = None;
        if (*(*view).rd_rel).relkind == pg_sys::RELKIND_VIEW as core::ffi::c_char {
            let range_table = (*pg_sys::get_view_query(view)).rtable;
            for place in 0..if range_table.is_null() { 0 } else { (*range_table).length as usize } {
                let entry = (*(*range_table).elements.add(place)).ptr_value.cast::<pg_sys::RangeTblEntry>();
                let is_relation = (*entry).rtekind == pg_sys::RTEKind::RTE_RELATION;
                if found.is_none() && is_relation {
                    found = Some((*entry).relid.to_u32());
                }
            }
        }
        pg_sys::relation_close(view, lock);
        found
    }
}

/// Whether an expression of the view reads a row of its source as a whole, as `to_jsonb(t)` does.
pub fn reads_whole_rows(relation: u32) -> bool {
    // SAFETY: as in columns_that_change; pull_varattnos adds the columns of the first relation in FROM to
    // a set, each shifted so that the whole row, column 0, has a place.
    unsafe {
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        let view = pg_sys::relation_open(pg_sys::Oid::from(relation), lock);
        let mut columns: *mut pg_sys::Bitmapset = std::ptr::null_mut();
        if (*(*view).rd_rel).relkind == pg_sys::RELKIND_VIEW as core::ffi::c_char {
            let query = pg_sys::get_view_query(view);
            pg_sys::pull_varattnos((*query).targetList.cast(), 1, &mut columns);
        }
        pg_sys::relation_close(view, lock);
        pg_sys::bms_is_member(-pg_sys::FirstLowInvalidHeapAttributeNumber, columns)
    }
}
