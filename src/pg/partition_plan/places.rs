//! Modifies a parsed and rewritten statement so that it returns the places of its rows instead of its columns.
//!
//! The parser has determined which columns the statement names, and so which privileges the executor checks; these do
//! not change. A role that may read some columns of a table but not all, and to which the server denies `ctid`, needs
//! the privileges on those columns and no more. The policies, which are already conditions on the rows, do not change
//! either. A place reveals nothing about a row; its receiver reads there the columns that the statement named.

use pgrx::pg_sys;

/// Makes `ctid` and `tableoid` of the relation that the statement reads its only columns: those of a table or, if that
/// is a view over one table, of that table. A statement of another form does not change, and its receiver reports that
/// it returns no place.
///
/// # Safety
/// The statement is the planner's.
pub unsafe fn give(statement: *mut pg_sys::Query) {
    // SAFETY: as the caller says. The server's own functions make the added nodes, in the context of the statement.
    unsafe {
        let Some((number, entry)) = only_relation(statement) else { return };
        let columns: [(i16, pg_sys::Oid, &core::ffi::CStr); 2] = [
            (pg_sys::SelfItemPointerAttributeNumber as i16, pg_sys::TIDOID, c"ctid"),
            (pg_sys::TableOidAttributeNumber as i16, pg_sys::OIDOID, c"tableoid"),
        ];
        let mut targets: *mut pg_sys::List = std::ptr::null_mut();
        for ((attribute, type_oid, name), place) in columns.into_iter().zip(1..) {
            let attribute = match (*entry).rtekind {
                pg_sys::RTEKind::RTE_RELATION => attribute,
                pg_sys::RTEKind::RTE_SUBQUERY => match add_column(entry, attribute, type_oid, name) {
                    Some(added) => added,
                    None => return,
                },
                _ => return,
            };
            targets = pg_sys::lappend(targets, target(number, attribute, type_oid, name, place).cast());
        }
        (*statement).targetList = targets;
    }
}

/// Adds a system column of the table behind a view to the view's columns; returns its number there.
unsafe fn add_column(
    view: *mut pg_sys::RangeTblEntry,
    attribute: i16,
    type_oid: pg_sys::Oid,
    name: &core::ffi::CStr,
) -> Option<i16> {
    // SAFETY: an entry of the statement for a view, with the view's query, of which the statement has a copy.
    unsafe {
        let query = (*view).subquery;
        let (number, entry) = only_relation(query)?;
        if (*entry).rtekind != pg_sys::RTEKind::RTE_RELATION || !shows_each_row_once(&*query) {
            return None;
        }
        let place = i16::try_from(length((*query).targetList)).ok()? + 1;
        (*query).targetList =
            pg_sys::lappend((*query).targetList, target(number, attribute, type_oid, name, place).cast());
        let name = pg_sys::makeString(pg_sys::pstrdup(name.as_ptr()));
        let names = (*view).eref;
        (*names).colnames = pg_sys::lappend((*names).colnames, name.cast());
        // There must be as many names as columns, because the planner looks them up.
        (length((*names).colnames) == place as usize).then_some(place)
    }
}

unsafe fn target(
    relation: i32,
    attribute: i16,
    type_oid: pg_sys::Oid,
    name: &core::ffi::CStr,
    place: i16,
) -> *mut pg_sys::TargetEntry {
    // SAFETY: neither type has a modifier or a collation; the name is copied.
    unsafe {
        let var = pg_sys::makeVar(relation, attribute, type_oid, -1, pg_sys::InvalidOid, 0);
        pg_sys::makeTargetEntry(var.cast(), place, pg_sys::pstrdup(name.as_ptr()), false)
    }
}

/// Whether a query returns each row of its relation, or of some of its rows, once.
fn shows_each_row_once(query: &pg_sys::Query) -> bool {
    let clauses = [
        query.groupClause,
        query.groupingSets,
        query.windowClause,
        query.distinctClause,
        query.sortClause,
        query.rowMarks,
    ];
    let nodes = [query.havingQual, query.limitOffset, query.limitCount, query.setOperations];
    clauses.iter().all(|clause| clause.is_null())
        && nodes.iter().all(|node| node.is_null())
        && !(query.hasAggs || query.hasTargetSRFs || query.hasWindowFuncs)
}

/// The one relation that a query reads from, with its number.
unsafe fn only_relation(query: *const pg_sys::Query) -> Option<(i32, *mut pg_sys::RangeTblEntry)> {
    // SAFETY: a query of the statement; what FROM lists are nodes, and the entries that they name have these numbers.
    unsafe {
        let query = query.as_ref()?;
        let from = query.jointree.as_ref()?.fromlist;
        if length(from) != 1 {
            return None;
        }
        let item: *const pg_sys::Node = (*(*from).elements).ptr_value.cast();
        if (*item).type_ != pg_sys::NodeTag::T_RangeTblRef {
            return None;
        }
        let number = (*item.cast::<pg_sys::RangeTblRef>()).rtindex;
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        if place >= length(query.rtable) {
            return None;
        }
        Some((number, (*(*query.rtable).elements.add(place)).ptr_value.cast()))
    }
}

/// The number of elements of a list; a null pointer is the empty list.
unsafe fn length(list: *const pg_sys::List) -> usize {
    // SAFETY: a list of the statement.
    unsafe { list.as_ref() }.map_or(0, |list| list.length as usize)
}
