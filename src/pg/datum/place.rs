//! Places of rows as the server's item pointers.

use memory_search_index::place::Place;
use pgrx::pg_sys;

/// Bytes of an item pointer.
const TID_BYTES: i32 = size_of::<pg_sys::ItemPointerData>() as i32;

/// Where an item pointer points.
pub fn from_tid(tid: &pg_sys::ItemPointerData) -> Place {
    Place { block: u32::from(tid.ip_blkid.bi_hi) << 16 | u32::from(tid.ip_blkid.bi_lo), offset: tid.ip_posid }
}

/// An item pointer to a place.
pub fn to_tid(place: Place) -> pg_sys::ItemPointerData {
    pg_sys::ItemPointerData {
        ip_blkid: pg_sys::BlockIdData { bi_hi: (place.block >> 16) as u16, bi_lo: place.block as u16 },
        ip_posid: place.offset,
    }
}

/// A `tid[]` in the current memory context.
pub fn array(places: &[Place]) -> pg_sys::Datum {
    let mut tids: Vec<pg_sys::ItemPointerData> = places.iter().copied().map(to_tid).collect();
    let mut datums: Vec<pg_sys::Datum> = tids.iter_mut().map(|tid| pg_sys::Datum::from(&raw mut *tid)).collect();
    // SAFETY: each datum points to an item pointer that lives through the call, which copies it; typlen and typalign are
    // those of pg_type.
    unsafe {
        let array = pg_sys::construct_array(
            datums.as_mut_ptr(),
            datums.len() as i32,
            pg_sys::TIDOID,
            TID_BYTES,
            false,
            b's' as core::ffi::c_char,
        );
        pg_sys::Datum::from(array)
    }
}
