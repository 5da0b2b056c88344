//! Rows of a heap as a snapshot sees them: the versions that it sees, and values of theirs, read where they lie.
//!
//! A row may be asked at any time: what took its line pointer meanwhile is too new for a snapshot that was there before.
//! Who reads values here reads past the executor: privileges, policies and what a serializable transaction leaves behind
//! are the caller's to have looked at.

use std::marker::PhantomData;

use memory_search_core::Result;
use memory_search_core::ids::{IdKind, RowId};
use memory_search_core::timestamp::Micros;
use memory_search_index::place::Place;
use pgrx::pg_sys;

use crate::pg::attribute::Attribute;
use crate::pg::datum::text;
use crate::pg::datum::{id, varlena};
use crate::pg::epoch::from_postgres;
use crate::pg::open_relation::OpenRelation;
use crate::pg::unwinding;
use crate::pg::vector_distance::VectorDistance;

/// A page of the table that is pinned.
struct Pinned(pg_sys::Buffer);

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: pinned once by ReadBuffer, and released only here.
        unwinding::release(|| unsafe { pg_sys::ReleaseBuffer(self.0) });
    }
}

/// Rows of a heap as the active snapshot sees them.
pub struct SeenRows<'a> {
    table: &'a OpenRelation,
    snapshot: pg_sys::Snapshot,
    /// The page that was looked at last, and its block.
    page: Option<(u32, Pinned)>,
}

impl<'a> SeenRows<'a> {
    /// To the active snapshot, which a running statement has and keeps.
    pub fn in_active_snapshot(table: &'a OpenRelation) -> Self {
        // SAFETY: a statement is running, so a snapshot is active, and stays so while it runs.
        SeenRows { table, snapshot: unsafe { pg_sys::GetActiveSnapshot() }, page: None }
    }

    /// Where the version of a row lies that the snapshot sees; `None` without one.
    pub fn version(&mut self, place: Place) -> Option<Place> {
        self.row(place).map(|row| row.at())
    }

    /// The version of a row that the snapshot sees; `None` without one.
    pub fn row(&mut self, place: Place) -> Option<SeenRow<'_>> {
        // Given back before the next one is asked for: the server's call that exchanges them fails half done.
        self.page.take_if(|(block, _)| *block != place.block);
        let (_, page) = self.page.get_or_insert_with(|| {
            // SAFETY: the relation is open and has storage; gives a pinned buffer or an ERROR.
            (place.block, Pinned(unsafe { pg_sys::ReadBuffer(self.table.raw(), place.block) }))
        });
        let mut found = pg_sys::ItemPointerData {
            ip_blkid: pg_sys::BlockIdData { bi_hi: (place.block >> 16) as u16, bi_lo: place.block as u16 },
            ip_posid: place.offset,
        };
        let mut tuple = pg_sys::HeapTupleData::default();
        // SAFETY: the table is a heap and open; the buffer is pinned, and locked while the row is looked for. An
        // ERROR leaves the lock to the abort.
        let is_visible = unsafe {
            pg_sys::LockBuffer(page.0, pg_sys::BUFFER_LOCK_SHARE as i32);
            let is_visible = pg_sys::heap_hot_search_buffer(
                &mut found,
                self.table.raw(),
                page.0,
                self.snapshot,
                &mut tuple,
                std::ptr::null_mut(),
                true,
            );
            pg_sys::LockBuffer(page.0, pg_sys::BUFFER_LOCK_UNLOCK as i32);
            is_visible
        };
        is_visible.then_some(SeenRow {
            at: Place { block: place.block, offset: found.ip_posid },
            tuple,
            table: self.table,
            page: PhantomData,
        })
    }
}

/// A version of a row that the snapshot sees. Its page is pinned, and nobody moves a version that is seen on a pinned
/// page: its values may be read without a lock, as a scan of the table does.
pub struct SeenRow<'a> {
    at: Place,
    tuple: pg_sys::HeapTupleData,
    table: &'a OpenRelation,
    /// The pin is [`SeenRows`]'.
    page: PhantomData<&'a ()>,
}

impl SeenRow<'_> {
    /// Where it lies.
    pub fn at(&self) -> Place {
        self.at
    }

    fn datum(&mut self, attribute: Attribute) -> Option<pg_sys::Datum> {
        let mut is_null = false;
        // SAFETY: the tuple lies on a pinned page of the table, which is open; the attribute is one of the table's. A
        // column that came after the row has the value that the description gives it.
        let datum = unsafe {
            let description = (*self.table.raw()).rd_att;
            pg_sys::heap_getattr(&mut self.tuple, i32::from(attribute.number()), description, &mut is_null)
        };
        (!is_null).then_some(datum)
    }

    /// An id, in a column of such ids.
    pub fn id(&mut self, attribute: Attribute, kind: IdKind) -> Result<Option<RowId>> {
        attribute.require_id(kind);
        // SAFETY: the value is of that type, and lives as long as the row.
        self.datum(attribute).map(|datum| unsafe { id::read(datum, kind) }).transpose()
    }

    /// timestamptz
    pub fn timestamp(&mut self, attribute: Attribute) -> Option<Micros> {
        attribute.require(pg_sys::TIMESTAMPTZOID);
        self.datum(attribute).map(|datum| from_postgres(datum.value() as i64))
    }

    /// smallint
    pub fn small_integer(&mut self, attribute: Attribute) -> Option<i16> {
        attribute.require(pg_sys::INT2OID);
        self.datum(attribute).map(|datum| datum.value() as i16)
    }

    /// Whether a text has these bytes; `None` for null.
    pub fn is_text(&mut self, attribute: Attribute, text: &str) -> Option<bool> {
        attribute.require(pg_sys::TEXTOID);
        // SAFETY: the value is a text, a varlena, and lives as long as the row.
        self.datum(attribute).map(|datum| unsafe { varlena::with_bytes(datum, |bytes| bytes == text.as_bytes()) })
    }

    /// Calls `read` with how a text begins and with its bytes; null is an empty one.
    pub fn with_opening<T>(&mut self, attribute: Attribute, read: impl FnOnce(&str, u32) -> T) -> T {
        attribute.require(pg_sys::TEXTOID);
        match self.datum(attribute) {
            // SAFETY: the value is a text, and lives as long as the row.
            Some(datum) => unsafe { text::with_opening(datum, read) },
            None => read("", 0),
        }
    }

    /// text; `None` for null.
    pub fn text(&mut self, attribute: Attribute) -> Result<Option<String>> {
        attribute.require(pg_sys::TEXTOID);
        // SAFETY: the value is a text, a varlena, and lives as long as the row.
        self.datum(attribute).map(|datum| unsafe { varlena::with_bytes(datum, text::copied) }).transpose()
    }

    /// The distance of a vector; `None` where it is null, or has other dimensions.
    pub fn distance(&mut self, attribute: Attribute, to: &mut VectorDistance) -> Option<f64> {
        attribute.require(to.vector_type());
        // SAFETY: the value is of the type that the distance is for.
        self.datum(attribute).and_then(|datum| unsafe { to.of(datum) })
    }
}
