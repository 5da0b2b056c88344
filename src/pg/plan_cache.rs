//! Prepared plans, kept per session and found by their SQL text. PostgreSQL itself replans them
//! when a relation, the role or the search path changes, so nothing is invalidated here.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::mem::ManuallyDrop;
use std::rc::Rc;

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use crate::pg::guc;
use crate::pg::param::Param;

/// Plans kept in a session. A session that works with a few stores needs some dozens; when one
/// needs more than this, all are dropped and made again as needed.
const MAX_PLANS: usize = 256;

/// A plan that outlives the connection it was prepared on.
pub struct KeptPlan(pg_sys::SPIPlanPtr);

impl KeptPlan {
    /// The plan, for SPI's functions.
    pub fn as_ptr(&self) -> pg_sys::SPIPlanPtr {
        self.0
    }
}

impl Drop for KeptPlan {
    fn drop(&mut self) {
        // SAFETY: the plan was kept by SPI_keepplan, and nothing else frees it.
        unsafe { pg_sys::SPI_freeplan(self.0) };
    }
}

thread_local! {
    // Never dropped: at process exit the server frees the plans itself, and calling into it from a
    // thread-local's destructor would come too late.
    static PLANS: ManuallyDrop<RefCell<HashMap<String, Rc<KeptPlan>>>> = ManuallyDrop::default();
}

/// The plan of `sql`, prepared if this is the first time. Must be called inside an SPI connection.
pub fn plan(sql: &str, params: &[Param]) -> Result<Rc<KeptPlan>> {
    if let Some(plan) = PLANS.with(|plans| plans.borrow().get(sql).cloned()) {
        return Ok(plan);
    }
    let plan = Rc::new(prepare(sql, params)?);
    PLANS.with(|plans| {
        let mut plans = plans.borrow_mut();
        if plans.len() >= MAX_PLANS {
            plans.clear();
        }
        plans.insert(sql.to_owned(), Rc::clone(&plan));
    });
    Ok(plan)
}

fn prepare(sql: &str, params: &[Param]) -> Result<KeptPlan> {
    let text = c_text(sql)?;
    let mut types: Vec<pg_sys::Oid> = params.iter().map(|param| param.type_oid().value()).collect();
    // SAFETY: text and types live through the call, and SPI copies what it keeps. A syntax error
    // or a missing privilege leaves as an ERROR.
    unsafe {
        let plan =
            guc::with_standard_literals(|| pg_sys::SPI_prepare(text.as_ptr(), types.len() as i32, types.as_mut_ptr()));
        if plan.is_null() || pg_sys::SPI_keepplan(plan) != 0 {
            return Err(Error::new(ErrorKind::Internal, "a statement of memory_search could not be prepared"));
        }
        Ok(KeptPlan(plan))
    }
}

/// SQL text as C takes it. Names come from the catalogs and values are parameters, so it holds no
/// NUL.
pub fn c_text(sql: &str) -> Result<CString> {
    CString::new(sql).map_err(|_| Error::new(ErrorKind::Internal, "a statement of memory_search holds a NUL byte"))
}
