//! The number of buffers that one backend may keep pinned, so that all backends find buffers to
//! read into.

use pgrx::pg_sys;

/// One backend's share of the buffers, as the server computes it (GetPinLimit).
pub fn of_one_reader() -> usize {
    // SAFETY: both are set when the server starts, and stay as they are.
    let (buffers, backends) = unsafe { (pg_sys::NBuffers, pg_sys::MaxBackends) };
    usize::try_from(buffers / backends.max(1)).unwrap_or(0)
}
