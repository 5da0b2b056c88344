//! Stores whose tables have partitions by the hash of `memory_id`: all that a memory has lies in one partition of each.
//! The planner finds it for every statement anew, which takes longer than searching a small memory; here it is
//! computed.
//!
//! Statements name the tables, whose privileges and policies hold, and are planned for the partitions
//! ([`crate::pg::partition_plan`]).

use memory_search_core::Result;
use memory_search_core::request::names::MemoryId;

use crate::pg::attribute::Attribute;
use crate::pg::open_relation::OpenRelation;
use crate::pg::param::Param;
use crate::pg::partition::Part;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{Partition, Store};

const BY_MEMORY: &str = include_str!("by_memory.sql");

/// The OIDs of entries, contexts and entry_access, where all of them have partitions by the hash of `memory_id` alone.
pub fn tables_by_memory(reader: &Reader<'_>, store: &Store) -> Result<Option<[u32; 3]>> {
    if !store.is_partitioned {
        return Ok(None);
    }
    let mut statement = Statement::default();
    let schema = statement.bind(Param::text(&*store.schema));
    let mut tables = Vec::new();
    reader.rows(&statement.with(filled(BY_MEMORY, &[("{schema}", &schema)])), |row| {
        tables.push(u32::try_from(row.required_integer(1)?).unwrap_or(0));
        Ok(())
    })?;
    Ok(tables.try_into().ok())
}

/// The store with the partitions that hold a memory; `None` where there is none, or it has partitions in turn.
pub fn of_memory(store: &Store, tables: [u32; 3], memory_id: &MemoryId) -> Option<Store> {
    let (mut parts, mut can_stand_for_all, mut memory_index) = (Vec::new(), true, None);
    for oid in tables {
        let table = OpenRelation::new(oid)?;
        let partition = OpenRelation::new(table.partition_of_text(memory_id)?)?;
        can_stand_for_all &= partition.can_stand_for(&table);
        if let (true, Some(index)) = (parts.is_empty(), &store.memory_index) {
            memory_index = partition.part_of_index(index.oid);
        }
        parts.push(Part {
            table: oid,
            key: Attribute::named(&table, c"memory_id")?.number(),
            partition: partition.oid(),
            of: table.count_of_partitions(),
        });
    }
    Some(Store {
        is_partitioned: !can_stand_for_all,
        partition: Some(Partition { parts: parts.try_into().ok()?, memory_index }),
        ..store.clone()
    })
}
