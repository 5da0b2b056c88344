//! Bytes of a variable-length datum.

use pgrx::pg_sys;

/// Calls `read` with the payload of a varlena, fetched and decompressed if necessary; a copy made for that is freed at
/// once. The payload may be unaligned.
///
/// # Safety
/// `datum` must be a pointer to a varlena that lives as long as the call.
pub unsafe fn with_bytes<T>(datum: pg_sys::Datum, read: impl FnOnce(&[u8]) -> T) -> T {
    let stored = datum.cast_mut_ptr::<pg_sys::varlena>();
    // SAFETY: by the caller's promise `stored` is a varlena; the detoasted one is valid until it
    // is freed below, and the slice does not leave `read`.
    unsafe {
        let plain = if is_plain(datum) { stored } else { pg_sys::pg_detoast_datum_packed(stored) };
        let length = pgrx::varsize_any_exhdr(plain);
        let bytes = std::slice::from_raw_parts(pgrx::vardata_any(plain).cast::<u8>(), length);
        let result = read(bytes);
        if plain != stored {
            pg_sys::pfree(plain.cast());
        }
        result
    }
}

/// Whether the datum itself holds its plain payload: neither out of line nor compressed.
///
/// # Safety
/// `datum` must be a pointer to a varlena.
pub unsafe fn is_plain(datum: pg_sys::Datum) -> bool {
    let stored = datum.cast_mut_ptr::<pg_sys::varlena>();
    // SAFETY: by the caller's promise.
    unsafe { pgrx::varatt_is_4b_u(stored) || pgrx::varatt_is_1b(stored) && !pgrx::varatt_is_1b_e(stored) }
}

/// A new varlena of `size` bytes in total, with its header set; the caller fills the rest.
///
/// # Safety
/// `size` must be at least 4 and at most 1 GB, and the caller must write every payload byte.
pub unsafe fn allocate(size: usize) -> *mut u8 {
    // SAFETY: palloc gives `size` writable bytes or raises an ERROR.
    unsafe {
        let bytes = pg_sys::palloc(size).cast::<u8>();
        pgrx::set_varsize_4b(bytes.cast(), size as i32);
        bytes
    }
}

/// The same, filled with zeros.
///
/// # Safety
/// `size` must be at least 4; from 1 GB on it is an ERROR.
pub unsafe fn allocate_zeroed(size: usize) -> *mut u8 {
    // SAFETY: palloc0 gives `size` zeroed bytes or raises an ERROR, also when that is more than a varlena can have.
    unsafe {
        let bytes = pg_sys::palloc0(size).cast::<u8>();
        pgrx::set_varsize_4b(bytes.cast(), size as i32);
        bytes
    }
}
