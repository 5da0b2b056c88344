//! Selects the b-tree of a table for a look-up by equal keys.

use std::cell::RefCell;
use std::num::NonZeroUsize;

use lru::LruCache;
use pgrx::pg_sys;

use super::{KeyColumn, MAX_KEYS};
use crate::pg::attribute::Attribute;
use crate::pg::open_relation::OpenRelation;

/// `indoption` of a column whose greatest value comes first, and nulls before it (INDOPTION_DESC,
/// INDOPTION_NULLS_FIRST).
const DESCENDING: i16 = 3;

/// A question: a table (its OID), the columns that the index begins with, and, if the index must hold only rows in
/// which a column is not null, that column.
type Asked = (u32, [Option<(i16, Option<bool>)>; MAX_KEYS], Option<i16>);

/// Answers kept in a session, about 100 bytes each: a search asks about five in each store or set of partitions.
const MAX_FOUND: NonZeroUsize = NonZeroUsize::new(8192).unwrap();

thread_local! {
    /// The index that was found last, to be tested first, because the catalog has to be read for each index of a table.
    /// It is opened before it is used, and tested like any other, so one that was dropped, or is now another relation,
    /// does no harm.
    static FOUND: RefCell<LruCache<Asked, u32>> = RefCell::new(LruCache::new(MAX_FOUND));
}

/// The first b-tree of a table that begins with these columns, is valid for every snapshot, and holds all rows, or
/// those in which a column is not null.
pub fn open_by(table: &OpenRelation, columns: &[KeyColumn], not_null: Option<Attribute>) -> Option<OpenRelation> {
    assert!(columns.len() <= MAX_KEYS, "{} key columns", columns.len());
    let mut keys = [None; MAX_KEYS];
    for (key, column) in keys.iter_mut().zip(columns) {
        *key = Some((column.attribute.number(), column.descends));
    }
    let asked = (table.oid(), keys, not_null.map(Attribute::number));
    let is_asked_for = |index: &OpenRelation| {
        serves(index, table)
            && is_by(index, columns)
            && not_null.map_or_else(|| holds_all(index), |column| holds_not_null(index, column))
    };
    table.lock_indexes();
    let found = FOUND.with_borrow_mut(|found| found.get(&asked).copied());
    if let Some(index) = found.and_then(OpenRelation::new).filter(&is_asked_for) {
        return Some(index);
    }
    let index = table
        .indexes()
        .into_iter()
        .filter(|&oid| begins_with(oid, columns))
        .filter_map(OpenRelation::new)
        .find(is_asked_for)?;
    FOUND.with_borrow_mut(|found| found.put(asked, index.oid()));
    Some(index)
}

/// Whether an index begins with these columns, by its row in the catalog: other indexes are not opened.
fn begins_with(index: u32, columns: &[KeyColumn]) -> bool {
    // SAFETY: reads a catalog cache, inside a transaction, and gives it back; the row is there meanwhile.
    unsafe {
        let row = pg_sys::SearchSysCache1(
            pg_sys::SysCacheIdentifier::INDEXRELID as i32,
            pg_sys::Datum::from(pg_sys::Oid::from(index)),
        );
        if row.is_null() {
            return false;
        }
        let header = (*row).t_data;
        let definition = header.cast::<u8>().add(usize::from((*header).t_hoff)).cast::<pg_sys::FormData_pg_index>();
        let begins = has_columns(definition, columns);
        pg_sys::ReleaseSysCache(row);
        begins
    }
}

/// Whether these are the first columns of an index.
///
/// # Safety
/// The definition is that of a row of pg_index, which is longer than its type says.
unsafe fn has_columns(definition: *const pg_sys::FormData_pg_index, columns: &[KeyColumn]) -> bool {
    // SAFETY: as the caller says; indkey has a number for each of the index's columns.
    unsafe {
        let keys = usize::try_from((*definition).indnkeyatts).unwrap_or(0);
        let numbers = (*definition).indkey.values.as_slice(keys);
        keys >= columns.len()
            && columns.iter().zip(numbers).all(|(column, number)| *number == column.attribute.number())
    }
}

