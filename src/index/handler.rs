//! The access method as the server sees it: its callbacks, and the features that it does not support.

use memory_search_core::ErrorKind;
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::{build, build_progress, cost, insert, operator_class, options, scan, vacuum};
use crate::pg::error::or_raise;

// The text goes into the install script unchanged.
#[pg_extern(sql = "
CREATE FUNCTION @extschema@.memory_search_handler(pg_catalog.internal) RETURNS pg_catalog.index_am_handler
  LANGUAGE c STRICT PARALLEL SAFE AS '@MODULE_PATHNAME@', '@FUNCTION_NAME@';
CREATE ACCESS METHOD memory_search TYPE INDEX HANDLER @extschema@.memory_search_handler;
")]
fn memory_search_handler(_call: pg_sys::FunctionCallInfo) -> pgrx::Internal {
    // SAFETY: palloc0 gives room for the struct, whose fields may all be zero; the server copies it.
    unsafe {
        let place = pg_sys::palloc0(size_of::<pg_sys::IndexAmRoutine>()).cast::<pg_sys::IndexAmRoutine>();
        let routine = &mut *place;
        routine.type_ = pg_sys::NodeTag::T_IndexAmRoutine;
        // Operator 1 of an operator class is the one that conditions on the column use: equality of ids, distance of
        // vectors.
        routine.amstrategies = 1;
        routine.amsupport = 1;
        routine.amcanorderbyop = true;
        routine.amcanmulticol = true;
        routine.amcaninclude = true;
        routine.ambuild = Some(build::ambuild);
        routine.ambuildphasename = Some(build_progress::ambuildphasename);
        routine.ambuildempty = Some(build::ambuildempty);
        routine.aminsert = Some(insert::aminsert);
        routine.ambulkdelete = Some(vacuum::ambulkdelete);
        routine.amvacuumcleanup = Some(vacuum::amvacuumcleanup);
        routine.amcostestimate = Some(cost::amcostestimate);
        routine.amoptions = Some(options::amoptions);
        routine.amvalidate = Some(amvalidate);
        routine.ambeginscan = Some(scan::ambeginscan);
        routine.amrescan = Some(scan::amrescan);
        routine.amgettuple = Some(scan::amgettuple);
        routine.amgetbitmap = Some(scan::amgetbitmap);
        routine.amendscan = Some(scan::amendscan);
        pgrx::Internal::from(Some(pg_sys::Datum::from(place)))
    }
}

/// Whether an index accepts an operator class; reports why not. CREATE INDEX refuses other operator classes.
#[pg_guard]
unsafe extern "C-unwind" fn amvalidate(operator_class: pg_sys::Oid) -> bool {
    // SAFETY: called inside a transaction.
    match unsafe { operator_class::is_sound(operator_class) } {
        Ok(()) => true,
        Err(error) if error.kind == ErrorKind::UndefinedObject => or_raise(Err(error)),
        Err(error) => {
            pgrx::info!("{}", error.message);
            false
        }
    }
}

pgrx::extension_sql_file!(
    "../../sql/schema/40_operator_classes.sql",
    name = "operator_classes",
    requires = [memory_search_handler]
);
