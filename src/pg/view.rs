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
