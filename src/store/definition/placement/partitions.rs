//! Stores with tables partitioned by the hash of `memory_id`: all rows of a memory are in one partition of each. The
//! planner searches for it in every statement, which takes longer than searching a small memory; here it is computed.
//!
//! Statements name the tables, so that their privileges and policies hold, and are planned for the partitions
//! ([`crate::pg::partition_plan`]).

use std::rc::Rc;

use memory_search_core::request::names::MemoryId;
use memory_search_core::{Error, ErrorKind, Result};

use super::kept::{self, Key};
use crate::pg::attribute::Attribute;
use crate::pg::open_relation::OpenRelation;
use crate::pg::param::Param;
use crate::pg::partition::{Part, PartitionHash};
use crate::pg::snapshot;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{MemoryIndex, Partition, Store};

const BY_MEMORY: &str = include_str!("by_memory.sql");
const ATTACHED_BY: &str = include_str!("attached_by.sql");

/// The OIDs of entries, contexts and entry_access, if all of them are partitioned by the hash of `memory_id` alone.
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

/// The store with the partitions that hold a memory; `None` if a partition is missing or is partitioned in turn.
pub fn of_memory(store: &Rc<Store>, tables: [u32; 3], memory_id: &MemoryId) -> Result<Option<Rc<Store>>> {
    let Some(found) = found(tables, memory_id) else { return Ok(None) };
    placed_or_kept(store, &found)
}

/// The same for a caller that reads by the snapshot of the calling statement. The partitions are the current ones. Rows
/// of a partition that was attached after the snapshot may be hidden from it, and an answer without them would look
/// like the answer of an empty memory, so this is refused (40001).
pub fn of_memory_in_snapshot(
    reader: &Reader<'_>,
    store: &Rc<Store>,
    tables: [u32; 3],
    memory_id: &MemoryId,
) -> Result<Option<Rc<Store>>> {
    let Some(found) = found(tables, memory_id) else { return Ok(None) };
    let Some(placed) = placed_or_kept(store, &found)? else { return Ok(None) };
    let partitions = found.each_ref().map(|found| found.partition.oid());
    let key = Key::Partitions(partitions);
    // A later statement may read by an older snapshot: that of a cursor, or an imported one.
    let is_seen =
        |transaction: u32| transaction == 0 || !snapshot::is_of_own(transaction) && !snapshot::lacks(transaction);
    if !kept::attached_by(key).is_some_and(|transactions| transactions.into_iter().all(is_seen)) {
        kept::note_attached_by(key, attached_by(reader, store, tables, partitions)?);
    }
    Ok(Some(placed))
}

/// The transactions that attached partitions. One that the snapshot does not see is refused (40001).
fn attached_by(reader: &Reader<'_>, store: &Store, tables: [u32; 3], partitions: [u32; 3]) -> Result<[u32; 3]> {
    let mut statement = Statement::default();
    let oids = |oids: [u32; 3]| Param::Texts(oids.map(|oid| oid.to_string()).into());
    let parents = statement.bind(oids(tables));
    let attached = statement.bind(oids(partitions));
    let statement = statement.with(filled(ATTACHED_BY, &[("{parents}", &parents), ("{attached}", &attached)]));
    let (mut transactions, mut place) = ([0; 3], 0);
    reader.rows(&statement, |row| {
        let Some(transaction) = row.integer(2) else {
            return Err(attached_meanwhile(store, &row.required_text(1)?));
        };
        if let Some(attached_by) = transactions.get_mut(place) {
            *attached_by = u32::try_from(transaction).unwrap_or(0);
        }
        place += 1;
        Ok(())
    })?;
    Ok(transactions)
}

fn attached_meanwhile(store: &Store, new: &str) -> Error {
    let message = format!("a partition of store {} was attached after the snapshot of this search", store.schema);
    Error::new(ErrorKind::ChangedMeanwhile, message)
        .detail(format!("It is {new}; the snapshot may see none of its rows."))
        .hint("Try again, in REPEATABLE READ or SERIALIZABLE in a new transaction.")
}

fn found(tables: [u32; 3], memory_id: &MemoryId) -> Option<[Found; 3]> {
    let hash = PartitionHash::of_text(memory_id)?;
    let [Some(entries), Some(contexts), Some(entry_access)] = tables.map(|table| Found::of(table, hash)) else {
        return None;
    };
    Some([entries, contexts, entry_access])
}

fn placed_or_kept(store: &Rc<Store>, found: &[Found; 3]) -> Result<Option<Rc<Store>>> {
    let partitions = found.each_ref().map(|found| found.partition.oid());
    kept::get_or_place(store, Key::Partitions(partitions), || Ok(placed(store, found)))
}

/// A table and its partition that holds a memory, both open.
struct Found {
    table: OpenRelation,
    partition: OpenRelation,
}

impl Found {
    fn of(table: u32, hash: PartitionHash) -> Option<Found> {
        let table = OpenRelation::new(table)?;
        let partition = OpenRelation::new(table.partition_of(hash)?)?;
        Some(Found { table, partition })
    }

    fn part(&self) -> Option<Part> {
        Some(Part {
            table: self.table.oid(),
            key: Attribute::named(&self.table, c"memory_id")?.number(),
            partition: self.partition.oid(),
            of: self.table.count_of_partitions(),
        })
    }
}

fn placed(store: &Store, found: &[Found; 3]) -> Option<Store> {
    let [Some(entries), Some(contexts), Some(entry_access)] = found.each_ref().map(Found::part) else { return None };
    let part = |index: &Option<MemoryIndex>, of: &Found| of.partition.part_of_index(index.as_ref()?.oid);
    let [memory_index, contexts_index] = [part(&store.memory_index, &found[0]), part(&store.contexts_index, &found[1])];
    Some(Store {
        is_partitioned: !found.iter().all(|found| found.partition.can_stand_for(&found.table)),
        partition: Some(Partition {
            parts: [entries, contexts, entry_access],
            memory_index,
            contexts_index,
            are_policies_alike: true,
            arrived_by: [0; 3],
        }),
        ..store.clone()
    })
}
