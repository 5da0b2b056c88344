//! Rows of a heap in a snapshot: the versions that it sees, and their values, read in place.
//!
//! A row may be read at any time: another row that took its line pointer meanwhile is too new for the older snapshot.
//! Reads here bypass the executor: the caller must have checked privileges and policies, and must have recorded the
//! reads of a serializable transaction.

use memory_search_core::Result;
use memory_search_core::ids::{IdKind, RowId};
use memory_search_core::place::Place;
use memory_search_core::timestamp::Micros;
use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;
use pgrx::{FromDatum, pg_sys};

use crate::pg::attribute::Attribute;
use crate::pg::datum::text_array::TextArray;
use crate::pg::datum::{id, json, text, varlena};
use crate::pg::epoch::from_postgres;
use crate::pg::open_relation::OpenRelation;
use crate::pg::recent_buffers;
use crate::pg::unwinding;
use crate::pg::vector_distance::VectorDistance;

/// A pinned page of the table.
struct Pinned(pg_sys::Buffer);

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: pinned once by ReadBuffer, and released only here.
        unwinding::release(|| unsafe { pg_sys::ReleaseBuffer(self.0) });
    }
}

// Declared here so that one guarded call covers all reads of a page: pgrx's functions guard each, and a search of a
// small memory makes hundreds.
unsafe extern "C-unwind" {
    fn ReadBuffer(table: pg_sys::Relation, block: pg_sys::BlockNumber) -> pg_sys::Buffer;
    fn ReadRecentBuffer(
        file: pg_sys::RelFileLocator,
        fork: pg_sys::ForkNumber::Type,
        block: pg_sys::BlockNumber,
        buffer: pg_sys::Buffer,
    ) -> bool;
    fn LockBuffer(buffer: pg_sys::Buffer, mode: core::ffi::c_int);
    fn heap_hot_search_buffer(
        place: pg_sys::ItemPointer,
        table: pg_sys::Relation,
        buffer: pg_sys::Buffer,
        snapshot: pg_sys::Snapshot,
        tuple: pg_sys::HeapTuple,
        all_dead: *mut bool,
        is_first: bool,
    ) -> bool;
}

/// Rows of a heap as the active snapshot sees them.
pub struct SeenRows<'a> {
    table: &'a OpenRelation,
    snapshot: pg_sys::Snapshot,
    /// The page that was read last, and its block.
    page: Option<(u32, Pinned)>,
    /// The columns of the row that was read last; empty until a column is read.
    values: Vec<pg_sys::Datum>,
    nulls: Vec<bool>,
}

impl<'a> SeenRows<'a> {
    /// The rows in the active snapshot, which a running statement has and keeps.
    pub fn in_active_snapshot(table: &'a OpenRelation) -> Self {
        // SAFETY: a statement is running, so a snapshot is active, and stays so while it runs.
        let snapshot = unsafe { pg_sys::GetActiveSnapshot() };
        SeenRows { table, snapshot, page: None, values: Vec::new(), nulls: Vec::new() }
    }

    /// The table.
    pub(crate) fn table(&self) -> &OpenRelation {
        self.table
    }

    /// The snapshot.
    pub(crate) fn snapshot(&self) -> pg_sys::Snapshot {
        self.snapshot
    }

    /// The place of the version of a row that the snapshot sees; `None` if there is none.
    pub fn version(&mut self, place: Place) -> Option<Place> {
        self.row(place).map(|row| row.at())
    }

    /// The version of a row that the snapshot sees; `None` if there is none.
    pub fn row(&mut self, place: Place) -> Option<SeenRow<'_, 'a>> {
        // Released before the next one is requested: the server's call that exchanges them can fail halfway.
        self.page.take_if(|(block, _)| *block != place.block);
        let mut found = pg_sys::ItemPointerData {
            ip_blkid: pg_sys::BlockIdData { bi_hi: (place.block >> 16) as u16, bi_lo: place.block as u16 },
            ip_posid: place.offset,
        };
        let mut tuple = pg_sys::HeapTupleData::default();
        let (table, snapshot) = (self.table.raw(), self.snapshot);
        let pinned = self.page.as_ref().map(|(_, page)| page.0);
        // SAFETY: the table is open.
        let hint = if pinned.is_none() { unsafe { recent_buffers::hint(table, place.block) } } else { None };
        // SAFETY: the table is a heap, open, and has storage; the buffer is pinned, and locked while the row is looked
        // for. An ERROR becomes a panic, as in the functions that pgrx binds; the abort then releases pin and lock.
        let (buffer, is_visible) = unsafe {
            pg_guard_ffi_boundary(|| {
                let main = pg_sys::ForkNumber::MAIN_FORKNUM;
                let is_there = |&buffer: &_| ReadRecentBuffer((*table).rd_locator, main, place.block, buffer);
                let buffer = pinned.or(hint.filter(is_there)).unwrap_or_else(|| ReadBuffer(table, place.block));
                LockBuffer(buffer, pg_sys::BUFFER_LOCK_SHARE as i32);
                let nothing = std::ptr::null_mut();
                let is_visible = heap_hot_search_buffer(&mut found, table, buffer, snapshot, &mut tuple, nothing, true);
                LockBuffer(buffer, pg_sys::BUFFER_LOCK_UNLOCK as i32);
                (buffer, is_visible)
            })
        };
        if pinned.is_none() {
            self.page = Some((place.block, Pinned(buffer)));
            // SAFETY: the table is open.
            unsafe {
                match hint == Some(buffer) {
                    true => recent_buffers::count(table),
                    false => recent_buffers::note(table, place.block, buffer),
                }
            }
        }
        is_visible.then_some(SeenRow {
            at: Place { block: place.block, offset: found.ip_posid },
            tuple,
            is_read: false,
            rows: self,
        })
    }

