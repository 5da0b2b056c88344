//! The rows of a build, sorted by memory, then by their first two numbers (creation time, order), then by place: by the
//! server's sort, which spills to files beyond maintenance_work_mem.
//!
//! A row is one `bytea` that sorts as its key does: memory u128, each number u64 with its sign inverted and 0 for null,
//! place, all big-endian; then the length of the document's record u32, the record, and for each embedding the number
//! of its elements u32, and these.

use std::ptr::null_mut;

use memory_search_core::Result;
use memory_search_core::place::{PLACE_BYTES, Place};
use memory_search_index::document::{self, Document, DocumentView};
use memory_search_index::hashing::MemoryHash;
use pgrx::pg_sys;

use super::named_error::without_restart;
use crate::pg::datum::varlena::with_bytes;
use memory_search_core::{Error, ErrorKind};

/// The number of number columns in the sort key.
const SORTED_NUMBERS: usize = 2;
const KEY_BYTES: usize = 16 + 8 * SORTED_NUMBERS + PLACE_BYTES;
/// `bytea < bytea` in pg_operator.
const BYTEA_LESS: u32 = 1957;

/// A row of a build.
pub struct SortedRow {
    /// Its memory.
    pub memory: MemoryHash,
    /// The data that the index holds of it, without a code.
    pub document: Document,
    /// Its embedding, and the embeddings of its passages.
    pub embeddings: Vec<Vec<f32>>,
}

/// The rows of a build.
pub struct SortedRows {
    sort: *mut pg_sys::Tuplesortstate,
}

impl SortedRows {
    /// No rows yet.
    pub fn begin() -> SortedRows {
        // SAFETY: a sort of bytea by its own operator; it goes with the memory context where it is not ended.
        let sort = unsafe {
            pg_sys::tuplesort_begin_datum(
                pg_sys::BYTEAOID,
                pg_sys::Oid::from(BYTEA_LESS),
                pg_sys::InvalidOid,
                false,
                pg_sys::maintenance_work_mem,
                null_mut(),
                pg_sys::TUPLESORT_NONE as i32,
            )
        };
        SortedRows { sort }
    }

    /// Adds a row.
    pub fn add(&mut self, row: &SortedRow) {
        let record = document::encode(&row.document);
        let of_embeddings: usize = row.embeddings.iter().map(|embedding| 4 + size_of_val(&embedding[..])).sum();
        let size = 4 + KEY_BYTES + 4 + record.len() + of_embeddings;
        // SAFETY: the sort's own memory, in which it keeps rows; all bytes of the value are written, each behind the last.
        unsafe {
            let sort = self.sort.cast::<pg_sys::TuplesortPublic>();
            // The context is not made the current one: if memory is short, pgrx copies the error into the current
            // context and frees the copy, which a context of this kind (Bump, from PostgreSQL 17 on) refuses. That
            // error would be copied there, too.
            let value = pg_sys::MemoryContextAlloc((*sort).tuplecontext, size).cast::<u8>();
            pgrx::set_varsize_4b(value.cast(), size as i32);
            let mut rest = std::slice::from_raw_parts_mut(value.add(4), size - 4);
            let mut put = |bytes: &[u8]| {
                let (start, end) = std::mem::take(&mut rest).split_at_mut(bytes.len());
                start.copy_from_slice(bytes);
                rest = end;
            };
            put(&row.memory.to_be_bytes());
            for number in 0..SORTED_NUMBERS {
                let number = row.document.numbers.get(number).copied().flatten();
                put(&number.map_or(0, |number| (number as u64) ^ 1 << 63).to_be_bytes());
            }
            put(&row.document.place.to_bytes());
            put(&(record.len() as u32).to_le_bytes());
            put(&record);
            for embedding in &row.embeddings {
                put(&(embedding.len() as u32).to_le_bytes());
                embedding.iter().for_each(|element| put(&element.to_le_bytes()));
            }
            put_sorted(self.sort, value, size);
        }
    }

    /// Sorts the rows.
    pub fn sort(&mut self) {
        // SAFETY: the sort has all rows.
        unsafe { pg_sys::tuplesort_performsort(self.sort) };
    }

    /// The next row, in order.
    pub fn next(&mut self) -> Result<Option<SortedRow>> {
        let (mut value, mut is_null) = (pg_sys::Datum::from(0usize), false);
        // SAFETY: after sort(); a value is a copy in the current memory context, freed here.
        unsafe {
            if !pg_sys::tuplesort_getdatum(self.sort, true, true, &mut value, &mut is_null, null_mut()) {
                return Ok(None);
            }
            let row = with_bytes(value, decode);
            pg_sys::pfree(value.cast_mut_ptr());
            row.map(Some)
        }
    }

    /// Frees files and memory.
    pub fn end(self) {
        // SAFETY: not used after this.
        unsafe { pg_sys::tuplesort_end(self.sort) };
    }
}

/// Puts a row into a sort, in the sort's memory. (`tuplesort_putdatum` does not count the bytes of a row, from
/// PostgreSQL 17 on: a build of ten million rows would use 4 GB with a `maintenance_work_mem` of 64 MB.)
///
/// # Safety
/// The value must be of `size` bytes in the sort's memory for rows.
unsafe fn put_sorted(sort: *mut pg_sys::Tuplesortstate, value: *mut u8, size: usize) {
    // SAFETY: a sort of values that are no numbers; the row is copied, and the value is the sort's from now on.
    unsafe {
        let public = sort.cast::<pg_sys::TuplesortPublic>();
        let is_abbreviated = (*(*public).sortKeys).abbrev_converter.is_some();
        let mut row =
            pg_sys::SortTuple { tuple: value.cast(), datum1: pg_sys::Datum::from(value), isnull1: false, srctape: 0 };
        #[cfg(feature = "pg16")]
        {
            let _ = size;
            pg_sys::tuplesort_puttuple_common(sort, &mut row, is_abbreviated);
        }
        #[cfg(not(feature = "pg16"))]
        {
            let taken = size.next_multiple_of(pg_sys::MAXIMUM_ALIGNOF as usize);
            pg_sys::tuplesort_puttuple_common(sort, &mut row, is_abbreviated, taken);
        }
    }
}

fn decode(bytes: &[u8]) -> Result<SortedRow> {
    let unsound = || Error::new(ErrorKind::Internal, "a sorted row is not what was put into the sort");
    let (key, rest) = bytes.split_first_chunk::<KEY_BYTES>().ok_or_else(unsound)?;
    let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(unsound)?;
    let (record, mut rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(unsound)?;
    let memory = key.first_chunk().map(|bytes| u128::from_be_bytes(*bytes)).ok_or_else(unsound)?;
    let place = key.last_chunk().map(|bytes| Place::from_bytes(*bytes)).ok_or_else(unsound)?;
    let document = DocumentView::new(record).map_err(without_restart)?.to_document(place);
    let mut embeddings = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let bytes = 4 * u32::from_le_bytes(*length) as usize;
        let (elements, after) = after.split_at_checked(bytes).ok_or_else(unsound)?;
        embeddings.push(elements.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect());
        rest = after;
    }
    Ok(SortedRow { memory, document, embeddings })
}
