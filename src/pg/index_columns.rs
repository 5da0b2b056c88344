//! The expressions of the columns of an index, as SQL, from the same function as those of a view ([`super::view`]):
//! equal texts are equal expressions. (The server's pg_get_indexdef() breaks lines where pg_get_viewdef() does not.)

use std::ffi::CStr;

use pgrx::pg_sys;

/// The type varchar.
pub const VARCHAR: u32 = pg_sys::VARCHAROID.to_u32();

/// A column of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexColumn {
    /// Its expression, as SQL over the table's columns.
    pub expression: String,
    /// Its type; 0 if its texts may be equal although their bytes differ.
    pub type_oid: u32,
}

/// The columns of an index, in order; none if it was dropped.
pub fn of(index: u32) -> Vec<IndexColumn> {
    let index = pg_sys::Oid::from(index);
    // SAFETY: reads catalog caches, inside a transaction. The table is open and locked meanwhile, so that neither it nor
    // the index is dropped: the server opens it to write expressions. An ERROR leaves it, and the tuple of pg_index, to
    // the abort. The keys of the tuple are `indnatts` numbers; its expressions, if it has any, are a list as text.
    unsafe {
        let table = pg_sys::IndexGetRelation(index, true);
        if table == pg_sys::InvalidOid {
            return Vec::new();
        }
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        let open = pg_sys::try_relation_open(table, lock);
        if open.is_null() {
            return Vec::new();
        }
        let columns = of_open(index, table);
        pg_sys::relation_close(open, lock);
        columns
    }
}

/// The columns of an index of a table that is open.
///
/// # Safety
/// It must be its table, open inside a transaction.
unsafe fn of_open(index: pg_sys::Oid, table: pg_sys::Oid) -> Vec<IndexColumn> {
    // SAFETY: by the caller's promise.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::INDEXRELID as i32;
        let tuple = pg_sys::SearchSysCache1(cache, index.into());
        if tuple.is_null() {
            return Vec::new();
        }
        let header = (*tuple).t_data;
        let form = &*header.cast::<u8>().add((*header).t_hoff.into()).cast::<pg_sys::FormData_pg_index>();
        let keys = std::slice::from_raw_parts(form.indkey.values.as_ptr(), form.indnatts as usize).to_vec();
        let mut is_null = false;
        let text = pg_sys::SysCacheGetAttr(cache, tuple, pg_sys::Anum_pg_index_indexprs as i16, &mut is_null);
        let expressions = match is_null {
            true => std::ptr::null_mut(),
            false => pg_sys::stringToNode(pg_sys::text_to_cstring(text.cast_mut_ptr())).cast::<pg_sys::List>(),
        };
        pg_sys::ReleaseSysCache(tuple);
        let context = pg_sys::deparse_context_for(pg_sys::get_rel_name(table), table);
        let mut next = 0;
        let mut columns = Vec::new();
        for (number, key) in keys.into_iter().enumerate() {
            let mut is_comparable = true;
            let text = match key {
                0 => {
                    let expression = (*(*expressions).elements.add(next)).ptr_value.cast::<pg_sys::Node>();
                    next += 1;
                    is_comparable = has_comparable_texts(expression);
                    pg_sys::deparse_expression(expression, context, false, false).cast_const()
                }
                key => pg_sys::quote_identifier(pg_sys::get_attname(table, key, false)),
            };
            let (relation, attribute) = if key == 0 { (index, number as i16 + 1) } else { (table, key) };
            columns.push(IndexColumn {
                expression: CStr::from_ptr(text).to_string_lossy().into_owned(),
                type_oid: if is_comparable { comparable_type(relation, attribute) } else { 0 },
            });
        }
        columns
    }
}

/// Whether the texts of an expression are equal exactly if their bytes are, by its own collation: an index on it may
/// have another one.
///
/// # Safety
/// It must be an expression's tree; inside a transaction.
pub(super) unsafe fn has_comparable_texts(expression: *mut pg_sys::Node) -> bool {
    // SAFETY: by the caller's promise; reads catalog caches.
    unsafe {
        let collation = pg_sys::exprCollation(expression);
        collation == pg_sys::InvalidOid || pg_sys::get_collation_isdeterministic(collation)
    }
}

/// The type of a column; 0 if its texts may be equal although their bytes differ, by a nondeterministic collation.
///
/// # Safety
/// The relation must have the column; inside a transaction.
pub(super) unsafe fn comparable_type(relation: pg_sys::Oid, number: i16) -> u32 {
    let (mut type_oid, mut modifier, mut collation) = (pg_sys::InvalidOid, -1, pg_sys::InvalidOid);
    // SAFETY: by the caller's promise; reads catalog caches.
    unsafe {
        pg_sys::get_atttypetypmodcoll(relation, number, &mut type_oid, &mut modifier, &mut collation);
        let is_comparable = collation == pg_sys::InvalidOid || pg_sys::get_collation_isdeterministic(collation);
        if is_comparable { type_oid.to_u32() } else { 0 }
    }
}
