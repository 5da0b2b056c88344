//! Prepared plans, kept per session and found by the current role and their SQL text. PostgreSQL itself replans them
//! when a relation, a privilege on a schema or the search path changes, so there is no invalidation here. Each role has
//! plans of its own: the server checks privileges on schemas when it parses a statement, and not when a kept plan runs.

use std::cell::RefCell;
use std::ffi::CString;
use std::mem::ManuallyDrop;
use std::rc::Rc;

use lru::LruCache;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use crate::pg::param::Param;
use crate::pg::role;
use crate::pg::settings;
use crate::pg::unwinding;

/// The most bytes of all kept plans of a session. A plan takes 20 to 100 kB, and a search of a store needs four to ten;
/// beyond this size the least recently used plan is dropped.
const MAX_BYTES: usize = 16 << 20;

/// A plan that outlives the connection that prepared it.
pub struct KeptPlan(pg_sys::SPIPlanPtr);

impl KeptPlan {
    /// The plan, for SPI's functions.
    pub fn as_ptr(&self) -> pg_sys::SPIPlanPtr {
        self.0
    }

    /// The server's memory for it: the parsed statement, the rewritten one, and the latest plan.
    fn bytes(&self) -> usize {
        // SAFETY: a kept plan has one source, which lives as long; its plan, if there is one, is the source's own.
        unsafe {
            let Some(sources) = pg_sys::SPI_plan_get_plan_sources(self.0).as_ref() else { return 0 };
            let source = &*(*sources.elements).ptr_value.cast::<pg_sys::CachedPlanSource>();
            let planned = source.gplan.as_ref().map_or(0, |plan| pg_sys::MemoryContextMemAllocated(plan.context, true));
            pg_sys::MemoryContextMemAllocated(source.context, true) + planned
        }
    }
}

impl Drop for KeptPlan {
    fn drop(&mut self) {
        // SAFETY: the plan was kept by SPI_keepplan, and nothing else frees it. (One that left the cache while it
        // ran, and failed, is the session's until its end.)
        unwinding::release(|| unsafe {
            pg_sys::SPI_freeplan(self.0);
        });
    }
}

/// The role that made a plan, and its SQL text.
type Key = (u32, String);

thread_local! {
    // Never dropped: when the process exits, the server frees the plans itself, and a call into it from a
    // thread-local's destructor would come too late.
    static PLANS: ManuallyDrop<RefCell<LruCache<Key, Rc<KeptPlan>>>> =
        ManuallyDrop::new(RefCell::new(LruCache::unbounded()));
}

/// The plan of `sql`, prepared at the first call. Must be called inside an SPI connection.
pub fn plan(sql: &str, params: &[Param]) -> Result<Rc<KeptPlan>> {
    let key = (role::current(), sql.to_owned());
    if let Some(plan) = PLANS.with(|plans| plans.borrow_mut().get(&key).cloned()) {
        return Ok(plan);
    }
    let plan = Rc::new(prepare(sql, params)?);
    // Freed here, when the cache is no longer borrowed.
    let _evicted = PLANS.with(|plans| {
        let mut plans = plans.borrow_mut();
        let evicted = beyond(&mut plans, MAX_BYTES);
        plans.put(key, Rc::clone(&plan));
        evicted
    });
    Ok(plan)
}

/// Removes the least recently used plans until the others take no more than this. They are measured when a plan is
/// made, which takes several times as long: a plan grows after its statement was prepared.
fn beyond(plans: &mut LruCache<Key, Rc<KeptPlan>>, most_bytes: usize) -> Vec<Rc<KeptPlan>> {
    let mut bytes: usize = plans.iter().map(|(_, plan)| plan.bytes()).sum();
    let mut evicted = Vec::new();
    while bytes > most_bytes
        && let Some((_, plan)) = plans.pop_lru()
    {
        bytes -= plan.bytes();
        evicted.push(plan);
    }
    evicted
}

fn prepare(sql: &str, params: &[Param]) -> Result<KeptPlan> {
    let text = c_text(sql)?;
    let mut types: Vec<pg_sys::Oid> = params.iter().map(Param::type_oid).collect();
    // SAFETY: text and types live through the call, and SPI copies what it keeps. A syntax error
    // or a missing privilege leaves as an ERROR.
    unsafe {
        let plan = settings::with_standard_literals(|| {
            pg_sys::SPI_prepare(text.as_ptr(), types.len() as i32, types.as_mut_ptr())
        });
        if plan.is_null() || pg_sys::SPI_keepplan(plan) != 0 {
            return Err(Error::new(ErrorKind::Internal, "a statement of memory_search could not be prepared"));
        }
        Ok(KeptPlan(plan))
    }
}

/// SQL text as a C string. Names come from the catalogs and values are parameters, so it holds no NUL.
pub fn c_text(sql: &str) -> Result<CString> {
    CString::new(sql).map_err(|_| Error::new(ErrorKind::Internal, "a statement of memory_search holds a NUL byte"))
}
