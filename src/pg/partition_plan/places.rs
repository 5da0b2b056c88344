//! A statement that was parsed and rewritten, made one that gives the places of its rows instead of its columns.
//!
//! Which columns a statement names, and so which privileges the executor asks for, was settled when it was parsed, and
//! stays: whoever may read the columns of a table and not all of it, to whom the server denies `ctid`, is asked for those
//! columns, and for no more. So do policies stay, which are conditions on the rows by now. A place tells nothing of a row;
//! who gets it reads there what the statement named.

use pgrx::pg_sys;

/// Takes `ctid` and `tableoid` of the relation that the statement reads as its columns: of a table or, where that is a view
/// over one table, of the table. A statement of another form stays as it is, and its receiver says that it gives no
/// place.
///
/// # Safety
/// The statement is the planner's.
pub unsafe fn give(statement: *mut pg_sys::Query) {
    // SAFETY: as the caller says. What is added is made by the server's own functions, in the context of the statement.
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

/// Adds a system column of the table behind a view to what the view gives; its number there.
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
        // The names are as many as the columns, or the planner would look for them in vain.
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

/// Whether a query gives a row for each of its relation's, or of some of them.
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

/// How many elements a list has; a null pointer is the empty one.
unsafe fn length(list: *const pg_sys::List) -> usize {
    // SAFETY: a list of the statement.
    unsafe { list.as_ref() }.map_or(0, |list| list.length as usize)
}
