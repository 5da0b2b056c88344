//! Refuses the option `ranking` on the index of a single partition: searches rank by the option of the index of all
//! partitions, so the value would have no effect. The server parses options without saying of which index they are; it
//! calls `object_access_hook` with the index when it has changed them.

use std::ffi::CStr;
use std::sync::OnceLock;

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;
use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;
use pgrx::prelude::*;

use super::options::{amoptions, ranking_in};
use crate::pg::error::or_raise;
use crate::pg::partition;

/// The column `reloptions` of pg_class.
const OPTIONS: i32 = pg_sys::Anum_pg_class_reloptions as i32;

/// The table of a store whose memory index has the option.
const TABLE: &str = "entries";
/// The table beside it in a store.
const COUNTS: &CStr = c"entry_access";

/// The hook of a library that was loaded before, which is called too.
static BEFORE: OnceLock<pg_sys::object_access_hook_type> = OnceLock::new();

/// Sets the hook. Called once, when the library is loaded.
pub fn register() {
    // SAFETY: called while the library is loaded, by the one thread that a server's process has.
    unsafe {
        let hook = &raw mut pg_sys::object_access_hook;
        let _ = BEFORE.set(hook.read());
        hook.write(Some(on_access));
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_access(
    access: pg_sys::ObjectAccessType::Type,
    class: pg_sys::Oid,
    object: pg_sys::Oid,
    part: core::ffi::c_int,
    more: *mut core::ffi::c_void,
) {
    // SAFETY: called by the server inside a transaction, with arguments that the hook before understands as well.
    unsafe {
        if let Some(Some(before)) = BEFORE.get() {
            pg_guard_ffi_boundary(|| before(access, class, object, part, more));
        }
        if access == pg_sys::ObjectAccessType::OAT_POST_ALTER && class == pg_sys::RelationRelationId && part == 0 {
            or_raise(check(object));
        }
    }
}

/// Refuses a statement that has given the index of a partition another scoring (0A000).
///
/// # Safety
/// Called by a statement that has changed the row of a relation, and has it or its table locked.
unsafe fn check(relation: pg_sys::Oid) -> Result<()> {
    // SAFETY: reads catalog caches, and opens the relation. Its lock waits for nobody: the statement has a stronger one of
    // the relation, or of its table.
    unsafe {
        if pg_sys::get_rel_relkind(relation) != pg_sys::RELKIND_INDEX as core::ffi::c_char
            || !pg_sys::get_rel_relispartition(relation)
        {
            return Ok(());
        }
        let index = pg_sys::relation_open(relation, pg_sys::AccessShareLock as i32);
        let is_ours = (*index).rd_indam.as_ref().and_then(|method| method.amoptions).is_some_and(|parse| {
            let ours: unsafe extern "C-unwind" fn(pg_sys::Datum, bool) -> *mut pg_sys::bytea = amoptions;
            std::ptr::fn_addr_eq(parse, ours)
        });
        // The relation's cache shows it as it was before this command.
        let before = if is_ours { ranking_in((*index).rd_options) } else { None };
        pg_sys::relation_close(index, pg_sys::AccessShareLock as i32);
        let now = if is_ours { ranking_now(relation) } else { None };
        if now.is_none() || now == before {
            return Ok(());
        }
        let name_of = |oid| match pg_sys::get_rel_name(oid) {
            name if name.is_null() => String::new(),
            name => CStr::from_ptr(name).to_string_lossy().into_owned(),
        };
        // A partition that was adopted by itself has the index that searches of its store read.
        let table = partition::topmost(pg_sys::IndexGetRelation(relation, false));
        let counts = pg_sys::get_relname_relid(COUNTS.as_ptr(), pg_sys::get_rel_namespace(table));
        if name_of(table) != TABLE || counts == pg_sys::InvalidOid {
            return Ok(());
        }
        let name = name_of(relation);
        let message = format!("the option ranking of {name}, the index of a partition, would have no effect");
        Err(Error::new(ErrorKind::Unsupported, message).hint(
            "Searches rank by the option of the index of all partitions: make that one anew, WITH (ranking = '...'), \
             or give the values in the options of each search.",
        ))
    }
}

/// The option as the present command has written it.
///
/// # Safety
/// Inside a transaction, for an index of this access method.
unsafe fn ranking_now(index: pg_sys::Oid) -> Option<String> {
    // SAFETY: reads a catalog by its index, also rows of the present command. The row lives until the scan ends, and
    // the options are copied out of it.
    unsafe {
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        let catalog = pg_sys::table_open(pg_sys::RelationRelationId, lock);
        let mut key = pg_sys::ScanKeyData::default();
        let (column, equality) = (pg_sys::Anum_pg_class_oid as i16, pg_sys::BTEqualStrategyNumber as u16);
        pg_sys::ScanKeyInit(&mut key, column, equality, pg_sys::F_OIDEQ.into(), index.into());
        let present = &raw mut pg_sys::SnapshotSelfData;
        let scan = pg_sys::systable_beginscan(catalog, pg_sys::ClassOidIndexId.into(), true, present, 1, &mut key);
        let row = pg_sys::systable_getnext(scan);
        let mut ranking = None;
        if !row.is_null() {
            let mut is_null = false;
            let options = pg_sys::heap_getattr(row, OPTIONS, (*catalog).rd_att, &mut is_null);
            if !is_null {
                ranking = ranking_in(amoptions(options, false));
            }
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(catalog, lock);
        ranking
    }
}
