//! Relations, open with the lock that a query takes.

use std::cell::Cell;

use pgrx::pg_sys;

use crate::pg::unwinding;

/// `check_enable_rls`: policies apply.
const RLS_ENABLED: i32 = 2;

/// A relation, open with the lock that a query takes.
pub struct OpenRelation {
    relation: pg_sys::Relation,
    /// Whether its indexes are locked.
    holds_indexes: Cell<bool>,
}

impl Drop for OpenRelation {
    fn drop(&mut self) {
        // SAFETY: opened by try_relation_open. The lock stays until the end of the transaction, as a
        // query's does.
        unwinding::release(|| unsafe { pg_sys::relation_close(self.relation, pg_sys::NoLock as i32) });
    }
}

impl OpenRelation {
    /// `None` if the relation no longer exists.
    pub fn new(oid: u32) -> Option<OpenRelation> {
        // SAFETY: opens by OID inside a transaction; null when there is no such relation any more.
        let relation = unsafe { pg_sys::try_relation_open(pg_sys::Oid::from(oid), pg_sys::AccessShareLock as i32) };
        // Not then_some: it would construct one from a null pointer, and close it.
        (!relation.is_null()).then(|| OpenRelation { relation, holds_indexes: Cell::new(false) })
    }

    /// Its OID.
    pub fn oid(&self) -> u32 {
        // SAFETY: the relation is open.
        unsafe { (*self.relation).rd_id.to_u32() }
    }

    /// The relation for the server's functions.
    pub(crate) fn raw(&self) -> pg_sys::Relation {
        self.relation
    }

    /// The indexes of a table, in the order in which plans and REINDEX lock them.
    pub fn indexes(&self) -> Vec<u32> {
        // SAFETY: the table is open. The list is a copy, in the current memory context.
        unsafe {
            let list = pg_sys::RelationGetIndexList(self.relation);
            let count = list.as_ref().map_or(0, |list| list.length as usize);
            let oids = (0..count).map(|number| (*(*list).elements.add(number)).oid_value.to_u32()).collect();
            pg_sys::list_free(list);
            oids
        }
    }

    /// Takes the lock that a query takes on all indexes of a table, whether or not it reads them, to the end of the
    /// transaction. In another order than that of the list, two sessions could wait for each other, of which one
    /// rebuilds the indexes: REINDEX TABLE keeps the lock of each until its end.
    pub fn lock_indexes(&self) {
        if self.holds_indexes.replace(true) {
            return;
        }
        for index in self.indexes() {
            // SAFETY: takes any OID inside a transaction; an ERROR unwinds.
            unsafe { pg_sys::LockRelationOid(pg_sys::Oid::from(index), pg_sys::AccessShareLock as i32) };
        }
    }

    /// Whether its pages hold all of its rows: it is an ordinary heap without children, with this server's storage.
    pub fn holds_all_rows(&self) -> bool {
        // SAFETY: the relation is open, so its row of pg_class is there; RecoveryInProgress reads shared state.
        unsafe {
            let definition = &*(*self.relation).rd_rel;
            definition.relkind == pg_sys::RELKIND_RELATION as i8
                && definition.relam == pg_sys::HEAP_TABLE_AM_OID
                && !definition.relhassubclass
                && (definition.relpersistence == pg_sys::RELPERSISTENCE_PERMANENT as i8
                    || definition.relpersistence == pg_sys::RELPERSISTENCE_UNLOGGED as i8
                        && !pg_sys::RecoveryInProgress())
        }
    }

    /// The number of its blocks.
    pub fn blocks(&self) -> u32 {
        // SAFETY: the relation is open, and has storage.
        unsafe { pg_sys::RelationGetNumberOfBlocksInFork(self.relation, pg_sys::ForkNumber::MAIN_FORKNUM) }
    }

    /// Whether a statement on a table has the same meaning on this partition of it: an ordinary table, with the table's
    /// columns at the same positions. A partition that was attached may have other columns in between, and may compute
    /// values that it does not store.
    pub fn can_stand_for(&self, table: &OpenRelation) -> bool {
        // SAFETY: both relations are open, and with them the descriptions of their rows. The types of columns of one name
        // are the same in a partition, so nothing is raised.
        unsafe {
            let (own, tables) = ((*self.relation).rd_att, (*table.relation).rd_att);
            (*(*self.relation).rd_rel).relkind == pg_sys::RELKIND_RELATION as i8
                && pg_sys::build_attrmap_by_name_if_req(own, tables, false).is_null()
                && !computes_columns(own)
        }
    }

    /// Whether it has the same owner and the same state of row-level security as a table. The policies themselves are
    /// not compared.
    pub fn is_ruled_as(&self, table: &OpenRelation) -> bool {
        // SAFETY: both relations are open, so their rows of pg_class are there.
        let (own, tables) = unsafe { (&*(*self.relation).rd_rel, &*(*table.relation).rd_rel) };
        own.relowner == tables.relowner
            && own.relrowsecurity == tables.relrowsecurity
            && own.relforcerowsecurity == tables.relforcerowsecurity
    }

