//! Places of rows as the server's item pointers.

use memory_search_core::place::Place;
use pgrx::pg_sys;

/// The place that an item pointer points to.
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
