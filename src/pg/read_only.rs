//! Transactions that may not write.

use std::ffi::CStr;

use pgrx::pg_sys;

/// Refuses a command in a read-only transaction (25006), as the server would when the command runs: for work that comes
/// before it and is expensive, such as a call of an embedder.
pub fn refuse(command: &CStr) {
    // SAFETY: the server reads the text, which has an end, and raises an ERROR or returns.
    unsafe { pg_sys::PreventCommandIfReadOnly(command.as_ptr()) }
}
