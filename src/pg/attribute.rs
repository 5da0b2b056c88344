//! Columns of open tables, with the types of their values.

use std::ffi::CStr;

use memory_search_core::ids::IdKind;
use pgrx::pg_sys;

use crate::pg::datum::id;
use crate::pg::open_relation::OpenRelation;

/// A column of a table that is stored in its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute {
    number: i16,
    type_oid: pg_sys::Oid,
    collation: pg_sys::Oid,
}

impl Attribute {
    /// The column of this name; `None` if there is none, or if its values are computed when they are read.
    pub fn named(table: &OpenRelation, name: &CStr) -> Option<Attribute> {
        columns(table).iter().find(|column| is_called(column, name)).and_then(Attribute::held)
    }

    /// The column of this number, which must be one of the table's.
    pub fn numbered(table: &OpenRelation, number: i16) -> Option<Attribute> {
        columns(table).iter().find(|column| column.attnum == number).and_then(Attribute::held)
    }

    fn held(column: &pg_sys::FormData_pg_attribute) -> Option<Attribute> {
        (column.attgenerated != VIRTUAL).then_some(Attribute {
            number: column.attnum,
            type_oid: column.atttypid,
            collation: column.attcollation,
        })
    }

    /// The same column, if it has this type.
    pub fn of_type(self, type_oid: pg_sys::Oid) -> Option<Attribute> {
        (self.type_oid == type_oid).then_some(self)
    }

    /// The same column, if it has the type of ids of a kind.
    pub fn of_id(self, kind: IdKind) -> Option<Attribute> {
        id::is_of_kind(self.type_oid, kind).then_some(self)
    }

    /// The same column, if its texts are equal exactly if their bytes are: it has the database's collation.
    pub fn of_default_collation(self) -> Option<Attribute> {
        (self.collation == pg_sys::DEFAULT_COLLATION_OID).then_some(self)
    }

    /// Whether it has this collation; also true if neither has one.
    pub(crate) fn has_collation(self, collation: pg_sys::Oid) -> bool {
        self.collation == collation
    }

    /// Ends the statement if the type is not the one to read: an internal error (XX000).
    pub(crate) fn require(self, type_oid: pg_sys::Oid) {
        assert!(self.type_oid == type_oid, "a column of type {} is read as {type_oid}", self.type_oid);
    }

    /// Requires the type of ids of a kind.
    pub(crate) fn require_id(self, kind: IdKind) {
        assert!(id::is_of_kind(self.type_oid, kind), "a column of type {} is read as an id, {kind}", self.type_oid);
    }

    /// Its number, from 1.
    pub(crate) fn number(self) -> i16 {
        self.number
    }
}

/// `attgenerated` of a column that PostgreSQL 18 computes when it is read (ATTRIBUTE_GENERATED_VIRTUAL).
const VIRTUAL: core::ffi::c_char = b'v' as core::ffi::c_char;

/// The columns of an open table, in the order of their numbers, from the relation's cache. The catalog caches would be
/// asked three times for each, and for one of many partitions their data are in no cache of the processor.
fn columns(table: &OpenRelation) -> &[pg_sys::FormData_pg_attribute] {
    // SAFETY: the relation is open, and nobody changes its columns under the lock that it is open with, so the description
    // of its rows stays where it is. It holds so many columns.
    unsafe {
        let rows = (*table.raw()).rd_att;
        let count = usize::try_from((*rows).natts).unwrap_or(0);
        std::slice::from_raw_parts(attributes(rows), count)
    }
}

/// The beginning of the columns of a row's description.
///
/// # Safety
/// A description of rows.
#[cfg(not(any(feature = "pg16", feature = "pg17")))]
unsafe fn attributes(rows: pg_sys::TupleDesc) -> *const pg_sys::FormData_pg_attribute {
    // SAFETY: they follow as many short forms of them (TupleDescAttr of tupdesc.h).
    unsafe { (*rows).compact_attrs.as_ptr().add((*rows).natts as usize).cast() }
}

/// Before PostgreSQL 18 there are no short forms.
#[cfg(any(feature = "pg16", feature = "pg17"))]
unsafe fn attributes(rows: pg_sys::TupleDesc) -> *const pg_sys::FormData_pg_attribute {
    // SAFETY: as the caller says.
    unsafe { (*rows).attrs.as_ptr() }
}

fn is_called(column: &pg_sys::FormData_pg_attribute, name: &CStr) -> bool {
    let bytes = name.to_bytes_with_nul();
    !column.attisdropped && column.attname.data.iter().zip(bytes).all(|(own, asked)| *own as u8 == *asked)
}
