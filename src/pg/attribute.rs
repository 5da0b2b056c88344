//! Columns of open tables, with the types that their values have.

use std::ffi::CStr;

use memory_search_core::ids::IdKind;
use pgrx::pg_sys;

use crate::pg::datum::id;
use crate::pg::open_relation::OpenRelation;

/// A column of a table whose values lie in its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute {
    number: i16,
    type_oid: pg_sys::Oid,
    collation: pg_sys::Oid,
}

impl Attribute {
    /// The column of this name; `None` where there is none, or where its values are computed when they are read.
    pub fn named(table: &OpenRelation, name: &CStr) -> Option<Attribute> {
        // SAFETY: reads a catalog cache, inside a transaction; the relation is open.
        Attribute::numbered(table, unsafe { pg_sys::get_attnum((*table.raw()).rd_id, name.as_ptr()) })
    }

    /// The column of this number, which is one of the table's.
    pub fn numbered(table: &OpenRelation, number: i16) -> Option<Attribute> {
        let (mut type_oid, mut modifier, mut collation) = (pg_sys::InvalidOid, -1, pg_sys::InvalidOid);
        // SAFETY: reads catalog caches, inside a transaction; the relation is open, and nobody changes its columns
        // under the lock that it is open with.
        unsafe {
            let oid = (*table.raw()).rd_id;
            if number < 1 || pg_sys::get_attgenerated(oid, number) == VIRTUAL {
                return None;
            }
            pg_sys::get_atttypetypmodcoll(oid, number, &mut type_oid, &mut modifier, &mut collation);
            Some(Attribute { number, type_oid, collation })
        }
    }

    /// The same, if it is of a type.
    pub fn of_type(self, type_oid: pg_sys::Oid) -> Option<Attribute> {
        (self.type_oid == type_oid).then_some(self)
    }

    /// The same, if it is of the type that ids of a kind have.
    pub fn of_id(self, kind: IdKind) -> Option<Attribute> {
        id::is_of_kind(self.type_oid, kind).then_some(self)
    }

    /// The same, if texts of it are equal where their bytes are: it has the database's collation.
    pub fn of_default_collation(self) -> Option<Attribute> {
        (self.collation == pg_sys::DEFAULT_COLLATION_OID).then_some(self)
    }

    /// Whether it has a collation, or none as this one is none.
    pub(crate) fn has_collation(self, collation: pg_sys::Oid) -> bool {
        self.collation == collation
    }

    /// Ends the statement where it is not of the type that it is read as: an error of ours (XX000).
    pub(crate) fn require(self, type_oid: pg_sys::Oid) {
        assert!(self.type_oid == type_oid, "a column of type {} is read as {type_oid}", self.type_oid);
    }

    /// The same for ids of a kind.
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
