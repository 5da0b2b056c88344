//! The database's encoding.

use pgrx::pg_sys;

/// Whether texts are in UTF-8.
pub fn is_utf8() -> bool {
    // SAFETY: reads the number of the database's encoding, which does not change.
    unsafe { pg_sys::GetDatabaseEncoding() == pg_sys::pg_enc::PG_UTF8 as i32 }
}