    /// Whether a change under this relation's name may have other effects than under the name of its table or
    /// partition: it has triggers that run once for a statement, or that may move a row to another partition.
    pub fn has_triggers_of_its_name(&self) -> bool {
        // SAFETY: the relation is open, and with it the description of its triggers, if it has any.
        unsafe { (*self.relation).trigdesc.as_ref() }.is_some_and(|triggers| {
            let may_move_rows = triggers.trig_insert_before_row || triggers.trig_update_before_row;
            may_move_rows
                || triggers.trig_insert_before_statement
                || triggers.trig_insert_after_statement
                || triggers.trig_update_before_statement
                || triggers.trig_update_after_statement
                || triggers.trig_delete_before_statement
                || triggers.trig_delete_after_statement
        })
    }

    /// Whether the current user has the USAGE privilege on its schema: a statement that names the relation checks this
    /// first.
    fn is_in_open_schema(&self) -> bool {
        // SAFETY: the relation is open; reads globals and catalog caches inside a transaction.
        unsafe {
            pg_sys::object_aclcheck(
                pg_sys::NamespaceRelationId,
                (*(*self.relation).rd_rel).relnamespace,
                pg_sys::GetUserId(),
                pg_sys::ACL_USAGE.into(),
            ) == pg_sys::AclResult::ACLCHECK_OK
        }
    }

    /// Whether policies bind the current user's reading of it; `None` if the user may not read all of these columns (by
    /// number), or all columns if none are given.
    pub fn is_under_policy(&self, columns: Option<&[i16]>) -> Option<bool> {
        // SAFETY: the relation is open; reads globals and catalog caches inside a transaction.
        unsafe {
            let (oid, user, select) = ((*self.relation).rd_id, pg_sys::GetUserId(), pg_sys::ACL_SELECT.into());
            let is_ok = |found| found == pg_sys::AclResult::ACLCHECK_OK;
            let may_read = is_ok(pg_sys::pg_class_aclcheck(oid, user, select))
                || columns.is_some_and(|columns| {
                    columns.iter().all(|&number| is_ok(pg_sys::pg_attribute_aclcheck(oid, number, user, select)))
                });
            may_read.then(|| self.has_policies_for_caller())
        }
    }

    /// Whether policies bind the current user's reads of it, independently of privileges. If they would and
    /// `row_security` is off, this raises an ERROR, as a statement does.
    pub fn has_policies_for_caller(&self) -> bool {
        // SAFETY: the relation is open; reads globals and catalog caches inside a transaction.
        unsafe { pg_sys::check_enable_rls((*self.relation).rd_id, pg_sys::InvalidOid, false) == RLS_ENABLED }
    }
}

/// Whether columns are computed when they are read.
///
/// # Safety
/// The description of a relation that is open.
#[cfg(not(any(feature = "pg16", feature = "pg17")))]
unsafe fn computes_columns(rows: pg_sys::TupleDesc) -> bool {
    // SAFETY: as the caller says.
    unsafe { (*rows).constr.as_ref() }.is_some_and(|constraints| constraints.has_generated_virtual)
}

/// PostgreSQL 18 is the first with such columns.
#[cfg(any(feature = "pg16", feature = "pg17"))]
unsafe fn computes_columns(_: pg_sys::TupleDesc) -> bool {
    false
}

/// Whether a statement must be asked before rows of a relation are read: it raises the error if the current user may
/// not use the relation's schema, and other libraries that restrict or record reads see it.
pub fn is_for_statements(oid: u32) -> bool {
    is_asked_by_others() || !OpenRelation::new(oid).as_ref().is_some_and(OpenRelation::is_in_open_schema)
}

/// Whether policies bind the current user's reading of a relation ([`OpenRelation::has_policies_for_caller`]).
pub fn has_policies_for_caller(oid: u32) -> bool {
    OpenRelation::new(oid).is_none_or(|relation| relation.has_policies_for_caller())
}

/// Whether the current user may read all columns of a relation.
pub fn may_read(oid: u32) -> bool {
    // SAFETY: reads globals and catalog caches inside a transaction; a relation that has gone is an ERROR.
    unsafe {
        pg_sys::pg_class_aclcheck(pg_sys::Oid::from(oid), pg_sys::GetUserId(), pg_sys::ACL_SELECT.into())
            == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Takes the lock that a query takes on a relation, to the end of the transaction, and processes the changes that
/// others committed before. No session changes its definition or its policies from then on. `false` if it was dropped.
pub fn lock(oid: u32) -> bool {
    OpenRelation::new(oid).is_some()
}

/// Takes the lock that ALTER INDEX ... SET takes on an index, to the end of the transaction, and processes the changes
/// that others committed before. No session changes its options from then on.
pub fn lock_definition(oid: u32) {
    // SAFETY: takes any OID inside a transaction; an ERROR unwinds.
    unsafe { pg_sys::LockRelationOid(pg_sys::Oid::from(oid), pg_sys::ShareUpdateExclusiveLock as i32) };
}

/// Whether another library restricts or records reads (sepgsql, pgaudit): only the executor calls it.
fn is_asked_by_others() -> bool {
    // SAFETY: a plain global, set when the library was loaded.
    unsafe { (&raw const pg_sys::ExecutorCheckPerms_hook).read().is_some() }
}

/// Whether the transaction must record its reads, which only the executor does.
pub fn is_serializable() -> bool {
    // SAFETY: a plain global, set when the transaction begins.
    unsafe { pg_sys::XactIsoLevel == pg_sys::XACT_SERIALIZABLE as i32 }
}

/// Whether plans may read indexes (`enable_indexscan`).
pub fn may_scan_indexes() -> bool {
    // SAFETY: a plain global, the setting's value.
    unsafe { pg_sys::enable_indexscan }
}