    /// Reads the columns of a row.
    fn read(&mut self, tuple: &mut pg_sys::HeapTupleData) {
        // SAFETY: the tuple lies on a pinned page of the table, which is open: its description has this many columns, for
        // which there is room. A column that came after the row has the value that the description gives it.
        unsafe {
            let description = (*self.table.raw()).rd_att;
            let count = (*description).natts as usize;
            self.values.resize(count, pg_sys::Datum::null());
            self.nulls.resize(count, true);
            pg_sys::heap_deform_tuple(tuple, description, self.values.as_mut_ptr(), self.nulls.as_mut_ptr());
        }
    }
}

/// A version of a row that the snapshot sees. Its page is pinned, and nobody moves a visible version on a pinned page:
/// its values may be read without a lock, as a scan of the table does.
pub struct SeenRow<'a, 't> {
    at: Place,
    tuple: pg_sys::HeapTupleData,
    /// Whether its columns are in `rows`. All are located at once: a column has no fixed position after one of variable
    /// length, and locating one takes as long as locating all.
    is_read: bool,
    /// The reader that holds the pin.
    rows: &'a mut SeenRows<'t>,
}

impl SeenRow<'_, '_> {
    /// The place of the version.
    pub fn at(&self) -> Place {
        self.at
    }

    fn datum(&mut self, attribute: Attribute) -> Option<pg_sys::Datum> {
        if !self.is_read {
            self.rows.read(&mut self.tuple);
            self.is_read = true;
        }
        let column = attribute.number() as usize - 1;
        (!self.rows.nulls[column]).then(|| self.rows.values[column])
    }

    /// An id, in a column of ids of a kind.
    pub fn id(&mut self, attribute: Attribute, kind: IdKind) -> Result<Option<RowId>> {
        attribute.require_id(kind);
        // SAFETY: the value is of that type, and lives as long as the row.
        self.datum(attribute).map(|datum| unsafe { id::read(datum, kind) }).transpose()
    }

    /// Whether a uuid is this one.
    pub fn is_uuid(&mut self, attribute: Attribute, uuid: &[u8; 16]) -> bool {
        attribute.require(pg_sys::UUIDOID);
        // SAFETY: a uuid is passed by reference to its 16 bytes, which live as long as the row.
        self.datum(attribute).is_some_and(|datum| unsafe { *datum.cast_mut_ptr::<[u8; 16]>() } == *uuid)
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

    /// bigint
    pub fn integer(&mut self, attribute: Attribute) -> Option<i64> {
        attribute.require(pg_sys::INT8OID);
        self.datum(attribute).map(|datum| datum.value() as i64)
    }

    /// Whether a text has these bytes; `None` for null.
    pub fn is_text(&mut self, attribute: Attribute, text: &str) -> Option<bool> {
        attribute.require(pg_sys::TEXTOID);
        // SAFETY: the value is a text, a varlena, and lives as long as the row.
        self.datum(attribute).map(|datum| unsafe { varlena::with_bytes(datum, |bytes| bytes == text.as_bytes()) })
    }

    /// Calls `read` with the beginning of a text and with its number of bytes; null counts as an empty text.
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

    /// jsonb, as text; `None` for null.
    pub fn jsonb(&mut self, attribute: Attribute) -> Result<Option<String>> {
        attribute.require(pg_sys::JSONBOID);
        // SAFETY: the value is a jsonb, and lives as long as the row.
        let text = self
            .datum(attribute)
            .and_then(|datum| unsafe { json::with_jsonb_text(datum, |text| text::copied(text.as_bytes())) });
        text.transpose()
    }

    /// text[]; `None` for null.
    pub fn texts(&mut self, attribute: Attribute) -> Option<TextArray> {
        attribute.require(pg_sys::TEXTARRAYOID);
        // SAFETY: the value is a text[], and lives as long as the row.
        self.datum(attribute)
            .and_then(|datum| unsafe { TextArray::from_polymorphic_datum(datum, false, pg_sys::TEXTARRAYOID) })
    }

    /// Calls `read` with a text in place; not for null.
    pub fn with_text(&mut self, attribute: Attribute, read: impl FnOnce(&str)) -> Result<()> {
        attribute.require(pg_sys::TEXTOID);
        let Some(datum) = self.datum(attribute) else { return Ok(()) };
        // SAFETY: the value is a text, a varlena, and lives as long as the row.
        unsafe { varlena::with_bytes(datum, |bytes| text::borrowed(bytes).map(read)) }
    }

    /// The distance of a vector; `None` if it is null, or has another number of dimensions.
    pub fn distance(&mut self, attribute: Attribute, to: &mut VectorDistance) -> Option<f64> {
        attribute.require(to.vector_type());
        // SAFETY: the value is of the type that the distance is for.
        self.datum(attribute).and_then(|datum| unsafe { to.of(datum) })
    }

    /// The least distance of an array of vectors; `None` if it is null, or holds none to compare.
    pub fn least_distance(&mut self, attribute: Attribute, to: &mut VectorDistance) -> Option<f64> {
        attribute.require(to.array_type());
        // SAFETY: the value is an array of the type that the distance is for.
        self.datum(attribute).and_then(|datum| unsafe { to.of_any(datum) })
    }
}
