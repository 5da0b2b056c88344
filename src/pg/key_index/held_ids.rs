//! Ids that a b-tree holds after its first columns, read without the rows: for many ids that takes a fraction of the
//! time.

use memory_search_core::place::Place;
use memory_search_core::{Result, error};
use pgrx::pg_sys;
use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;

use super::{Key, KeyIndex, MAX_KEYS, place_of};
use crate::pg::interrupt;
use crate::pg::seen_rows::SeenRows;

/// An id, and the place where the versions of its row begin.
pub type HeldId = ([u8; 16], Place);

/// Tuples that are read between two checks for a cancel.
const TUPLES_AT_ONCE: usize = 64;

// Declared here so that one guarded call reads many tuples: pgrx's functions guard each.
unsafe extern "C-unwind" {
    fn index_getnext_tid(scan: pg_sys::IndexScanDesc, direction: pg_sys::ScanDirection::Type) -> pg_sys::ItemPointer;
    fn index_deform_tuple(
        tuple: pg_sys::IndexTuple,
        description: pg_sys::TupleDesc,
        values: *mut pg_sys::Datum,
        nulls: *mut bool,
    );
}

impl KeyIndex {
    /// The ids in the column after the keys, in the order of the index, of the rows that [`KeyIndex::rows_with`] finds.
    /// The snapshot may see none of a row's versions; all versions that it sees have the id, because a change of the id
    /// would have another place. `None` if the column holds no uuid, or a key has another type than its column.
    pub fn held_ids(&self, keys: &[Key<'_>], rows: &SeenRows<'_>) -> Result<Option<Vec<HeldId>>> {
        let column = keys.len();
        // SAFETY: the index is open, and with it the types of its key columns and the description of its tuples.
        let (columns, is_uuid) = unsafe {
            let index = &*self.0.raw();
            let keys = (*index.rd_index).indnkeyatts as usize;
            ((*index.rd_att).natts as usize, column < keys && *index.rd_opcintype.add(column) == pg_sys::UUIDOID)
        };
        if !is_uuid || columns > MAX_KEYS {
            return Ok(None);
        }
        let Some(scan) = self.scan(keys, rows, true) else { return Ok(None) };
        let mut found: Vec<HeldId> = Vec::new();
        loop {
            interrupt::check();
            found.try_reserve(TUPLES_AT_ONCE).map_err(|_| error::out_of_memory())?;
            let mut some = [([0; 16], Place { block: 0, offset: 0 }); TUPLES_AT_ONCE];
            // SAFETY: the scan has begun, and asked for tuples, each of which lives until the next call; there is room
            // for the values of its columns. A uuid is passed by reference to its 16 bytes. An ERROR becomes a panic,
            // as in the functions that pgrx binds, and passes over nothing that has to be dropped.
            let count = unsafe {
                pg_guard_ffi_boundary(|| {
                    let (mut values, mut nulls) = ([pg_sys::Datum::null(); MAX_KEYS], [true; MAX_KEYS]);
                    let mut count = 0;
                    while count < TUPLES_AT_ONCE {
                        let at = index_getnext_tid(scan.scan, pg_sys::ScanDirection::ForwardScanDirection);
                        let Some(at) = at.as_ref() else { break };
                        let description = (*scan.scan).xs_itupdesc;
                        index_deform_tuple((*scan.scan).xs_itup, description, values.as_mut_ptr(), nulls.as_mut_ptr());
                        if !nulls[column] {
                            some[count] = (*values[column].cast_mut_ptr::<[u8; 16]>(), place_of(at));
                            count += 1;
                        }
                    }
                    count
                })
            };
            found.extend_from_slice(&some[..count]);
            if count < TUPLES_AT_ONCE {
                return Ok(Some(found));
            }
        }
    }
}
