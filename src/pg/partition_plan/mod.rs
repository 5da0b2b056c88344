//! Runs statements on partitioned tables with plans for one partition of each, which the caller knows to hold all rows
//! that the statement is about.
//!
//! The server parses and rewrites the statement as it is written, on the tables: so their privileges and policies
//! apply, and privileges and policies on a partition itself do not. Only the planner's input names the partitions
//! ([`query`]): it considers one of each, and running its plan locks no others. Plans of reading statements are kept,
//! and those of changes if there are few partitions.
//!
//! Statements that return the places of rows ([`places`]), or nothing about them, are planned here too: they are also
//! modified between the rewriter and the planner.

mod places;
mod query;

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;
use pgrx::{pg_guard, pg_sys};

use crate::pg::param::Param;
use crate::pg::partition::Part;
use crate::pg::plan_cache::{self, KeptPlan};
use crate::pg::settings;

/// The name of a kept statement, whose plan is only for these partitions.
pub fn text_for(sql: &str, parts: &[Part]) -> String {
    let partitions: Vec<String> = parts.iter().map(|part| part.partition.to_string()).collect();
    format!("{sql} /* in partitions {} */", partitions.join(", "))
}

/// The text by which a statement is kept that returns something else than its columns: no other plan has this text.
pub fn text_giving(gives: Gives, sql: &str, parts: &[Part]) -> String {
    let text = match gives {
        Gives::Columns => sql.to_owned(),
        Gives::Places => format!("{sql} /* places */"),
        Gives::Nothing => format!("{sql} /* nothing */"),
    };
    if parts.is_empty() { text } else { text_for(&text, parts) }
}

/// The most partitions of a table whose changes have a kept plan for each: with more, the plans of a session that
/// writes to all of them would displace those of searches.
const MOST_WITH_KEPT_PLANS: usize = 16;

/// Runs `work`, which runs its plan argument through SPI, planned for these partitions: if there are many, it is
/// planned anew each time.
pub fn planned<T>(sql: &str, params: &[Param], parts: &[Part], work: impl FnOnce(&KeptPlan) -> Result<T>) -> Result<T> {
    let is_kept = parts.iter().all(|part| part.of <= MOST_WITH_KEPT_PLANS);
    let text = if is_kept { text_for(sql, parts) } else { format!("{sql} /* in the partitions of a memory */") };
    let plan = plan_cache::plan(&text, params)?;
    // SAFETY: the plan is kept, so its source lives, and with it the text.
    let source =
        unsafe { &*only(pg_sys::SPI_plan_get_plan_sources(plan.as_ptr()))?.cast::<pg_sys::CachedPlanSource>() };
    if !is_kept && !source.gplan.is_null() {
        return Err(Error::new(ErrorKind::Internal, "a plan for other partitions was kept"));
    }
    let run = || {
        let _planning = Planning::begin(source.query_string, parts, Gives::Columns);
        work(&plan)
    };
    if is_kept { run() } else { settings::with(c"plan_cache_mode", c"force_custom_plan", run) }
}

/// The values that a statement returns of rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// The columns in its text.
    Columns,
    /// The places of the rows: a tid, and the OID of the table.
    Places,
    /// Only the existence of rows.
    Nothing,
}

