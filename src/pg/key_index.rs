//! Rows of a table by equal keys of a b-tree, as an index scan of the executor finds them, without an executor: where an
//! index leads to, [`SeenRows`](crate::pg::seen_rows::SeenRows) reads in the snapshot. Privileges and policies are the
//! caller's to have looked at.

use std::marker::PhantomData;

use pgrx::{IntoDatum, pg_sys};

use crate::pg::attribute::Attribute;
use crate::pg::open_relation::OpenRelation;
use crate::pg::seen_rows::SeenRows;
use crate::pg::unwinding;

use memory_search_index::place::Place;

/// The greatest number of key columns that anybody looks for.
const MAX_KEYS: usize = 3;
/// `indoption` of a column whose greatest value comes first, and null before it (INDOPTION_DESC, INDOPTION_NULLS_FIRST).
const DESCENDING: i16 = 3;

/// A column of an index that is looked for.
#[derive(Clone, Copy)]
pub struct KeyColumn {
    /// The column of the table.
    pub attribute: Attribute,
    /// Whether the greatest value must come first, or the least; `None` where the order does not matter.
    pub descends: Option<bool>,
}

/// A value that a key column must equal.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub enum Key<'a> {
    Text(&'a str),
    Uuid([u8; 16]),
    /// One of these. Since PostgreSQL 17 the index reads each of its pages once for all of them.
    AnyUuid(&'a [[u8; 16]]),
}

impl Key<'_> {
    fn type_oid(self) -> pg_sys::Oid {
        match self {
            Key::Text(_) => pg_sys::TEXTOID,
            Key::Uuid(_) | Key::AnyUuid(_) => pg_sys::UUIDOID,
        }
    }

    fn flags(self) -> i32 {
        match self {
            Key::Text(_) | Key::Uuid(_) => 0,
            Key::AnyUuid(_) => pg_sys::SK_SEARCHARRAY as i32,
        }
    }

    /// In the current memory context.
    fn datum(self) -> Option<pg_sys::Datum> {
        match self {
            Key::Text(text) => text.into_datum(),
            Key::Uuid(bytes) => pgrx::datum::Uuid::from_bytes(bytes).into_datum(),
            Key::AnyUuid(ids) => {
                ids.iter().map(|id| pgrx::datum::Uuid::from_bytes(*id)).collect::<Vec<_>>().into_datum()
            }
        }
    }
}

/// A b-tree over rows of a table, open with the lock that a query takes.
pub struct KeyIndex(OpenRelation);

impl KeyIndex {
    /// The index of all rows that begins with these columns, in this order; `None` without one that serves every
    /// snapshot.
    pub fn by(table: &OpenRelation, columns: &[KeyColumn]) -> Option<KeyIndex> {
        open_by(table, columns, holds_all).map(KeyIndex)
    }

    /// The same of the rows in which a column is not null, and of no others.
    pub fn where_not_null(table: &OpenRelation, column: Attribute, columns: &[KeyColumn]) -> Option<KeyIndex> {
        open_by(table, columns, |index| holds_not_null(index, column)).map(KeyIndex)
    }

    /// Finds rows whose first columns equal these keys, in the order of the index, each once; `None` where a key is of
    /// another type than its column, which has no such row. `rows` are those of the index's table.
    pub fn rows_with(&self, keys: &[Key<'_>], rows: &SeenRows<'_>) -> Option<KeyScan<'_>> {
        let mut scan_keys = ScanKeys::of(&self.0, keys)?;
        let (table, count) = (rows.table().raw(), keys.len() as i32);
        // SAFETY: both relations are open, the index is one of the table, and the snapshot is active as long as the
        // statement runs. The keys are copied; what they point to lives as long as the scan.
        unsafe {
            #[cfg(feature = "pg18")]
            let scan = pg_sys::index_beginscan(table, self.0.raw(), rows.snapshot(), std::ptr::null_mut(), count, 0);
            #[cfg(not(feature = "pg18"))]
            let scan = pg_sys::index_beginscan(table, self.0.raw(), rows.snapshot(), count, 0);
            let scan = KeyScan { scan, is_at_end: false, values: scan_keys.values(keys.len()), of_index: PhantomData };
            pg_sys::index_rescan(scan.scan, scan_keys.0.as_mut_ptr(), count, std::ptr::null_mut(), 0);
            Some(scan)
        }
    }
}

/// A scan of an index, at the rows that equal its keys.
pub struct KeyScan<'a> {
    scan: pg_sys::IndexScanDesc,
    is_at_end: bool,
    /// The values of its keys.
    values: Vec<pg_sys::Datum>,
    of_index: PhantomData<&'a KeyIndex>,
}

impl Drop for KeyScan<'_> {
    fn drop(&mut self) {
        // SAFETY: begun once, and ended only here; the values are of types that are passed by reference, each made for
        // it alone. What it holds is the abort's to release after an ERROR.
        unwinding::release(|| unsafe {
            pg_sys::index_endscan(self.scan);
            self.values.iter().for_each(|value| pg_sys::pfree(value.cast_mut_ptr()));
        });
    }
}

