//! Runs statements that name partitions by the rights of their table, as the executor reads a partition of a table that
//! a statement names: what is granted and revoked on the partition itself says nothing.
//!
//! Whoever calls has asked before whether the current user may read all of the table, and that no policy binds him.

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use crate::pg::plan_cache::KeptPlan;

/// Whether privileges are all that is asked of a statement here. Another extension may ask more (labels, an audit): of the
/// table then, which is what the caller names.
pub fn are_all_that_is_asked() -> bool {
    // SAFETY: a plain global of the backend, set when libraries are loaded.
    let hook = unsafe { pg_sys::ExecutorCheckPerms_hook };
    hook.is_none()
}

/// Runs a kept plan in the active snapshot, as SPI runs one that reads, with these partitions read by the rights of their
/// table. All other relations of the statement are checked as ever.
///
/// # Safety
/// Call it inside an SPI connection, with as many parameters of the types as the plan was prepared for, and a receiver
/// that outlives the call.
pub unsafe fn run(
    plan: &KeptPlan,
    params: pg_sys::ParamListInfo,
    partitions: &[u32],
    receiver: *mut pg_sys::DestReceiver,
) -> Result<()> {
    // SAFETY: the plan is kept, so its source lives, and its plans may be pinned by the resource owner, which gives them
    // back where an ERROR passes. What is pinned is not written to: the statement is copied with its list of rights.
    unsafe {
        let sources = pg_sys::SPI_plan_get_plan_sources(plan.as_ptr());
        let source: *mut pg_sys::CachedPlanSource = only(sources)?.cast();
        let owner = pg_sys::CurrentResourceOwner;
        let pinned = pg_sys::GetCachedPlan(source, params, owner, std::ptr::null_mut());
        let mut planned = *only((*pinned).stmt_list)?.cast::<pg_sys::PlannedStmt>();
        if planned.commandType != pg_sys::CmdType::CMD_SELECT || planned.hasModifyingCTE || !planned.rowMarks.is_null()
        {
            return Err(Error::new(ErrorKind::Internal, "a statement that reads partitions would write"));
        }
        planned.permInfos = with_rights_of_tables(planned.permInfos, partitions);
        let running = pg_sys::CreateQueryDesc(
            &raw mut planned,
            (*source).query_string,
            pg_sys::GetActiveSnapshot(),
            std::ptr::null_mut(),
            receiver,
            params,
            std::ptr::null_mut(),
            0,
        );
        pg_sys::ExecutorStart(running, 0);
        #[cfg(any(feature = "pg16", feature = "pg17"))]
        pg_sys::ExecutorRun(running, pg_sys::ScanDirection::ForwardScanDirection, 0, true);
        #[cfg(not(any(feature = "pg16", feature = "pg17")))]
        pg_sys::ExecutorRun(running, pg_sys::ScanDirection::ForwardScanDirection, 0);
        pg_sys::ExecutorFinish(running);
        pg_sys::ExecutorEnd(running);
        pg_sys::FreeQueryDesc(running);
        pg_sys::ReleaseCachedPlan(pinned, owner);
    }
    Ok(())
}

/// A copy of the list of what a statement needs rights on, in which those on the partitions are nobody's to lack: they
/// are asked of the superuser who made the cluster, as those behind a view are of the view's owner. Only reading is.
///
/// # Safety
/// It is the list of a planned statement.
unsafe fn with_rights_of_tables(needed: *mut pg_sys::List, partitions: &[u32]) -> *mut pg_sys::List {
    // SAFETY: a deep copy in the current memory context; its cells point to nodes of this type.
    unsafe {
        let copy: *mut pg_sys::List = pg_sys::copyObjectImpl(needed.cast()).cast();
        for number in 0..copy.as_ref().map_or(0, |list| list.length as usize) {
            let right = &mut *(*(*copy).elements.add(number)).ptr_value.cast::<pg_sys::RTEPermissionInfo>();
            if partitions.contains(&right.relid.to_u32())
                && right.requiredPerms == pg_sys::AclMode::from(pg_sys::ACL_SELECT)
            {
                right.checkAsUser = pg_sys::Oid::from(pg_sys::BOOTSTRAP_SUPERUSERID);
            }
        }
        copy
    }
}

/// What the one cell of a list points to.
///
/// # Safety
/// It is a list of pointers.
unsafe fn only(list: *mut pg_sys::List) -> Result<*mut std::ffi::c_void> {
    // SAFETY: as the caller says; the cell is there where the length says so.
    match unsafe { list.as_ref() } {
        Some(list) if list.length == 1 => Ok(unsafe { (*list.elements).ptr_value }),
        _ => Err(Error::new(ErrorKind::Internal, "a statement of memory_search is not one statement")),
    }
}
