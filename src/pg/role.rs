//! Who is asking.

use pgrx::pg_sys;

/// The current role's OID.
pub fn current() -> u32 {
    // SAFETY: reads this backend's role; inside a query there always is one.
    unsafe { pg_sys::GetUserId() }.to_u32()
}

/// What only a superuser may read in a message, such as paths of the server's files.
pub fn for_superusers(text: impl FnOnce() -> String) -> Option<String> {
    // SAFETY: reads this backend's role. Without a transaction (the postmaster loading libraries)
    // there is no role yet; what is said there goes to the server's log.
    let may_read = unsafe { !pg_sys::IsTransactionState() || pg_sys::superuser() };
    may_read.then(text)
}
