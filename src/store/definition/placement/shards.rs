//! Stores whose rows are in Citus shards. A table of such a store is a shell, empty or with rows that were left behind;
//! the rows of a memory are in a table next to it, whose name has the shard's number. On its own node a shard takes the
//! place of its table as a partition does: statements name the table, so that its privileges and policies hold, and are
//! planned for the shard; pages of the shard are read in place.
//!
//! This code is not linked to Citus: its catalogs and functions are looked up by name, if they exist. When a shard is
//! moved, split or dropped, Citus makes every session reload the definition of the table; [`kept`] receives the same
//! invalidation.

use std::rc::Rc;

use memory_search_core::request::names::MemoryId;
use memory_search_core::{Error, ErrorKind, Result};

use super::kept::{self, Key};
use super::led;
use crate::pg::attribute::Attribute;
use crate::pg::open_relation::{self, OpenRelation};
use crate::pg::param::Param;
use crate::pg::partition::Part;
use crate::pg::snapshot;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{Partition, Store};

const SHARD_OF_MEMORY: &str = include_str!("shard_of_memory.sql");
const FIND_SHARDS: &str = include_str!("shards.sql");

/// The most look-ups of a placement that keeps changing; after that Citus routes the statements.
const MOST_LOOKS: usize = 8;

/// The store with the shards that hold a memory. `None` if: they are not all on this node; a shard differs from its
/// table in its columns or, for callers that policies bind, in these; the caller may not read it; or the transaction
/// may have written to it in another session of this node. Then statements on the tables are right, which Citus sends
/// to the nodes with the rows.
///
/// A shard that arrived here after the snapshot of the caller is refused (40001): its rows may be hidden from that
/// snapshot, and an answer without them would look like the answer of an empty memory.
pub fn of_memory(reader: &Reader<'_>, store: &Rc<Store>, memory_id: &MemoryId) -> Result<Option<Rc<Store>>> {
    if store.is_adopted() || store.read_from.entry_access == 0 {
        return Ok(None);
    }
    for _ in 0..MOST_LOOKS {
        let Some(shard) = shard_of(reader, store, memory_id)? else { return Ok(None) };
        let key = Key::Shard { table: store.read_from.entries, shard };
        let found =
            kept::get_or_place(store, key, || spi::with_catalogs_as_they_stand(|| placed(reader, store, memory_id)))?;
        let partition = found.as_ref().and_then(|placed| placed.partition);
        let Some((placed, partition)) = found.clone().zip(partition) else { return Ok(None) };
        let Partition { parts, are_policies_alike, arrived_by, .. } = partition;
        // After the locks are taken, changes committed before them are known.
        if !parts.iter().all(|part| open_relation::lock(part.partition)) || !kept::is_kept(key, &found) {
            continue;
        }
        let may_read = |part: &Part| open_relation::may_read(part.partition);
        let is_bound =
            |part: &Part| [part.table, part.partition].into_iter().any(open_relation::has_policies_for_caller);
        if !parts.iter().all(may_read) || (!are_policies_alike && parts.iter().any(is_bound)) {
            return Ok(None);
        }
        if arrived_by.into_iter().any(|transaction| transaction != 0 && snapshot::lacks(transaction)) {
            return Err(came_meanwhile(store, shard));
        }
        return Ok(Some(placed));
    }
    Ok(None)
}

/// The shard of entries with a memory, if there is one. `None` also if another session of this transaction, which Citus
/// has opened to its own node, may have written rows.
fn shard_of(reader: &Reader<'_>, store: &Store, memory_id: &MemoryId) -> Result<Option<i64>> {
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let memory = statement.bind(Param::text(memory_id));
    let statement = statement.with(filled(SHARD_OF_MEMORY, &[("{entries}", &entries), ("{memory}", &memory)]));
    let found = reader.first(&statement, |row| Ok((row.integer(1), row.integer(2))))?;
    Ok(found.and_then(|(shard, transaction)| {
        let is_in_this_session_alone = transaction.is_none_or(|number| number == 0);
        shard.filter(|_| is_in_this_session_alone || led::is_here())
    }))
}

fn placed(reader: &Reader<'_>, store: &Store, memory_id: &MemoryId) -> Result<Option<Store>> {
    let mut found = Vec::new();
    reader.rows(&find(store, memory_id), |row| {
        let oid = |number| Ok::<_, Error>(row.integer(number).and_then(|oid| u32::try_from(oid).ok()));
        found.push((oid(1)?, oid(2)?, row.integer(3), row.boolean(4) == Some(true), oid(5)?.unwrap_or(0)));
        Ok(())
    })?;
    let tables = [store.read_from.entries, store.read_from.contexts, store.read_from.entry_access];
    let (mut parts, mut are_policies_alike) = (Vec::new(), true);
    for (table, (shard, _, count, are_alike, _)) in tables.iter().zip(&found) {
        let (Some(table), Some(shard)) = (OpenRelation::new(*table), shard.and_then(OpenRelation::new)) else {
            return Ok(None);
        };
        let Some(key) = Attribute::named(&table, c"memory_id") else { return Ok(None) };
        if !shard.holds_all_rows() || !shard.can_stand_for(&table) {
            return Ok(None);
        }
        are_policies_alike &= *are_alike && shard.is_ruled_as(&table);
        let of = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
        parts.push(Part { table: table.oid(), key: key.number(), partition: shard.oid(), of });
    }
    let Ok(parts) = <[Part; 3]>::try_from(parts) else { return Ok(None) };
    let partition = Partition {
        parts,
        memory_index: found[0].1,
        contexts_index: found[1].1,
        are_policies_alike,
        arrived_by: [found[0].4, found[1].4, found[2].4],
    };
    Ok(Some(Store { partition: Some(partition), ..store.clone() }))
}

fn find(store: &Store, memory_id: &MemoryId) -> Statement {
    let mut statement = Statement::default();
    let oids = |oids: [u32; 3]| Param::Texts(oids.map(|oid| oid.to_string()).into());
    let index = |index: &Option<crate::store::definition::MemoryIndex>| index.as_ref().map_or(0, |index| index.oid);
    let of = store.read_from;
    let tables = statement.bind(oids([of.entries, of.contexts, of.entry_access]));
    let indexes = statement.bind(oids([index(&store.memory_index), index(&store.contexts_index), 0]));
    let memory = statement.bind(Param::text(memory_id));
    statement.with(filled(FIND_SHARDS, &[("{tables}", &tables), ("{indexes}", &indexes), ("{memory}", &memory)]))
}

fn came_meanwhile(store: &Store, shard: i64) -> Error {
    let message = format!("a shard of store {} came to this node after the snapshot of this search", store.schema);
    Error::new(ErrorKind::ChangedMeanwhile, message)
        .detail(format!("It is shard {shard} or a neighbour of it; the snapshot may see none of its rows."))
        .hint("Try again, in REPEATABLE READ or SERIALIZABLE in a new transaction.")
}