/// Runs a kept plan in the active snapshot, as SPI runs a reading one, planned for these partitions. All statements
/// with its text ([`text_for`], [`text_giving`]) have the same partitions, and return the same values.
///
/// # Safety
/// Call it inside an SPI connection, with as many parameters of the types as the plan was prepared for, a receiver
/// that outlives the call, and locks on the partitions.
pub unsafe fn run(
    plan: &KeptPlan,
    params: pg_sys::ParamListInfo,
    parts: &[Part],
    gives: Gives,
    receiver: *mut pg_sys::DestReceiver,
) -> Result<()> {
    // SAFETY: the plan is kept, so its source lives, and its plans may be pinned by the resource owner, which gives
    // them back after an ERROR. A pinned plan is not written to.
    unsafe {
        let sources = pg_sys::SPI_plan_get_plan_sources(plan.as_ptr());
        let source: *mut pg_sys::CachedPlanSource = only(sources)?.cast();
        let owner = pg_sys::CurrentResourceOwner;
        let pinned = {
            let _planning = Planning::begin((*source).query_string, parts, gives);
            let plan = || pg_sys::GetCachedPlan(source, params, owner, null_mut());
            if gives == Gives::Columns { plan() } else { settings::planning_for_all(plan) }
        };
        let planned: *mut pg_sys::PlannedStmt = only((*pinned).stmt_list)?.cast();
        if (*planned).commandType != pg_sys::CmdType::CMD_SELECT
            || (*planned).hasModifyingCTE
            || !(*planned).rowMarks.is_null()
        {
            return Err(Error::new(ErrorKind::Internal, "a statement that reads partitions would write"));
        }
        let running = pg_sys::CreateQueryDesc(
            planned,
            (*source).query_string,
            pg_sys::GetActiveSnapshot(),
            null_mut(),
            receiver,
            params,
            null_mut(),
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

/// The statement to plan: its text, in the server's memory, its partitions, and the values that it returns.
struct Planned {
    text: *const c_char,
    parts: Vec<Part>,
    gives: Gives,
}

thread_local! {
    static PLANNED: RefCell<Option<Planned>> = const { RefCell::new(None) };
    static NEXT_PLANNER: RefCell<Option<pg_sys::planner_hook_type>> = const { RefCell::new(None) };
}

/// While this lives, the statement with a text is planned for its partitions. Planning may run other statements, which
/// are not.
struct Planning(Option<Planned>);

impl Planning {
    /// The hook stays to the end of the session, because another library may have installed its own hook over it.
    fn begin(text: *const c_char, parts: &[Part], gives: Gives) -> Planning {
        NEXT_PLANNER.with_borrow_mut(|next| {
            if next.is_none() {
                // SAFETY: a plain global of the backend, which has one thread.
                unsafe {
                    *next = Some(pg_sys::planner_hook);
                    pg_sys::planner_hook = Some(plan_for_partitions);
                }
            }
        });
        Planning(PLANNED.replace(Some(Planned { text, parts: parts.to_vec(), gives })))
    }
}

impl Drop for Planning {
    fn drop(&mut self) {
        PLANNED.set(self.0.take());
    }
}

/// The planner of a session that has read partitions.
#[pg_guard]
unsafe extern "C-unwind" fn plan_for_partitions(
    parsed: *mut pg_sys::Query,
    text: *const c_char,
    options: c_int,
    params: pg_sys::ParamListInfo,
) -> *mut pg_sys::PlannedStmt {
    let (parts, gives) = PLANNED.with_borrow(|planned| match planned {
        Some(planned) if planned.text == text => (planned.parts.clone(), planned.gives),
        _ => (Vec::new(), Gives::Columns),
    });
    // SAFETY: a planner may change the statement that the server passes to it, and the caller owns the plan that it
    // returns. An ERROR in another library's planner becomes a panic, as in the functions that pgrx binds.
    unsafe {
        let rights = query::name_partitions(parsed, &parts);
        match gives {
            Gives::Columns => {}
            Gives::Places => places::give(parsed),
            Gives::Nothing => (*parsed).targetList = null_mut(),
        }
        let next = NEXT_PLANNER.with_borrow(|next| next.flatten());
        let planned = match next {
            Some(next) => pg_guard_ffi_boundary(|| next(parsed, text, options, params)),
            None => pg_sys::standard_planner(parsed, text, options, params),
        };
        query::ask_tables(planned, rights);
        planned
    }
}

/// The pointer in the only cell of a list.
///
/// # Safety
/// It is a list of pointers.
unsafe fn only(list: *mut pg_sys::List) -> Result<*mut c_void> {
    // SAFETY: as the caller says; the cell is there where the length says so.
    match unsafe { list.as_ref() } {
        Some(list) if list.length == 1 => Ok(unsafe { (*list.elements).ptr_value }),
        _ => Err(Error::new(ErrorKind::Internal, "a statement of memory_search is not one statement")),
    }
}
