//! Rows of a result, read directly: pgrx's own accessors copy into the transaction's memory context, where thousands of
//! rows would stay until its end.

use std::cell::Cell;
use std::ffi::CStr;
use std::marker::PhantomData;

use memory_search_core::ids::{IdKind, RowId};
use memory_search_core::place::Place;
use memory_search_core::timestamp::Micros;
use memory_search_core::vector::embedding;
use memory_search_core::{Error, ErrorKind, Result};
use memory_search_pgformat::tsvector::TsVector;
use pgrx::pg_sys;

use crate::pg::datum::text::{self, Opening};
use crate::pg::datum::{id, interval, place, text_array, varlena};
use crate::pg::epoch::from_postgres;

/// The rows that the last statement returned.
pub struct Batch<'a> {
    table: *mut pg_sys::SPITupleTable,
    rows: PhantomData<&'a ()>,
}

impl Batch<'_> {
    /// The rows in SPI's global variable.
    ///
    /// # Safety
    /// Call it right after the statement whose rows they are, inside its connection, which must
    /// outlive the batch.
    pub unsafe fn of_last_statement() -> Self {
        // SAFETY: reading a pointer-sized global of this backend; null when nothing was returned.
        Batch { table: unsafe { pg_sys::SPI_tuptable }, rows: PhantomData }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        if self.table.is_null() {
            return 0;
        }
        // SAFETY: not null, so it is the table of the last statement, alive until SPI_finish.
        unsafe { (*self.table).numvals as usize }
    }

    /// The OIDs of the columns' types.
    pub fn column_types(&self) -> Vec<u32> {
        if self.table.is_null() {
            return Vec::new();
        }
        // SAFETY: not null, so it is the table of the last statement, whose description has `natts`
        // attributes.
        unsafe {
            let description = (*self.table).tupdesc;
            (1..=(*description).natts).map(|column| pg_sys::SPI_gettypeid(description, column).to_u32()).collect()
        }
    }

    /// Calls `each` with every row, in order.
    pub fn each(&self, each: &mut impl FnMut(Row<'_>) -> Result<()>) -> Result<()> {
        let checked = CheckedTypes::default();
        for index in 0..self.len() {
            // SAFETY: `index` is below numvals, so `vals[index]` is a tuple that `tupdesc` describes.
            let source = unsafe { Source::Tuple(*(*self.table).vals.add(index), (*self.table).tupdesc) };
            each(Row { source, checked: &checked })?;
        }
        Ok(())
    }

    /// Frees the rows' memory before the connection ends.
    pub fn free(self) {
        if !self.table.is_null() {
            // SAFETY: the table is the last statement's and is not used after this call: `self` is
            // consumed, and no row outlives `each`.
            unsafe { pg_sys::SPI_freetuptable(self.table) };
        }
    }
}

/// One row. Columns are numbered from 1. Casts in the SQL text fix their types, which are checked once for each column
/// of an execution: bytes that are read as another type would give wrong values, or be read beyond their end.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    source: Source,
    checked: &'a CheckedTypes,
}

/// The columns whose type is noted after the check; later columns are checked in each row.
const CHECKED_COLUMNS: usize = 32;

/// The checked types of columns of an execution, by their numbers.
#[derive(Default)]
pub struct CheckedTypes([Cell<pg_sys::Oid>; CHECKED_COLUMNS]);

/// The location of a row's values: in a tuple that SPI copied, or in the slot of a running statement.
#[derive(Clone, Copy)]
enum Source {
    Tuple(pg_sys::HeapTuple, pg_sys::TupleDesc),
    Slot(*mut pg_sys::TupleTableSlot),
}

impl<'a> Row<'a> {
    /// The row in a slot.
    ///
    /// # Safety
    /// The slot must hold a row, and keep it as long as this value is used; all rows of `checked` have one description.
    pub unsafe fn in_slot(slot: *mut pg_sys::TupleTableSlot, checked: &'a CheckedTypes) -> Self {
        Row { source: Source::Slot(slot), checked }
    }

