//! B-tree indexes whose first column is a text, opened to be read without the executor.

use std::cmp::Ordering;
use std::ffi::CString;

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use crate::pg::open_relation::OpenRelation;

/// The support function of a B-tree's column that compares two values (nbtree.h, BTORDER_PROC).
const COMPARISON: u16 = 1;

/// An index, open.
pub struct BtreeIndex {
    relation: OpenRelation,
    collation: pg_sys::Oid,
}

/// A text as the index's comparison takes it, in the memory context of the call.
pub struct TextKey(pg_sys::Datum);

impl TextKey {
    /// Fails where the text holds a NUL byte, which no text of the server does.
    pub fn new(text: &str) -> Result<Self> {
        let text = CString::new(text).map_err(|_| Error::new(ErrorKind::Internal, "a key holds a NUL byte"))?;
        // SAFETY: the text lives through the call, which copies it.
        Ok(TextKey(unsafe { pg_sys::Datum::from(pg_sys::cstring_to_text(text.as_ptr())) }))
    }
}

impl BtreeIndex {
    /// The index of a table, with the lock that a query takes; `None` when it has gone, is not complete, or not
    /// yet for every snapshot, or where equal texts may have different bytes. What could have changed before the
    /// lock is looked at after it.
    pub fn open(oid: u32, table: u32) -> Option<BtreeIndex> {
        if cfg!(target_endian = "big") {
            return None;
        }
        let relation = OpenRelation::new(oid)?;
        let index = relation.raw();
        // SAFETY: the relation is open; rd_index and rd_indcollation are those of an index, null for others.
        unsafe {
            let definition = (*index).rd_index.as_ref()?;
            let serves = (*(*index).rd_rel).relam == pg_sys::BTREE_AM_OID
                && definition.indrelid == pg_sys::Oid::from(table)
                && definition.indisvalid
                && definition.indisready
                && !definition.indcheckxmin;
            let collation = *(*index).rd_indcollation.as_ref()?;
            if !serves || !pg_sys::get_collation_isdeterministic(collation) {
                return None;
            }
            // So that pg_stat_user_indexes shows that it is used.
            if (*index).pgstat_info.is_null() && (*index).pgstat_enabled {
                pg_sys::pgstat_assoc_relation(index);
            }
            if let Some(counts) = (*index).pgstat_info.as_mut() {
                counts.counts.numscans += 1;
            }
            Some(BtreeIndex { relation, collation })
        }
    }

    /// The index as a relation, to read its pages.
    pub fn relation(&self) -> &OpenRelation {
        &self.relation
    }

    /// Compares the first column of a tuple with a key, as the index does. `column` is a varlena whole, whose length
    /// was checked, aligned as it was on its page.
    pub fn compare(&self, column: &[u8], key: &TextKey) -> Ordering {
        // SAFETY: the index's own comparison of its first column, a text, with another text.
        let order = unsafe {
            let compare = pg_sys::index_getprocinfo(self.relation.raw(), 1, COMPARISON);
            pg_sys::FunctionCall2Coll(compare, self.collation, pg_sys::Datum::from(column.as_ptr()), key.0)
        };
        (order.value() as i32).cmp(&0)
    }
}
