//! Prepared plans, kept per session and found by their SQL text. PostgreSQL itself replans them
//! when a relation, the role or the search path changes, so nothing is invalidated here.

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::rc::Rc;

use memory_search_core::Result;
use pgrx::spi::{OwnedPreparedStatement, SpiClient};

use crate::pg::param::Param;
use crate::pg::spi::internal;

/// Plans kept in a session. A session that works with a few stores needs some dozens; when one
/// needs more than this, all are dropped and made again as needed.
const MAX_PLANS: usize = 256;

thread_local! {
    // Never dropped: at process exit the server frees the plans itself, and calling into it from a
    // thread-local's destructor would come too late.
    static PLANS: ManuallyDrop<RefCell<HashMap<String, Rc<OwnedPreparedStatement>>>> = ManuallyDrop::default();
}

/// The plan of `sql`, prepared if this is the first time. `writes` as SPI's `prepare_mut`.
pub fn plan(client: &SpiClient<'_>, sql: &str, params: &[Param], writes: bool) -> Result<Rc<OwnedPreparedStatement>> {
    if let Some(plan) = PLANS.with(|plans| plans.borrow().get(sql).cloned()) {
        return Ok(plan);
    }
    let types: Vec<_> = params.iter().map(Param::type_oid).collect();
    let prepared = if writes { client.prepare_mut(sql, &types) } else { client.prepare(sql, &types) };
    let plan = Rc::new(prepared.map_err(internal)?.keep());
    PLANS.with(|plans| {
        let mut plans = plans.borrow_mut();
        if plans.len() >= MAX_PLANS {
            plans.clear();
        }
        plans.insert(sql.to_owned(), Rc::clone(&plan));
    });
    Ok(plan)
}