    /// Only a table that somebody changed by hand can have a null where a statement of this extension requires a value.
    #[cold]
    fn unexpected_null(&self, column: i32) -> Error {
        // SAFETY: the row's description is alive as long as the row; null is returned for a column that it lacks.
        let name = unsafe {
            let description = match self.source {
                Source::Tuple(_, description) => description,
                Source::Slot(slot) => (*slot).tts_tupleDescriptor,
            };
            let name = pg_sys::SPI_fname(description, column);
            if name.is_null() { c"?".to_string_lossy() } else { CStr::from_ptr(name).to_string_lossy() }
        };
        let message = format!("a row of the store has null in column {column}, {name}, where each row has a value");
        Error::new(ErrorKind::WrongState, message).hint(
            "Compare the tables of the store with those of a new one by \\d, give the rows with null a value, \
             and add the NOT NULL that is missing.",
        )
    }

    /// Ends the statement if a column does not have the type that is read: an internal error (XX000).
    #[cold]
    fn check_type(&self, column: i32, type_oid: pg_sys::Oid) {
        // SAFETY: the description of a row that lives as long as this value; SPI checks the column's number.
        let found = unsafe {
            let description = match self.source {
                Source::Tuple(_, description) => description,
                Source::Slot(slot) => (*slot).tts_tupleDescriptor,
            };
            pg_sys::SPI_gettypeid(description, column)
        };
        assert!(found == type_oid, "column {column} of a statement has type {found}, and is read as {type_oid}");
        if let Some(known) = usize::try_from(column).ok().and_then(|column| self.checked.0.get(column)) {
            known.set(type_oid);
        }
    }

    fn datum(&self, column: i32, type_oid: pg_sys::Oid) -> Option<pg_sys::Datum> {
        if self.checked.0.get(column as usize).is_none_or(|known| known.get() != type_oid) {
            self.check_type(column, type_oid);
        }
        let mut is_null = false;
        let datum = match self.source {
            // SAFETY: tuple and description belong together (see Batch::each); SPI checks the column.
            Source::Tuple(tuple, description) => unsafe {
                pg_sys::SPI_getbinval(tuple, description, column, &mut is_null)
            },
            // SAFETY: by the promise of in_slot the slot holds a row; its arrays have a place for each
            // of its columns, filled up to tts_nvalid, and the column is one that the SQL text has.
            Source::Slot(slot) => unsafe {
                if i32::from((*slot).tts_nvalid) < column {
                    pg_sys::slot_getsomeattrs_int(slot, column);
                }
                let index = (column - 1) as usize;
                is_null = *(*slot).tts_isnull.add(index);
                *(*slot).tts_values.add(index)
            },
        };
        (!is_null).then_some(datum)
    }

    /// bigint
    pub fn integer(&self, column: i32) -> Option<i64> {
        self.datum(column, pg_sys::INT8OID).map(|datum| datum.value() as i64)
    }

    /// A bigint; the SQL text guarantees that it is not null.
    pub fn required_integer(&self, column: i32) -> Result<i64> {
        self.integer(column).ok_or_else(|| self.unexpected_null(column))
    }

    /// boolean
    pub fn boolean(&self, column: i32) -> Option<bool> {
        self.datum(column, pg_sys::BOOLOID).map(|datum| datum.value() & 0xff != 0)
    }

    /// double precision
    pub fn number(&self, column: i32) -> Option<f64> {
        self.datum(column, pg_sys::FLOAT8OID).map(|datum| f64::from_bits(datum.value() as u64))
    }

    /// timestamptz
    pub fn timestamp(&self, column: i32) -> Option<Micros> {
        self.server_timestamp(column).map(from_postgres)
    }

    /// timestamptz in the server's units, microseconds since 2000: its last 30 years are beyond [`Micros`].
    pub fn server_timestamp(&self, column: i32) -> Option<i64> {
        self.datum(column, pg_sys::TIMESTAMPTZOID).map(|datum| datum.value() as i64)
    }

    /// interval: as text in ISO 8601.
    pub fn interval(&self, column: i32) -> Option<String> {
        self.datum(column, pg_sys::INTERVALOID).map(|datum| {
            // SAFETY: an interval is passed by reference, and lives as long as the row.
            interval::iso_8601(unsafe { &*datum.cast_mut_ptr() })
        })
    }

