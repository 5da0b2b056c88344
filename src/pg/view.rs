//! Facts about a view's columns that the server knows but no catalog has.

use core::ffi::CStr;

use pgrx::pg_sys;

use super::index_columns::{self, IndexColumn};

/// The columns that no index can hold, each with the reason. Empty if the relation is no view.
pub fn columns_not_held(relation: u32) -> Vec<(String, &'static str)> {
    // SAFETY: the elements of a target list are TargetEntry; names are C strings of the same tree.
    let columns = with_query(relation, |query| unsafe {
        elements((*query).targetList)
            .into_iter()
            .map(|element| element.cast::<pg_sys::TargetEntry>())
            .filter(|target| !(**target).resname.is_null())
            .filter_map(|target| {
                let reason = not_held((*query).rtable, (*target).expr.cast())?;
                Some((CStr::from_ptr((*target).resname).to_string_lossy().into_owned(), reason))
            })
            .collect()
    });
    columns.unwrap_or_default()
}

/// The reason for which no index can hold an expression.
///
/// # Safety
/// It must be an expression over the relations of the list.
unsafe fn not_held(tables: *mut pg_sys::List, expression: *mut pg_sys::Node) -> Option<&'static str> {
    // SAFETY: by the caller's promise.
    unsafe {
        let is_mutable = pg_sys::contain_mutable_functions(expression);
        is_mutable
            .then_some("its expression is not immutable")
            .or_else(|| reads_virtual_column(tables, expression).then_some("it reads a virtual generated column"))
    }
}

/// Whether an expression reads a column that is generated when it is read.
///
/// # Safety
/// It must be an expression over the relations of the list.
unsafe fn reads_virtual_column(tables: *mut pg_sys::List, expression: *mut pg_sys::Node) -> bool {
    const GENERATED_WHEN_READ: u8 = b'v';
    // SAFETY: the elements of a range table are RangeTblEntry; a set's members are shifted so that system columns have
    // places, too; the rest reads catalog caches.
    unsafe {
        let tables = elements(tables).into_iter().map(|table| table.cast::<pg_sys::RangeTblEntry>());
        tables.zip(1..).filter(|(table, _)| (**table).rtekind == pg_sys::RTEKind::RTE_RELATION).any(|(table, place)| {
            let mut columns: *mut pg_sys::Bitmapset = std::ptr::null_mut();
            pg_sys::pull_varattnos(expression, place, &mut columns);
            let members = std::iter::successors(Some(pg_sys::bms_next_member(columns, -1)), |member| {
                Some(pg_sys::bms_next_member(columns, *member))
            });
            members
                .take_while(|member| *member >= 0)
                .map(|member| (member + pg_sys::FirstLowInvalidHeapAttributeNumber) as i16)
                .any(|number| {
                    number > 0 && pg_sys::get_attgenerated((*table).relid, number) as u8 == GENERATED_WHEN_READ
                })
        })
    }
}

/// A column of a relation, in the form of an index column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadColumn {
    /// Its number.
    pub number: i16,
    /// Its name as SQL, and its type.
    pub held: IndexColumn,
}

/// A column of a view over one relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewColumn {
    /// Its name.
    pub name: String,
    /// Its expression, as SQL over the relation's columns, with every other name qualified.
    pub expression: String,
    /// The number of the relation's column, if the expression is only that column.
    pub attribute: Option<i16>,
    /// Whether it is null in every row.
    pub is_null: bool,
    /// Whether it is the same in every row, always.
    pub is_constant: bool,
    /// The reason for which no index can hold it: its value may change while the row does not, or it reads a column
    /// that is generated when it is read.
    pub not_held: Option<&'static str>,
    /// Whether its texts are equal exactly if their bytes are.
    pub has_comparable_texts: bool,
    /// The only column of the relation that it reads.
    pub only_column: Option<ReadColumn>,
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
                    attribute: match (*expression).type_ {
                        pg_sys::NodeTag::T_Var => {
                            Some((*expression.cast::<pg_sys::Var>()).varattno).filter(|number| *number > 0)
                        }
                        _ => None,
                    },
                    is_null: (*expression).type_ == pg_sys::NodeTag::T_Const
                        && (*expression.cast::<pg_sys::Const>()).constisnull,
                    has_comparable_texts: index_columns::has_comparable_texts(expression),
                    not_held: not_held((*query).rtable, expression),
                    only_column: only_column((*table).relid, expression),
                    is_constant: !pg_sys::contain_var_clause(expression)
                        && !pg_sys::contain_mutable_functions(expression),
                }
            })
            .collect()
    });
    found.unwrap_or_default()
}

/// The only column that an expression reads of a relation.
///
/// # Safety
/// It must be an expression over that relation alone.
unsafe fn only_column(relation: pg_sys::Oid, expression: *mut pg_sys::Node) -> Option<ReadColumn> {
    // SAFETY: a set's members are shifted so that system columns have places, too; the rest reads catalog caches and
    // gives C strings in the current memory context.
    unsafe {
        let mut columns: *mut pg_sys::Bitmapset = std::ptr::null_mut();
        pg_sys::pull_varattnos(expression, 1, &mut columns);
        let mut member = -1;
        if !pg_sys::bms_get_singleton_member(columns, &mut member) {
            return None;
        }
        let number = (member + pg_sys::FirstLowInvalidHeapAttributeNumber) as i16;
        if number < 1 {
            return None;
        }
        let name = pg_sys::quote_identifier(pg_sys::get_attname(relation, number, false));
        let held = IndexColumn {
            expression: CStr::from_ptr(name).to_string_lossy().into_owned(),
            type_oid: index_columns::comparable_type(relation, number),
        };
        Some(ReadColumn { number, held })
    }
}

