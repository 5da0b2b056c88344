//! What the server knows of a view's columns and no catalog says.

use core::ffi::CStr;

use pgrx::pg_sys;

/// The columns whose expressions are not immutable, so that no index can hold them. Empty for what is
/// no view.
pub fn columns_that_change(relation: u32) -> Vec<String> {
    // SAFETY: the elements of a target list are TargetEntry; names are C strings of the same tree.
    let names = with_query(relation, |query| unsafe {
        elements((*query).targetList)
            .into_iter()
            .map(|element| element.cast::<pg_sys::TargetEntry>())
            .filter(|target| !(**target).resname.is_null() && pg_sys::contain_mutable_functions((**target).expr.cast()))
            .map(|target| CStr::from_ptr((*target).resname).to_string_lossy().into_owned())
            .collect()
    });
    names.unwrap_or_default()
}

/// A column of a view over one relation.
pub struct ViewColumn {
    /// Its name.
    pub name: String,
    /// What it is made of, as SQL over the relation's columns, with every other name qualified.
    pub expression: String,
    /// Whether that is a column of the relation and nothing more.
    pub is_column: bool,
}

/// The columns of a view over one relation, without subqueries; empty for any other.
pub fn columns(relation: u32) -> Vec<ViewColumn> {
    // SAFETY: the elements of a range table are RangeTblEntry, those of a target list TargetEntry; the first
    // relation's name and the texts are C strings in the current memory context.
    let found = with_query(relation, |query| unsafe {
        let tables: Vec<_> = elements((*query).rtable).into_iter().map(|t| t.cast::<pg_sys::RangeTblEntry>()).collect();
        let [table] = tables[..] else { return Vec::new() };
        if (*table).rtekind != pg_sys::RTEKind::RTE_RELATION || (*query).hasSubLinks {
            return Vec::new();
        }
        let context = pg_sys::deparse_context_for(pg_sys::get_rel_name((*table).relid), (*table).relid);
        elements((*query).targetList)
            .into_iter()
            .map(|element| element.cast::<pg_sys::TargetEntry>())
            .filter(|target| !(**target).resname.is_null())
            .map(|target| {
                let expression = (*target).expr.cast::<pg_sys::Node>();
                ViewColumn {
                    name: CStr::from_ptr((*target).resname).to_string_lossy().into_owned(),
                    expression: CStr::from_ptr(pg_sys::deparse_expression(expression, context, false, false))
                        .to_string_lossy()
                        .into_owned(),
                    is_column: (*expression).type_ == pg_sys::NodeTag::T_Var,
                }
            })
            .collect()
    });
    found.unwrap_or_default()
}

/// Whether an expression of the view gives several rows for one.
pub fn returns_sets(relation: u32) -> bool {
    // SAFETY: with_query gives a query.
    with_query(relation, |query| unsafe { (*query).hasTargetSRFs }).unwrap_or(false)
}

/// The relation that stands first in the view's FROM.
pub fn source(relation: u32) -> Option<u32> {
    // SAFETY: the elements of a range table are RangeTblEntry.
    let found = with_query(relation, |query| unsafe {
        elements((*query).rtable)
            .into_iter()
            .map(|element| element.cast::<pg_sys::RangeTblEntry>())
            .find(|entry| (**entry).rtekind == pg_sys::RTEKind::RTE_RELATION)
            .map(|entry| (*entry).relid.to_u32())
    });
    found.flatten()
}

/// Whether an expression of the view reads a row of its source as a whole, as `to_jsonb(t)` does.
pub fn reads_whole_rows(relation: u32) -> bool {
    // SAFETY: pull_varattnos adds the columns of the first relation in FROM to a set, each shifted so that
    // the whole row, column 0, has a place.
    let found = with_query(relation, |query| unsafe {
        let mut columns: *mut pg_sys::Bitmapset = std::ptr::null_mut();
        pg_sys::pull_varattnos((*query).targetList.cast(), 1, &mut columns);
        pg_sys::bms_is_member(-pg_sys::FirstLowInvalidHeapAttributeNumber, columns)
    });
    found.unwrap_or(false)
}

/// Looks at a view's query; `None` for what is no view.
fn with_query<T>(relation: u32, look: impl FnOnce(*mut pg_sys::Query) -> T) -> Option<T> {
    // SAFETY: the relation is opened under a lock and closed again; an ERROR in between releases both. A
    // view's query is a parse tree of the relation's cache entry, alive while that is open.
    unsafe {
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        let view = pg_sys::relation_open(pg_sys::Oid::from(relation), lock);
        let is_view = (*(*view).rd_rel).relkind == pg_sys::RELKIND_VIEW as core::ffi::c_char;
        let found = is_view.then(|| look(pg_sys::get_view_query(view)));
        pg_sys::relation_close(view, lock);
        found
    }
}

/// The elements of a list; a null pointer is the empty one.
///
/// # Safety
/// It is a list of pointers.
unsafe fn elements(list: *mut pg_sys::List) -> Vec<*mut core::ffi::c_void> {
    if list.is_null() {
        return Vec::new();
    }
    // SAFETY: a list has `length` elements.
    unsafe { (0..(*list).length as usize).map(|index| (*(*list).elements.add(index)).ptr_value).collect() }
}
