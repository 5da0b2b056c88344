//! Finds rows of a table by equal keys of a b-tree, like an index scan of the executor but without an executor:
//! [`SeenRows`](crate::pg::seen_rows::SeenRows) reads in the snapshot the places that the index leads to. The caller
//! must have checked privileges and policies.

mod held_ids;
mod lookup;

use std::marker::PhantomData;

use pgrx::{IntoDatum, pg_sys};

use crate::pg::attribute::Attribute;
use crate::pg::open_relation::OpenRelation;
use crate::pg::seen_rows::SeenRows;
use crate::pg::unwinding;

use memory_search_core::place::Place;

pub use held_ids::HeldId;
pub use lookup::{awaits_old_snapshots, serves};

/// The greatest number of key columns in any look-up.
const MAX_KEYS: usize = 3;

/// A key column of an index to look up.
#[derive(Clone, Copy)]
pub struct KeyColumn {
    /// The column of the table.
    pub attribute: Attribute,
    /// Whether the greatest value must come first, or the least; `None` if the order does not matter.
    pub descends: Option<bool>,
}

/// A value that a key column must equal.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub enum Key<'a> {
    Text(&'a str),
    Uuid([u8; 16]),
    /// One of these values. Since PostgreSQL 17 the index reads each of its pages once for all of them.
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

    /// The datum, in the current memory context.
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
    /// The index of all rows that begins with these columns, in this order; `None` if none can be used in every
    /// snapshot.
    pub fn by(table: &OpenRelation, columns: &[KeyColumn]) -> Option<KeyIndex> {
        lookup::open_by(table, columns, None).map(KeyIndex)
    }

    /// The index of exactly the rows in which a column is not null.
    pub fn where_not_null(table: &OpenRelation, column: Attribute, columns: &[KeyColumn]) -> Option<KeyIndex> {
        lookup::open_by(table, columns, Some(column)).map(KeyIndex)
    }

    /// Finds rows whose first columns equal these keys, in the order of the index, each once; `None` if a key has
    /// another type than its column, because then there is no such row. `rows` are those of the index's table.
    pub fn rows_with(&self, keys: &[Key<'_>], rows: &SeenRows<'_>) -> Option<KeyScan<'_>> {
        self.scan(keys, rows, false)
    }

    /// A scan; `with_tuples` also returns the data that the index itself holds of each row.
    fn scan(&self, keys: &[Key<'_>], rows: &SeenRows<'_>, with_tuples: bool) -> Option<KeyScan<'_>> {
        let mut scan_keys = ScanKeys::of(&self.0, keys)?;
        let (table, count) = (rows.table().raw(), keys.len() as i32);
        // SAFETY: both relations are open, the index is one of the table, and the snapshot is active as long as the
        // statement runs. The keys are copied; what they point to lives as long as the scan.
        unsafe {
            #[cfg(feature = "pg18")]
            let scan = pg_sys::index_beginscan(table, self.0.raw(), rows.snapshot(), std::ptr::null_mut(), count, 0);
            #[cfg(not(feature = "pg18"))]
            let scan = pg_sys::index_beginscan(table, self.0.raw(), rows.snapshot(), count, 0);
            (*scan).xs_want_itup = with_tuples;
            let scan = KeyScan { scan, is_at_end: false, values: scan_keys.values(keys.len()), of_index: PhantomData };
            pg_sys::index_rescan(scan.scan, scan_keys.0.as_mut_ptr(), count, std::ptr::null_mut(), 0);
            Some(scan)
        }
    }
}

/// A scan of an index for the rows that equal its keys.
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

    /// The place where the versions of the next row begin; the snapshot may see none of them.
    fn next(&mut self) -> Option<Place> {
        // A finished scan would begin again at the next call.
        if self.is_at_end {
            return None;
        }
        // SAFETY: the scan has begun. The place that it gives is its own until the next call.
        let found =
            unsafe { pg_sys::index_getnext_tid(self.scan, pg_sys::ScanDirection::ForwardScanDirection).as_ref() };
        self.is_at_end = found.is_none();
        found.map(place_of)
    }
}

fn place_of(found: &pg_sys::ItemPointerData) -> Place {
    Place { block: u32::from(found.ip_blkid.bi_hi) << 16 | u32::from(found.ip_blkid.bi_lo), offset: found.ip_posid }
}

/// Keys in the form that a scan takes.
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
