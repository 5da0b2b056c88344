//! The text search configuration of an index of texts. The options have its name, which may later belong to another
//! configuration; the server records the configuration itself as a dependency of the index.

use memory_search_core::Result;
use pgrx::pg_sys;

use crate::pg::text_search::indexed_texts::Options;

/// The OIDs of pg_ts_config and pg_depend, and of the index on pg_depend by the dependent object.
const CONFIGURATIONS: u32 = 3602;
const DEPENDENCIES: u32 = 2608;
const BY_DEPENDER: u32 = 2673;
/// Columns of pg_depend (pg_depend.h); all columns before the last are as wide as an OID.
const CLASS: i16 = 1;
const OBJECT: i16 = 2;
const REFERENCED_CLASS: usize = 3;
const REFERENCED_OBJECT: usize = 4;

/// The configuration for an index that is built now (42704 if it does not exist): the one named in its options. For an
/// index that is rebuilt after that name changed, it is the recorded one.
///
/// # Safety
/// The index must be open; inside a transaction.
pub unsafe fn to_build(index: pg_sys::Relation, options: &Options) -> Result<pg_sys::Oid> {
    // SAFETY: by the caller's promise.
    options.configuration().or_else(|error| unsafe { recorded((*index).rd_id) }.ok_or(error))
}

/// The configuration that built an index.
///
/// # Safety
/// The index must be open; inside a transaction.
pub unsafe fn built(index: pg_sys::Relation, options: &Options) -> Result<pg_sys::Oid> {
    // SAFETY: by the caller's promise.
    unsafe { recorded((*index).rd_id) }.map_or_else(|| options.configuration(), Ok)
}

/// The configuration that an index depends on. For an index of a temporary table none is recorded; if there are
/// several, none of them counts.
///
/// # Safety
/// Inside a transaction.
unsafe fn recorded(index: pg_sys::Oid) -> Option<pg_sys::Oid> {
    // SAFETY: reads a catalog by its index. A row lives until the next one is asked for, and has no nulls.
    unsafe {
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        let catalog = pg_sys::table_open(DEPENDENCIES.into(), lock);
        let mut keys = [pg_sys::ScanKeyData::default(); 2];
        let wanted = [(CLASS, pg_sys::RelationRelationId), (OBJECT, index)];
        for (key, (column, oid)) in keys.iter_mut().zip(wanted) {
            let equality = pg_sys::BTEqualStrategyNumber as pg_sys::StrategyNumber;
            pg_sys::ScanKeyInit(key, column, equality, pg_sys::F_OIDEQ.into(), oid.into());
        }
        let none = std::ptr::null_mut();
        let scan = pg_sys::systable_beginscan(catalog, BY_DEPENDER.into(), true, none, 2, keys.as_mut_ptr());
        let (mut found, mut count) = (pg_sys::InvalidOid, 0);
        loop {
            let row = pg_sys::systable_getnext(scan);
            if row.is_null() {
                break;
            }
            let header = (*row).t_data;
            let columns = header.cast::<u8>().add(usize::from((*header).t_hoff)).cast::<pg_sys::Oid>();
            if (*columns.add(REFERENCED_CLASS)).to_u32() == CONFIGURATIONS {
                (found, count) = (*columns.add(REFERENCED_OBJECT), count + 1);
            }
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(catalog, lock);
        (count == 1).then_some(found)
    }
}

/// Keeps the configuration from being dropped while an index is built with it. An index of a temporary table may be
/// rebuilt at every commit, and ends with the session.
///
/// # Safety
/// The index must be open, and nobody else build it.
pub unsafe fn record(index: pg_sys::Relation, configuration: pg_sys::Oid) {
    // SAFETY: by the caller's promise; writes to a catalog inside a transaction.
    unsafe {
        if (*(*index).rd_rel).relpersistence == pg_sys::RELPERSISTENCE_TEMP as core::ffi::c_char {
            return;
        }
        let (relations, oid) = (pg_sys::RelationRelationId, (*index).rd_id);
        let configurations = pg_sys::Oid::from(CONFIGURATIONS);
        let normal = pg_sys::DependencyType::DEPENDENCY_NORMAL;
        pg_sys::deleteDependencyRecordsForClass(relations, oid, configurations, normal as core::ffi::c_char);
        let index = pg_sys::ObjectAddress { classId: relations, objectId: oid, objectSubId: 0 };
        let configuration = pg_sys::ObjectAddress { classId: configurations, objectId: configuration, objectSubId: 0 };
        pg_sys::recordDependencyOn(&index, &configuration, normal);
    }
}