/// Whether an index is a b-tree that begins with these columns, with the required order, and with the comparisons of
/// the table's types.
fn is_by(index: &OpenRelation, columns: &[KeyColumn]) -> bool {
    // SAFETY: the index is open: its definition, and for each of its columns the options and the collation are there.
    unsafe {
        let relation = &*index.raw();
        (*relation.rd_rel).relam == pg_sys::BTREE_AM_OID
            && !relation.rd_index.is_null()
            && has_columns(relation.rd_index, columns)
            && columns.iter().enumerate().all(|(number, column)| {
                let option = *relation.rd_indoption.add(number);
                column.attribute.has_collation(*relation.rd_indcollation.add(number))
                    && column.descends.is_none_or(|descends| option == if descends { DESCENDING } else { 0 })
            })
    }
}

/// Whether an open index holds every row.
fn holds_all(index: &OpenRelation) -> bool {
    // SAFETY: the index is open, and with it its row of pg_index.
    unsafe {
        let row = (*index.raw()).rd_indextuple;
        pg_sys::heap_attisnull(row, pg_sys::Anum_pg_index_indpred as i32, std::ptr::null_mut())
    }
}

/// Whether an open index holds exactly the rows in which a column is not null.
fn holds_not_null(index: &OpenRelation, column: Attribute) -> bool {
    // SAFETY: the index is open. Its predicate is a copy: the conditions that must all hold, each a node.
    unsafe {
        let predicate = pg_sys::RelationGetIndexPredicate(index.raw());
        let Some([condition]) =
            predicate.as_ref().map(|list| std::slice::from_raw_parts(list.elements, list.length as usize))
        else {
            return false;
        };
        let condition = condition.ptr_value.cast::<pg_sys::NullTest>();
        if (*condition).xpr.type_ != pg_sys::NodeTag::T_NullTest {
            return false;
        }
        let tested = (*condition).arg.cast::<pg_sys::Var>();
        (*condition).nulltesttype == pg_sys::NullTestType::IS_NOT_NULL
            && (*tested).xpr.type_ == pg_sys::NodeTag::T_Var
            && (*tested).varattno == column.number()
    }
}

/// Whether an open relation is an index of the table that is complete, for every snapshot that may be used.
pub fn serves(index: &OpenRelation, table: &OpenRelation) -> bool {
    // SAFETY: the relation is open; rd_index is that of an index, null for others.
    let definition = unsafe { (*index.raw()).rd_index.as_ref() };
    definition.is_some_and(|definition| {
        definition.indrelid == pg_sys::Oid::from(table.oid()) && definition.indisvalid && definition.indisready
    }) && !awaits_old_snapshots(index)
}

/// Whether an open index lacks old versions of rows that a current snapshot might need: it was made while transactions
/// ran that are still running, and becomes usable when they have ended.
pub fn awaits_old_snapshots(index: &OpenRelation) -> bool {
    // SAFETY: the relation is open; rd_index is that of an index, null for others.
    unsafe { (*index.raw()).rd_index.as_ref() }.is_some_and(|definition| definition.indcheckxmin && !is_of_old(index))
}

/// Whether an index that lacks old versions of rows was made before every snapshot that might need them (as in the
/// planner's get_relation_info).
fn is_of_old(index: &OpenRelation) -> bool {
    // SAFETY: the index is open: the relation's cache has its row of pg_index, whose header says who wrote it.
    unsafe {
        let header = &*(*(*index.raw()).rd_indextuple).t_data;
        let is_frozen = u32::from(header.t_infomask) & pg_sys::HEAP_XMIN_FROZEN == pg_sys::HEAP_XMIN_FROZEN;
        is_frozen || pg_sys::TransactionIdPrecedes(header.t_choice.t_heap.t_xmin, pg_sys::TransactionXmin)
    }
}