    /// text
    pub fn text(&self, column: i32) -> Result<Option<String>> {
        self.datum(column, pg_sys::TEXTOID)
            .map(|datum| {
                // SAFETY: the SQL text casts the column to text, a varlena.
                unsafe { varlena::with_bytes(datum, text::copied) }
            })
            .transpose()
    }

    /// text: calls `read` with it in place; not for null.
    pub fn with_text(&self, column: i32, read: impl FnOnce(&str)) -> Result<()> {
        let Some(datum) = self.datum(column, pg_sys::TEXTOID) else { return Ok(()) };
        // SAFETY: the SQL text casts the column to text, a varlena.
        unsafe { varlena::with_bytes(datum, |bytes| text::borrowed(bytes).map(read)) }
    }

    /// text[]: its elements that are not null, of all dimensions.
    pub fn texts(&self, column: i32) -> Vec<String> {
        // SAFETY: the SQL text casts the column to text[].
        let texts = self.datum(column, pg_sys::TEXTARRAYOID).map(|datum| unsafe { text_array::elements(datum) });
        texts.unwrap_or_default()
    }

    /// The beginning of a text; empty for null.
    pub fn opening(&self, column: i32) -> Opening {
        // SAFETY: the SQL text casts the column to text, which lives as long as the row.
        self.datum(column, pg_sys::TEXTOID).map(|datum| unsafe { Opening::of(datum) }).unwrap_or_default()
    }

    /// json: its stored text. `None` for null.
    pub fn json_text(&self, column: i32) -> Result<Option<String>> {
        self.datum(column, pg_sys::JSONOID)
            .map(|datum| {
                // SAFETY: the column is json, a varlena with the layout of text.
                unsafe { varlena::with_bytes(datum, text::copied) }
            })
            .transpose()
    }

    /// A column of one of the types of ids.
    pub fn id(&self, column: i32, kind: IdKind) -> Result<Option<RowId>> {
        // SAFETY: the column is of the kind's type, and the datum lives as long as the row.
        self.datum(column, id::type_of(kind)).map(|datum| unsafe { id::read(datum, kind) }).transpose()
    }

    /// tid
    pub fn place(&self, column: i32) -> Option<Place> {
        // SAFETY: a tid is passed by reference to an item pointer, which lives as long as the row.
        self.datum(column, pg_sys::TIDOID).map(|datum| place::from_tid(unsafe { &*datum.cast_mut_ptr() }))
    }

    /// oid
    pub fn oid(&self, column: i32) -> Option<u32> {
        self.datum(column, pg_sys::OIDOID).map(|datum| datum.value() as u32)
    }

    /// A text; the SQL text guarantees that it is not null.
    pub fn required_text(&self, column: i32) -> Result<String> {
        self.text(column)?.ok_or_else(|| self.unexpected_null(column))
    }

    /// real[] or a pgvector value cast to it: its elements. Refuses a null element (22004): an array may come from a
    /// user's function or table.
    pub fn reals(&self, column: i32) -> Result<Option<Vec<f32>>> {
        self.datum(column, pg_sys::FLOAT4ARRAYOID)
            .map(|datum| {
                // SAFETY: the SQL text casts the column to real[].
                let array = unsafe { <pgrx::Array<'_, f32> as pgrx::FromDatum>::from_datum(datum, false) };
                let array = array.ok_or_else(|| self.unexpected_null(column))?;
                if array.contains_nulls() {
                    let place = array.iter().position(|element| element.is_none()).unwrap_or_default();
                    return Err(embedding::null_element(place));
                }
                Ok(array.iter_deny_null().collect())
            })
            .transpose()
    }

    /// tsvector: calls `read` with it in place.
    pub fn tsvector<T>(&self, column: i32, read: impl FnOnce(TsVector<'_>) -> Result<T>) -> Result<Option<T>> {
        self.datum(column, pg_sys::TSVECTOROID)
            .map(|datum| {
                // SAFETY: the column is a tsvector, a varlena; its content is checked by TsVector.
                unsafe { varlena::with_bytes(datum, |bytes| TsVector::new(bytes).and_then(read)) }
            })
            .transpose()
    }
}
