//! The partition of a table that holds a value, found as the executor finds it for an inserted row: without a plan, and
//! without a lock on the others.

use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;
use pgrx::{IntoDatum, pg_sys};

use crate::pg::open_relation::OpenRelation;

unsafe extern "C-unwind" {
    /// The index of a partition that is part of an index of the table; 0 if there is none (catalog/partition.h, which
    /// pgrx does not bind). It may raise an ERROR.
    fn index_get_partition(partition: pg_sys::Relation, index: pg_sys::Oid) -> pg_sys::Oid;

    /// The table that a partition belongs to, also while it is being detached (the same header). It may raise an ERROR.
    fn get_partition_parent(partition: pg_sys::Oid, even_if_detached: bool) -> pg_sys::Oid;
}

/// The topmost table that a partition belongs to; the table itself if it is no partition.
pub fn topmost(table: pg_sys::Oid) -> pg_sys::Oid {
    let mut top = table;
    // SAFETY: reads catalogs inside a transaction; an ERROR unwinds.
    unsafe {
        while pg_sys::get_rel_relispartition(top) {
            top = pg_guard_ffi_boundary(|| get_partition_parent(top, true));
        }
    }
    top
}

/// A table and the partition that replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The OID of the table.
    pub table: u32,
    /// The column, in both, whose value determines the partition of a row.
    pub key: i16,
    /// The OID of the partition. Its columns are those of the table, in their order.
    pub partition: u32,
    /// The number of the table's partitions.
    pub of: usize,
}

/// The hash of a value of the partition key.
#[derive(Debug, Clone, Copy)]
pub struct PartitionHash(u64);

impl PartitionHash {
    /// The hash of a text in the database's collation, by the default operator class.
    pub fn of_text(value: &str) -> Option<PartitionHash> {
        // Pointers to data that are only read: PostgreSQL 16 does not declare this.
        let (mut collation, mut value, mut is_null) = (pg_sys::DEFAULT_COLLATION_OID, value.into_datum()?, false);
        let mut hash = pg_sys::FmgrInfo::default();
        // SAFETY: the function is built in, and takes a text; the arguments are those of one column.
        Some(PartitionHash(unsafe {
            pg_sys::fmgr_info(pg_sys::Oid::from(pg_sys::F_HASHTEXTEXTENDED), &mut hash);
            pg_sys::compute_partition_hash_value(1, &mut hash, &raw mut collation, &raw mut value, &raw mut is_null)
        }))
    }
}

impl OpenRelation {
    /// The partition that holds a text of this hash. The caller has checked that the table is partitioned by the hash
    /// of one column of type text, with the default operator class and the database's collation. `None` if the
    /// partition is partitioned in turn, or if there is none.
    pub fn partition_of(&self, hash: PartitionHash) -> Option<u32> {
        // SAFETY: the relation is open, and has partitions by hash, so that its bounds are numbers of partitions by
        // remainders of the greatest modulus; they live as long as it is open.
        unsafe {
            let described = pg_sys::RelationGetPartitionDesc(self.raw(), true).as_ref()?;
            let bounds = described.boundinfo.as_ref()?;
            if bounds.strategy != pg_sys::PartitionStrategy::PARTITION_STRATEGY_HASH || bounds.nindexes <= 0 {
                return None;
            }
            let remainder = usize::try_from(hash.0 % bounds.nindexes as u64).ok()?;
            let number = usize::try_from(*bounds.indexes.add(remainder)).ok()?;
            (*described.is_leaf.add(number)).then(|| (*described.oids.add(number)).to_u32())
        }
    }

    /// The number of its partitions.
    pub fn count_of_partitions(&self) -> usize {
        // SAFETY: the relation is open, and its description lives as long.
        let described = unsafe { pg_sys::RelationGetPartitionDesc(self.raw(), true).as_ref() };
        described.map_or(0, |described| usize::try_from(described.nparts).unwrap_or(0))
    }

    /// The index of this partition that is part of an index of its table.
    pub fn part_of_index(&self, index: u32) -> Option<u32> {
        let index = pg_sys::Oid::from(index);
        // SAFETY: the relation is open; reads catalogs, inside a transaction. An ERROR becomes a panic, as in the
        // functions that pgrx binds.
        let part = unsafe { pg_guard_ffi_boundary(|| index_get_partition(self.raw(), index)) };
        (part != pg_sys::InvalidOid).then(|| part.to_u32())
    }
}
