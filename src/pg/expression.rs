//! SQL expressions from a caller, checked by the server's own parser before they become part of a
//! statement.

use memory_search_core::{Error, Result};
use pgrx::pg_sys;

use crate::pg::plan_cache::c_text;
use crate::pg::settings;

/// Refuses a text that is not exactly one expression, such as a second column, a FROM, or another
/// statement. A text that cannot be parsed raises a syntax error (42601).
pub fn check(name: &str, expression: &str) -> Result<()> {
    if expression.contains('\0') {
        return Err(Error::invalid(format!("{name} holds a NUL byte")).hint("Write the expression without it."));
    }
    // On separate lines, so that a comment at its end does not comment out the rest of the
    // statement.
    let text = c_text(&format!("SELECT (\n{expression}\n)"))?;
    // SAFETY: the parser reads the text and allocates the tree in the current memory context; each
    // node is read as the type that its tag says.
    let is_one = unsafe {
        let list = settings::with_standard_literals(|| {
            pg_sys::raw_parser(text.as_ptr(), pg_sys::RawParseMode::RAW_PARSE_DEFAULT)
        });
        is_single_expression(list)
    };
    if is_one {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{name} is not one SQL expression: \"{}\"",
        memory_search_core::error::shown(expression)
    ))
    .hint("Name a column, or write an expression over the table's columns, for example \"lower(title)\"."))
}

/// Whether the statements are one SELECT of one unnamed column and nothing else.
///
/// # Safety
/// `list` is what the raw parser returned.
unsafe fn is_single_expression(list: *mut pg_sys::List) -> bool {
    // SAFETY: a list of RawStmt by the parser's contract; lists are null when empty.
    unsafe {
        if list.is_null() || (*list).length != 1 {
            return false;
        }
        let raw = (*(*list).elements).ptr_value.cast::<pg_sys::RawStmt>();
        let node = (*raw).stmt;
        if (*node).type_ != pg_sys::NodeTag::T_SelectStmt {
            return false;
        }
        let select = &*node.cast::<pg_sys::SelectStmt>();
        let columns = select.targetList;
        if columns.is_null() || (*columns).length != 1 {
            return false;
        }
        let column = (*(*columns).elements).ptr_value.cast::<pg_sys::ResTarget>();
        let clauses = [
            select.distinctClause,
            select.fromClause,
            select.groupClause,
            select.windowClause,
            select.valuesLists,
            select.sortClause,
            select.lockingClause,
        ];
        let value = (*column).val;
        if (*value).type_ == pg_sys::NodeTag::T_RowExpr || is_star(value) {
            return false;
        }
        (*column).name.is_null()
            && clauses.iter().all(|clause| clause.is_null())
            && select.intoClause.is_null()
            && select.whereClause.is_null()
            && select.havingClause.is_null()
            && select.limitOffset.is_null()
            && select.limitCount.is_null()
            && select.withClause.is_null()
            && select.op == pg_sys::SetOperation::SETOP_NONE
    }
}

/// Whether it is `*` or `t.*`, which stands for all columns of the table.
///
/// # Safety
/// `node` is an expression of a raw parse tree.
unsafe fn is_star(node: *mut pg_sys::Node) -> bool {
    // SAFETY: read as the type that its tag says; a column reference has at least one field.
    unsafe {
        if (*node).type_ != pg_sys::NodeTag::T_ColumnRef {
            return false;
        }
        let fields = (*node.cast::<pg_sys::ColumnRef>()).fields;
        let last = (*(*fields).elements.add((*fields).length as usize - 1)).ptr_value.cast::<pg_sys::Node>();
        (*last).type_ == pg_sys::NodeTag::T_A_Star
    }
}