/// Whether a view shows every row of one table once, and reads it with the caller's privileges: then its rows are the
/// table's, and may be looked up in it.
pub fn shows_all_rows_to_invoker(relation: u32) -> bool {
    // SAFETY: the options of a view are ViewOptions; those of its query and what is in it as their types say.
    let found = with_view(relation, |view, query| unsafe {
        let options = (*view).rd_options.cast::<pg_sys::ViewOptions>();
        let (query, from) = (&*query, &*(*query).jointree);
        let clauses = [
            query.cteList,
            query.groupClause,
            query.groupingSets,
            query.windowClause,
            query.distinctClause,
            query.sortClause,
            query.rowMarks,
        ];
        let nodes = [query.havingQual, query.limitOffset, query.limitCount, query.setOperations, from.quals];
        let is_one_table = match elements(query.rtable)[..] {
            [table] => {
                let table = &*table.cast::<pg_sys::RangeTblEntry>();
                table.rtekind == pg_sys::RTEKind::RTE_RELATION
                    && table.relkind == pg_sys::RELKIND_RELATION as core::ffi::c_char
                    && table.tablesample.is_null()
            }
            _ => false,
        };
        !options.is_null()
            && (*options).security_invoker
            && is_one_table
            && elements(from.fromlist).len() == 1
            && clauses.iter().all(|clause| clause.is_null())
            && nodes.iter().all(|node| node.is_null())
            && !(query.hasAggs || query.hasTargetSRFs || query.hasSubLinks || query.hasWindowFuncs)
    });
    found.unwrap_or(false)
}

/// The reason for which a view does not show the rows of one ordinary table, as far as users meet it.
pub fn why_not_one_table(relation: u32) -> Option<&'static str> {
    // SAFETY: the elements of a range table are RangeTblEntry.
    let found = with_query(relation, |query| unsafe {
        let query = &*query;
        if query.hasSubLinks {
            return Some("a column is mapped to a subquery");
        }
        let [table] = elements(query.rtable)[..] else { return None };
        match (*table.cast::<pg_sys::RangeTblEntry>()).relkind as u8 {
            pg_sys::RELKIND_PARTITIONED_TABLE => Some("the table is partitioned, and no index holds all of its rows"),
            pg_sys::RELKIND_RELATION => None,
            _ => Some("the relation is no table"),
        }
    });
    found.flatten()
}

/// The columns of its source that a view reads; `None` if it reads whole rows.
pub fn columns_read(relation: u32) -> Option<Vec<i16>> {
    // SAFETY: as in reads_whole_rows; a set's members are shifted so that system columns have places, too.
    with_query(relation, |query| unsafe {
        let mut columns: *mut pg_sys::Bitmapset = std::ptr::null_mut();
        pg_sys::pull_varattnos((*query).targetList.cast(), 1, &mut columns);
        let (mut found, mut member) = (Vec::new(), -1);
        loop {
            member = pg_sys::bms_next_member(columns, member);
            if member < 0 {
                return Some(found);
            }
            match member + pg_sys::FirstLowInvalidHeapAttributeNumber {
                0 => return None,
                number => found.push(number as i16),
            }
        }
    })
    .flatten()
}

/// The reason, in words, why an expression of the view does not give one value for each row from that row alone.
pub fn beyond_one_row(relation: u32) -> Option<&'static str> {
    // SAFETY: with_query gives a query.
    let (sets, aggregates, windows) =
        with_query(relation, |query| unsafe { ((*query).hasTargetSRFs, (*query).hasAggs, (*query).hasWindowFuncs) })?;
    let found = [
        (sets, "with a set-returning function, which turns one row into several"),
        (aggregates, "with an aggregate, which turns several rows into one"),
        (windows, "with a window function, which gives a row another value when other rows change"),
    ];
    found.into_iter().find(|(is_there, _)| *is_there).map(|(_, what)| what)
}

/// The first relation in the view's FROM.
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

/// Calls `look` with a view's query; `None` if the relation is no view.
fn with_query<T>(relation: u32, look: impl FnOnce(*mut pg_sys::Query) -> T) -> Option<T> {
    with_view(relation, |_, query| look(query))
}

/// Calls `look` with a view and its query; `None` if the relation is no view, or was dropped.
fn with_view<T>(relation: u32, look: impl FnOnce(pg_sys::Relation, *mut pg_sys::Query) -> T) -> Option<T> {
    // SAFETY: the relation is opened under a lock and closed again; an ERROR in between releases both. A
    // view's query is a parse tree of the relation's cache entry, alive while that is open.
    unsafe {
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        let view = pg_sys::try_relation_open(pg_sys::Oid::from(relation), lock);
        if view.is_null() {
            return None;
        }
        let is_view = (*(*view).rd_rel).relkind == pg_sys::RELKIND_VIEW as core::ffi::c_char;
        let found = is_view.then(|| look(view, pg_sys::get_view_query(view)));
        pg_sys::relation_close(view, lock);
        found
    }
}

/// The elements of a list; a null pointer is the empty list.
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
