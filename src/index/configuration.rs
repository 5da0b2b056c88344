//! The text search configuration of an index of texts. The options have its name, which may later belong to another
//! configuration, so the metapage has its OID. The server also records a dependency of the index on it, so that nobody
//! drops it. The dependency alone does not tell the configuration: REINDEX CONCURRENTLY gives the new index those of
//! the old one.

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use super::built_with::BuiltWith;
use super::named_error::name_of;
use super::options;
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

/// The configuration for an index that is built now (42704 if it does not exist): the one named in its options. If that
/// name belongs to none any more, it is the recorded one of this index, or of another index of the table with the same
/// options: REINDEX CONCURRENTLY builds an index beside the present one.
///
/// # Safety
/// The table and the index must be open; inside a transaction.
pub unsafe fn to_build(table: pg_sys::Relation, index: pg_sys::Relation, options: &Options) -> Result<pg_sys::Oid> {
    // SAFETY: by the caller's promise.
    options.configuration().or_else(|error| unsafe {
        recorded((*index).rd_id).or_else(|| of_another_index(table, index, options)).ok_or(error)
    })
}

/// The configuration that built an index (42704 if it is gone). After pg_upgrade, which copies the pages of an index
/// into a server with other OIDs, it is the recorded one, or the one that the options name.
///
/// # Safety
/// The index must be open; inside a transaction.
pub unsafe fn built(index: pg_sys::Relation, with: &BuiltWith) -> Result<pg_sys::Oid> {
    // SAFETY: by the caller's promise; looks into a catalog.
    unsafe {
        if !with.is_of_this_cluster() {
            return recorded((*index).rd_id).map_or_else(|| with.options.configuration(), Ok);
        }
        let oid = with.configuration();
        match pg_sys::SearchSysCacheExists(
            pg_sys::SysCacheIdentifier::TSCONFIGOID as i32,
            oid.into(),
            0.into(),
            0.into(),
            0.into(),
        ) {
            true => Ok(oid),
            false => Err(is_gone(&name_of(index))),
        }
    }
}

fn is_gone(index: &str) -> Error {
    let message = format!("the text search configuration that index {index} was built with does not exist any more");
    Error::new(ErrorKind::UndefinedObject, message)
        .hint(format!("REINDEX INDEX {index}; to use another one, ALTER INDEX {index} SET (language = ...) before."))
}

/// The recorded configuration of another memory index of the table with the same options.
///
/// # Safety
/// Both relations must be open; inside a transaction.
unsafe fn of_another_index(table: pg_sys::Relation, index: pg_sys::Relation, options: &Options) -> Option<pg_sys::Oid> {
    // SAFETY: by the caller's promise. The list is the session's own copy; each index is open while it is looked at.
    unsafe {
        let indexes = pg_sys::RelationGetIndexList(table);
        let count = if indexes.is_null() { 0 } else { (*indexes).length };
        let others = (0..count).map(|place| (*(*indexes).elements.add(place as usize)).oid_value);
        others.filter(|other| *other != (*index).rd_id).find_map(|other| {
            let opened = pg_sys::index_open(other, pg_sys::AccessShareLock as i32);
            let is_ours = (*(*opened).rd_rel).relam == (*(*index).rd_rel).relam;
            let found = if is_ours && options::of(opened) == *options { recorded(other) } else { None };
            pg_sys::index_close(opened, pg_sys::AccessShareLock as i32);
            found
        })
    }
}

/// The configuration that an index depends on. For an index of a temporary table none is recorded; if there are
/// several, none of them counts.
///
/// # Safety
/// Inside a transaction.
unsafe fn recorded(index: pg_sys::Oid) -> Option<pg_sys::Oid> {
    // SAFETY: by the caller's promise.
    match unsafe { all_recorded(index) }[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// The configurations that an index depends on, each once.
///
/// # Safety
/// Inside a transaction.
unsafe fn all_recorded(index: pg_sys::Oid) -> Vec<pg_sys::Oid> {
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
        let mut found = Vec::new();
        loop {
            let row = pg_sys::systable_getnext(scan);
            if row.is_null() {
                break;
            }
            let header = (*row).t_data;
            let columns = header.cast::<u8>().add(usize::from((*header).t_hoff)).cast::<pg_sys::Oid>();
            let referenced = *columns.add(REFERENCED_OBJECT);
            if (*columns.add(REFERENCED_CLASS)).to_u32() == CONFIGURATIONS && !found.contains(&referenced) {
                found.push(referenced);
            }
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(catalog, lock);
        found
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
        // The server records the configurations in expressions and in a condition in the same way. These must stay, so
        // that such an index keeps the former configuration too.
        if pg_sys::RelationGetIndexExpressions(index).is_null() && pg_sys::RelationGetIndexPredicate(index).is_null() {
            pg_sys::deleteDependencyRecordsForClass(relations, oid, configurations, normal as core::ffi::c_char);
        } else if all_recorded(oid).contains(&configuration) {
            return;
        }
        let index = pg_sys::ObjectAddress { classId: relations, objectId: oid, objectSubId: 0 };
        let configuration = pg_sys::ObjectAddress { classId: configurations, objectId: configuration, objectSubId: 0 };
        pg_sys::recordDependencyOn(&index, &configuration, normal);
    }
}
