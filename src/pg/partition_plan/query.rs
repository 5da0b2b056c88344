//! Modifies a parsed and rewritten statement so that it names partitions. The policies of its tables are already in it,
//! as conditions on their rows.
//!
//! A policy may query tables of the store, for any memory. A query for the same memory as the row, by an equality,
//! reads the partition, too; all its other queries, and all conditions on new rows, read the table.
//!
//! A table with statement triggers is changed under its own name, in the partition that the planner finds, because the
//! triggers do not run for a statement on a partition. The same holds for a table whose triggers may move a row to
//! another partition.

use std::ffi::{c_int, c_void};

use pgrx::{pg_guard, pg_sys};

use crate::pg::open_relation::OpenRelation;
use crate::pg::partition::Part;

/// Replaces tables by partitions at every place where the statement itself names them. Returns the privileges to check
/// on the tables ([`ask_tables`]).
///
/// # Safety
/// The statement is the planner's, and reads and changes of the tables only rows in the partitions, which are
/// open.
pub unsafe fn name_partitions(statement: *mut pg_sys::Query, parts: &[Part]) -> Vec<*mut pg_sys::RTEPermissionInfo> {
    let mut walk = Walk { parts, rights: Vec::new() };
    if !parts.is_empty() {
        // SAFETY: as the caller says.
        unsafe { walk.query(statement) };
    }
    walk.rights
}

/// Restores the privilege checks on the tables, which [`name_partitions`] removed from the partitions.
///
/// # Safety
/// The plan was made of what that left.
pub unsafe fn ask_tables(planned: *mut pg_sys::PlannedStmt, rights: Vec<*mut pg_sys::RTEPermissionInfo>) {
    if rights.is_empty() {
        return;
    }
    // SAFETY: a plan that nobody has yet; its lists hold nodes of these types.
    unsafe {
        let nobodys = |info: &*mut pg_sys::RTEPermissionInfo| (**info).requiredPerms == 0;
        let infos = cells::<pg_sys::RTEPermissionInfo>((*planned).permInfos);
        let changed = numbers((*planned).resultRelations);
        // For the changed table the executor checks columns, for the others only whether there are privileges.
        let mut kept = Vec::new();
        for (place, entry) in (1..).zip(cells::<pg_sys::RangeTblEntry>((*planned).rtable)) {
            let number = (*entry).perminfoindex as usize;
            let Some(info) = infos.get(number.wrapping_sub(1)).filter(|info| nobodys(info)) else { continue };
            if changed.contains(&place) {
                kept.push(*info);
            } else {
                (*entry).perminfoindex = 0;
            }
        }
        let mut places = infos.into_iter().filter(|info| nobodys(info) && !kept.contains(info));
        for right in rights {
            match places.next() {
                Some(place) => place.write(right.read()),
                None => (*planned).permInfos = pg_sys::lappend((*planned).permInfos, right.cast()),
            }
        }
    }
}

/// A walk through a statement.
struct Walk<'a> {
    parts: &'a [Part],
    rights: Vec<*mut pg_sys::RTEPermissionInfo>,
}