impl Iterator for KeyScan<'_> {
    type Item = Place;

    /// Where the next row's versions begin; the snapshot may see none of them.
    fn next(&mut self) -> Option<Place> {
        // A scan that is asked again would begin again.
        if self.is_at_end {
            return None;
        }
        // SAFETY: the scan has begun. The place that it gives is its own until the next call.
        let found =
            unsafe { pg_sys::index_getnext_tid(self.scan, pg_sys::ScanDirection::ForwardScanDirection).as_ref() };
        self.is_at_end = found.is_none();
        found.map(|found| Place {
            block: u32::from(found.ip_blkid.bi_hi) << 16 | u32::from(found.ip_blkid.bi_lo),
            offset: found.ip_posid,
        })
    }
}

/// Keys as a scan takes them.
struct ScanKeys([pg_sys::ScanKeyData; MAX_KEYS]);

impl ScanKeys {
    fn values(&self, count: usize) -> Vec<pg_sys::Datum> {
        self.0[..count].iter().map(|key| key.sk_argument).collect()
    }

    fn of(index: &OpenRelation, keys: &[Key<'_>]) -> Option<ScanKeys> {
        let mut all = ScanKeys([pg_sys::ScanKeyData::default(); MAX_KEYS]);
        for (number, (key, place)) in keys.iter().zip(&mut all.0).enumerate() {
            // SAFETY: the index is open and has at least as many columns, each with its operator class and collation.
            unsafe {
                let relation = &*index.raw();
                let own_type = *relation.rd_opcintype.add(number);
                if own_type != key.type_oid() {
                    return None;
                }
                let equality = pg_sys::get_opfamily_member(
                    *relation.rd_opfamily.add(number),
                    own_type,
                    own_type,
                    pg_sys::BTEqualStrategyNumber as i16,
                );
                pg_sys::ScanKeyEntryInitialize(
                    place,
                    key.flags(),
                    (number + 1) as i16,
                    pg_sys::BTEqualStrategyNumber as u16,
                    pg_sys::InvalidOid,
                    *relation.rd_indcollation.add(number),
                    pg_sys::get_opcode(equality),
                    key.datum()?,
                );
            }
        }
        Some(all)
    }
}

/// Whether an index begins with these columns, by its row of the catalog: what does not is not opened.
fn begins_with(index: u32, columns: &[KeyColumn]) -> bool {
    // SAFETY: reads a catalog cache, inside a transaction, and gives it back; indkey has a number for each of the
    // index's columns.
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
        let keys = usize::try_from((*definition).indnkeyatts).unwrap_or(0);
        let numbers = (*definition).indkey.values.as_slice(keys);
        let begins = keys >= columns.len()
            && columns.iter().zip(numbers).all(|(column, number)| *number == column.attribute.number());
        pg_sys::ReleaseSysCache(row);
        begins
    }
}

/// The first b-tree of a table that begins with these columns, serves every snapshot, and holds the rows that it must.
fn open_by(table: &OpenRelation, columns: &[KeyColumn], holds: impl Fn(&OpenRelation) -> bool) -> Option<OpenRelation> {
    assert!(columns.len() <= MAX_KEYS, "{} key columns", columns.len());
    // SAFETY: the table is open. The list is a copy, in the current memory context.
    let oids: Vec<u32> = unsafe {
        let list = pg_sys::RelationGetIndexList(table.raw());
        let count = list.as_ref().map_or(0, |list| list.length as usize);
        (0..count).map(|number| (*(*list).elements.add(number)).oid_value.to_u32()).collect()
    };
    oids.into_iter()
        .filter(|&oid| begins_with(oid, columns))
        .filter_map(OpenRelation::new)
        .find(|index| serves(index, table) && is_by(index, columns) && holds(index))
}

/// Whether an index is a b-tree whose columns are ordered as they must be, and compared as the table's are.
fn is_by(index: &OpenRelation, columns: &[KeyColumn]) -> bool {
    // SAFETY: the index is open: its definition, and for each of its columns the options and the collation are there.
    unsafe {
        let relation = &*index.raw();
        (*relation.rd_rel).relam == pg_sys::BTREE_AM_OID
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

/// Whether an open index holds the rows in which a column is not null, and no others.
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

/// Whether an open relation is an index of a table that is complete, for every snapshot that may ask.
pub fn serves(index: &OpenRelation, table: &OpenRelation) -> bool {
    // SAFETY: the relation is open; rd_index is that of an index, null for others.
    unsafe {
        (*index.raw()).rd_index.as_ref().is_some_and(|definition| {
            definition.indrelid == pg_sys::Oid::from(table.oid())
                && definition.indisvalid
                && definition.indisready
                && (!definition.indcheckxmin || is_of_old(index))
        })
    }
}

/// Whether an index that lacks old versions of rows was made before every snapshot that might ask for them (as the
/// planner's get_relation_info has it).
fn is_of_old(index: &OpenRelation) -> bool {
    // SAFETY: the index is open: the relation's cache has its row of pg_index, whose header says who wrote it.
    unsafe {
        let header = &*(*(*index.raw()).rd_indextuple).t_data;
        let is_frozen = u32::from(header.t_infomask) & pg_sys::HEAP_XMIN_FROZEN == pg_sys::HEAP_XMIN_FROZEN;
        is_frozen || pg_sys::TransactionIdPrecedes(header.t_choice.t_heap.t_xmin, pg_sys::TransactionXmin)
    }
}
