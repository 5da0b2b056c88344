//! Stores whose tables have partitions by the hash of `memory_id`: all that a memory has lies in one partition of each.
//! The planner finds it for every statement anew, which takes longer than searching a small memory; here it is
//! computed.
//!
//! What may be read is what a query of the table lets the caller read: privileges and policies are those of the table.
//! Statements name a partition where the caller may read all of the table and no policy binds him, and then read it by
//! the table's rights ([`crate::pg::rights_of_table`]).

use memory_search_core::Result;
use memory_search_core::request::names::MemoryId;

use crate::pg::identifier::QualifiedName;
use crate::pg::open_relation::OpenRelation;
use crate::pg::param::Param;
use crate::pg::rights_of_table;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{Partition, Store, TablesOfMemory};

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
    let (mut partitions, mut names) = (Vec::new(), Some(Vec::new()));
    for oid in tables {
        let table = OpenRelation::new(oid)?;
        let partition = OpenRelation::new(table.partition_of_text(memory_id)?)?;
        let may_read_all = table.is_under_policy(None) == Some(false);
        let is_named = may_read_all && partition.can_stand_for(&table) && rights_of_table::are_all_that_is_asked();
        names = names.filter(|_| is_named).and_then(|mut names| {
            names.push(QualifiedName::of_relation(&partition)?);
            Some(names)
        });
        partitions.push(partition);
    }
    let names = names.and_then(|names| <[QualifiedName; 3]>::try_from(names).ok());
    let oids = [0, 1, 2].map(|number: usize| partitions[number].oid());
    let index = store.memory_index.as_ref().and_then(|index| partitions[0].part_of_index(index.oid));
    Some(Store {
        is_partitioned: names.is_none(),
        tables_of_memory: names.map(|[entries, contexts, entry_access]| TablesOfMemory {
            entries,
            contexts,
            entry_access,
            partitions: Some(oids),
        }),
        partition: Some(Partition { entries: oids[0], memory_index: index }),
        ..store.clone()
    })
}