impl Walk<'_> {
    unsafe fn query(&mut self, query: *mut pg_sys::Query) {
        let context: *mut c_void = (&raw mut *self).cast();
        // SAFETY: the walkers call back with nodes of the statement, and with the context, which outlives them.
        unsafe {
            pg_sys::query_tree_walker_impl(query, Some(visit), context, pg_sys::QTW_IGNORE_RANGE_TABLE as c_int);
            for (number, entry) in (1..).zip(cells::<pg_sys::RangeTblEntry>((*query).rtable)) {
                if (*entry).rtekind != pg_sys::RTEKind::RTE_RELATION {
                    pg_sys::range_table_entry_walker_impl(entry, Some(visit), context, 0);
                } else if let Some(part) = self.part_of(entry) {
                    // A query that changes rows takes a stronger lock than the one that the partition is open with.
                    // With that lock no trigger can be made meanwhile.
                    pg_sys::LockRelationOid(pg_sys::Oid::from(part.partition), (*entry).rellockmode);
                    if number == (*query).resultRelation && has_triggers_of_its_name(part) {
                        continue;
                    }
                    self.name(query, entry, part);
                    let mut policy = Policy { walk: self, row: number, key: part.key };
                    let context: *mut c_void = (&raw mut policy).cast();
                    pg_sys::expression_tree_walker_impl((*entry).securityQuals.cast(), Some(visit_policy), context);
                }
            }
        }
    }

    /// The partition that replaces the table of a range table entry.
    unsafe fn part_of(&self, entry: *const pg_sys::RangeTblEntry) -> Option<Part> {
        // SAFETY: an entry of the statement.
        let (oid, kind) = unsafe { ((*entry).relid, (*entry).relkind) };
        // A table that a shard replaces is an ordinary one.
        let is_table = [pg_sys::RELKIND_PARTITIONED_TABLE, pg_sys::RELKIND_RELATION].contains(&(kind as u8));
        self.parts.iter().find(|part| is_table && part.table == oid.to_u32()).copied()
    }

    /// Names the partition. The privileges in the table's entry are kept for later. For the partition no privilege is
    /// checked; the entry only tells as which role the planner reads statistics.
    unsafe fn name(&mut self, query: *const pg_sys::Query, entry: *mut pg_sys::RangeTblEntry, part: Part) {
        // SAFETY: an entry of this query with the information that belongs to it, which the planner may change.
        unsafe {
            let infos = cells::<pg_sys::RTEPermissionInfo>((*query).rteperminfos);
            let Some(info) = infos.get(((*entry).perminfoindex as usize).wrapping_sub(1)).copied() else { return };
            self.rights.push(pg_sys::copyObjectImpl(info.cast()).cast());
            let partition = pg_sys::Oid::from(part.partition);
            (*info).relid = partition;
            (*info).requiredPerms = 0;
            (*info).selectedCols = std::ptr::null_mut();
            (*entry).relid = partition;
            (*entry).relkind = pg_sys::RELKIND_RELATION as i8;
        }
    }
}

/// A walk through the policies on a row of a partition.
struct Policy<'a, 'b> {
    walk: &'a mut Walk<'b>,
    /// The number of the row's relation in the outer range table.
    row: c_int,
    /// The column that determines the row's partition.
    key: i16,
}

impl Policy<'_, '_> {
    /// Names partitions in a subquery, for tables that are joined by conditions which put all their rows into the
    /// partition of the policy's row.
    unsafe fn subquery(&mut self, query: *mut pg_sys::Query) {
        // SAFETY: a subquery of the statement; the entries that FROM lists have these numbers.
        unsafe {
            let (Some(tree), true) = ((*query).jointree.as_ref(), (*query).setOperations.is_null()) else { return };
            let entries = cells::<pg_sys::RangeTblEntry>((*query).rtable);
            for item in cells::<pg_sys::Node>(tree.fromlist) {
                if (*item).type_ != pg_sys::NodeTag::T_RangeTblRef {
                    continue;
                }
                let number = (*item.cast::<pg_sys::RangeTblRef>()).rtindex;
                let Some(entry) = entries.get((number as usize).wrapping_sub(1)).copied() else { continue };
                let is_relation = (*entry).rtekind == pg_sys::RTEKind::RTE_RELATION;
                let Some(part) = self.walk.part_of(entry).filter(|_| is_relation) else { continue };
                if self.lies_with_row(tree.quals, number, part.key) {
                    self.walk.name(query, entry, part);
                }
            }
        }
    }

