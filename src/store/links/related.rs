//! Related entries: those that an entry's links lead to, in both directions, the nearest first. The breadth-first
//! search is bounded in each step, which limits the cost of entries with very many links.

use std::collections::HashMap;

use memory_search_core::bounds_and_defaults::MAX_RESPONSE_BYTES;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, ErrorKind, Result};

use super::following::walk::Reached;
use super::following::{Direction, Walk, of_one_memory};
use crate::pg::clock;
use crate::pg::datum::text;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::store::definition::tables_of_links::required;
use crate::store::definition::{self, Store};

/// The arguments.
#[allow(missing_docs)]
pub struct Wanted {
    pub entry_id: String,
    pub depth: usize,
    /// `None` is every kind.
    pub kinds: Option<Vec<String>>,
    pub entries: usize,
}

/// An entry that links lead to.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Related {
    pub entry_id: String,
    pub hops: usize,
    /// The product of the weights along the heaviest of the paths with so many links.
    pub weight: f64,
    /// The kind of the last link of that path.
    pub kind: String,
    /// The entry before it on that path.
    pub via: String,
    pub raw_entry: String,
    pub summary: Option<String>,
    pub created: Option<Micros>,
    /// Whether other entries may be missing from the answer.
    pub is_cut: bool,
}

/// The related entries, by how many links they are away, then the heaviest path, then the newest, then by id.
pub fn related(store_name: &StoreName, memory_id: &MemoryId, wanted: &Wanted) -> Result<Vec<Related>> {
    spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        required(reader, &store, store_name, "links")?;
        let Some(entry) = store.ids.entry.value(&wanted.entry_id) else { return Ok(Vec::new()) };
        of_one_memory(&store, || {
            let (kinds, valid_at) = (wanted.kinds.as_deref(), clock::transaction_start());
            let mut walk = Walk::new(reader, &store, memory_id, kinds, Direction::Both, valid_at);
            let reached = walk.from(vec![(entry, 1.0)], wanted.depth, wanted.entries)?;
            texts(reader, &store, memory_id, reached, walk.is_cut)
        })
    })
}

/// The entries with their texts, in the same order.
fn texts(
    reader: &Reader<'_>,
    store: &Store,
    memory_id: &MemoryId,
    reached: Vec<Reached>,
    is_cut: bool,
) -> Result<Vec<Related>> {
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let ids = statement.bind(Param::Texts(reached.iter().map(|entry| entry.id.clone()).collect()));
    let statement = statement.with(format!(
        "SELECT e.entry_id::pg_catalog.text, e.raw_entry::pg_catalog.text, e.summary::pg_catalog.text FROM {}",
        store.columns_wanted("e.entry_id, e.raw_entry, e.summary", &ids, &of_memory, "")
    ));
    let (mut found, mut bytes) = (HashMap::new(), 0);
    store.looking_up(|| {
        reader.scan(&statement, |row| {
            let (raw_entry, summary) = (row.text(2)?.unwrap_or_default(), row.text(3)?);
            bytes += raw_entry.len() + summary.as_ref().map_or(0, String::len);
            if bytes > MAX_RESPONSE_BYTES {
                return Err(text::too_much(bytes));
            }
            found.insert(row.required_text(1)?, (raw_entry, summary));
            Ok(())
        })
    })?;
    reached
        .into_iter()
        .map(|entry| {
            let lost = || Error::new(ErrorKind::Internal, "an entry that was read is gone within one snapshot");
            let (raw_entry, summary) = found.remove(&entry.id).ok_or_else(lost)?;
            Ok(Related {
                entry_id: entry.id,
                hops: entry.hops,
                weight: entry.weight,
                kind: entry.kind,
                via: entry.via,
                raw_entry,
                summary,
                created: entry.created,
                is_cut,
            })
        })
        .collect()
}
