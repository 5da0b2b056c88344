//! Corrections of imported entries that lead over entries of the memory in a circle: no search would find these
//! entries. The engine refuses circles within the lines.

use std::collections::HashSet;

use memory_search_core::error::shown;
use memory_search_core::request::entry_rows::ExportedEntry;
use memory_search_core::request::names::MemoryId;
use memory_search_core::{Error, Result};

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;

const CIRCLES: &str = include_str!("circles.sql");

/// An entry of the lines with a correction that is not in the lines.
pub struct Corrected {
    line: String,
    entry_id: String,
    superseded_by: String,
}

/// The entries that may close a circle.
pub fn candidates(entries: &[ExportedEntry]) -> Vec<Corrected> {
    let ids: HashSet<&str> = entries.iter().filter_map(|entry| entry.row.entry_id.as_deref()).collect();
    let candidate = |entry: &ExportedEntry| {
        let superseded_by = entry.superseded_by.as_ref().filter(|id| !ids.contains(id.as_str()))?;
        Some(Corrected {
            line: entry.line.clone(),
            entry_id: entry.row.entry_id.clone()?,
            superseded_by: superseded_by.clone(),
        })
    };
    entries.iter().filter_map(candidate).collect()
}

/// Refuses entries, which are stored by now, whose corrections lead back to themselves (22023). Corrections of a memory
/// are made one after the other, under a lock: the newest snapshot has those that another session made before it released
/// the lock.
pub fn refuse(store: &Store, memory_id: &MemoryId, candidates: &[Corrected]) -> Result<()> {
    if candidates.is_empty() {
        return Ok(());
    }
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let mut ids = |id: fn(&Corrected) -> &String| {
        statement.bind(Param::Texts(candidates.iter().map(|candidate| id(candidate).clone()).collect()))
    };
    let (by, corrected) = (ids(|candidate| &candidate.superseded_by), ids(|candidate| &candidate.entry_id));
    let statement = statement.with(filled(
        CIRCLES,
        &[
            ("{by}", &by),
            ("{corrected}", &corrected),
            ("{entries}", &store.relation("entries")),
            ("{of_memory}", &of_memory),
            ("{the_next}", &store.keyed("e", "entry_id", "c.at", "")),
        ],
    ));
    let look = || spi::read_newest(|reader| reader.only(&statement, |row| Ok(row.integer(1))));
    let place = spi::with_own_changes(look)?;
    let Some(Corrected { line, entry_id, .. }) = place.and_then(|place| candidates.get(place as usize - 1)) else {
        return Ok(());
    };
    let message =
        format!("{line}: entry {entry_id} is superseded by itself, over entries of memory \"{}\"", shown(memory_id));
    Err(Error::invalid(message).hint(
        "Leave supersededBy and supersededTime out, or reinstate the entry of the memory first: \
         memory_supersede(memory_id, entry_id, NULL).",
    ))
}
