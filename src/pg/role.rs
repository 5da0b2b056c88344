//! The role that makes a call.

use std::ffi::CStr;

use pgrx::pg_sys;

/// The current role's OID.
pub fn current() -> u32 {
    current_oid().to_u32()
}

/// The current role's OID as the server writes it.
pub(in crate::pg) fn current_oid() -> pg_sys::Oid {
    // SAFETY: reads this backend's role; inside a query there always is one.
    unsafe { pg_sys::GetUserId() }
}

/// A role's name for a message; its OID if it was dropped.
pub(in crate::pg) fn name(role: pg_sys::Oid) -> String {
    // SAFETY: looks in a catalog cache, inside a transaction; the text is a C string in the call's memory context.
    unsafe {
        let name = pg_sys::GetUserNameFromId(role, true);
        if name.is_null() {
            return role.to_u32().to_string();
        }
        CStr::from_ptr(name).to_string_lossy().into_owned()
    }
}

/// Text of a message that only a superuser may read, such as paths of the server's files.
pub fn for_superusers(text: impl FnOnce() -> String) -> Option<String> {
    // SAFETY: reads this backend's role. Without a transaction (the postmaster loading libraries)
    // there is no role yet; what is said there goes to the server's log.
    let may_read = unsafe { !pg_sys::IsTransactionState() || pg_sys::superuser() };
    may_read.then(text)
}