    /// Whether conditions that must all hold imply that the key of a relation equals that of the policy's row.
    unsafe fn lies_with_row(&self, condition: *mut pg_sys::Node, relation: c_int, key: i16) -> bool {
        // SAFETY: nodes of the statement, read as what their tags say.
        unsafe {
            let Some(node) = condition.as_ref() else { return false };
            match node.type_ {
                pg_sys::NodeTag::T_BoolExpr => {
                    let all = &*condition.cast::<pg_sys::BoolExpr>();
                    all.boolop == pg_sys::BoolExprType::AND_EXPR
                        && cells::<pg_sys::Node>(all.args).into_iter().any(|of| self.lies_with_row(of, relation, key))
                }
                pg_sys::NodeTag::T_OpExpr => {
                    let equality = &*condition.cast::<pg_sys::OpExpr>();
                    let sides: Vec<_> =
                        cells::<pg_sys::Node>(equality.args).into_iter().map(|side| column(side)).collect();
                    let (own, rows) = (Some((relation, key, 0)), Some((self.row, self.key, 1)));
                    equality.opno == pg_sys::Oid::from(pg_sys::TextEqualOperator)
                        && equality.inputcollid == pg_sys::DEFAULT_COLLATION_OID
                        && (sides == [own, rows] || sides == [rows, own])
                }
                _ => false,
            }
        }
    }
}

/// Whether a change of the partition may have other effects than one of the table.
fn has_triggers_of_its_name(part: Part) -> bool {
    let has = |oid| OpenRelation::new(oid).is_none_or(|relation| relation.has_triggers_of_its_name());
    has(part.table) || has(part.partition)
}

/// The column that an expression consists of: the relation's number, its own, and the number of query levels up.
unsafe fn column(node: *const pg_sys::Node) -> Option<(c_int, i16, u32)> {
    // SAFETY: a node of the statement, read as what its tag says.
    unsafe {
        let var = ((*node).type_ == pg_sys::NodeTag::T_Var).then(|| &*node.cast::<pg_sys::Var>())?;
        Some((var.varno, var.varattno, var.varlevelsup))
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn visit(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
    // SAFETY: called by the server's walkers with nodes, or none, and the context that they were given.
    unsafe {
        if node.is_null() {
            return false;
        }
        // The conditions of policies on new rows.
        if (*node).type_ == pg_sys::NodeTag::T_WithCheckOption {
            return false;
        }
        if (*node).type_ != pg_sys::NodeTag::T_Query {
            return pg_sys::expression_tree_walker_impl(node, Some(visit), context);
        }
        (*context.cast::<Walk<'_>>()).query(node.cast());
        false
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn visit_policy(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe {
        if node.is_null() {
            return false;
        }
        if (*node).type_ != pg_sys::NodeTag::T_SubLink {
            return pg_sys::expression_tree_walker_impl(node, Some(visit_policy), context);
        }
        let subquery = (*node.cast::<pg_sys::SubLink>()).subselect;
        if !subquery.is_null() && (*subquery).type_ == pg_sys::NodeTag::T_Query {
            (*context.cast::<Policy<'_, '_>>()).subquery(subquery.cast());
        }
        false
    }
}

/// The pointers in a list.
///
/// # Safety
/// It is a list of pointers to nodes of this type.
unsafe fn cells<T>(list: *const pg_sys::List) -> Vec<*mut T> {
    // SAFETY: as the caller says; there are as many cells as the length says.
    match unsafe { list.as_ref() } {
        None => Vec::new(),
        Some(list) => {
            (0..list.length as usize).map(|at| unsafe { (*list.elements.add(at)).ptr_value.cast() }).collect()
        }
    }
}

/// The numbers in a list.
///
/// # Safety
/// It is a list of integers.
unsafe fn numbers(list: *const pg_sys::List) -> Vec<c_int> {
    // SAFETY: as the caller says; there are as many cells as the length says.
    match unsafe { list.as_ref() } {
        None => Vec::new(),
        Some(list) => (0..list.length as usize).map(|at| unsafe { (*list.elements.add(at)).int_value }).collect(),
    }
}
