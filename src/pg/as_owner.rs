//! Work on a table that may run code of the table's owner, such as expressions of its indexes. It runs with the owner's
//! privileges and not the caller's, as in the server's REINDEX.

use pgrx::pg_sys;

/// Runs `work` as the owner of a table, so that the owner's code cannot change the role, or settings beyond the work,
/// and cannot look names up in a schema of the caller's search_path. After an ERROR, the end of the (sub)transaction
/// restores role and settings.
///
/// # Safety
/// The table must be open.
pub unsafe fn as_owner<T>(table: pg_sys::Relation, work: impl FnOnce() -> T) -> T {
    let (mut role, mut context) = (pg_sys::InvalidOid, 0);
    // SAFETY: the table is open by the caller's promise; the role and the nest level that were before are put back below.
    let level = unsafe {
        pg_sys::GetUserIdAndSecContext(&mut role, &mut context);
        let restricted = context | pg_sys::SECURITY_RESTRICTED_OPERATION as i32;
        pg_sys::SetUserIdAndSecContext((*(*table).rd_rel).relowner, restricted);
        let level = pg_sys::NewGUCNestLevel();
        // PostgreSQL 16 lacks it, and builds indexes with the session's search_path.
        #[cfg(not(feature = "pg16"))]
        pg_sys::RestrictSearchPath();
        level
    };
    let result = work();
    // SAFETY: ends what began above.
    unsafe {
        pg_sys::AtEOXact_GUC(false, level);
        pg_sys::SetUserIdAndSecContext(role, context);
    }
    result
}
