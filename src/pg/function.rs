//! Privileges on functions.

use pgrx::pg_sys;

/// Whether the current user may call a function, given by its OID.
pub fn may_call(function: u32) -> bool {
    // SAFETY: reads a global and catalog caches, inside a transaction; a function that has gone is an ERROR.
    unsafe {
        pg_sys::object_aclcheck(
            pg_sys::ProcedureRelationId,
            pg_sys::Oid::from(function),
            pg_sys::GetUserId(),
            pg_sys::ACL_EXECUTE.into(),
        ) == pg_sys::AclResult::ACLCHECK_OK
    }
}
