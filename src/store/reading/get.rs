//! Gets entries by their ids.

use std::collections::{HashMap, HashSet};

use memory_search_core::bounds_and_defaults;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::request::shown_entries::ShownEntries;
use memory_search_core::{Error, ErrorKind, Result};

use super::entry::{self, Entry, Gathered};
use super::of_memory;
use crate::pg::clock;
use crate::pg::param::Param;
use crate::pg::spi::Statement;
use crate::store::predicate::Rows;

/// The entries with these ids, in the order of the ids, each once; ids without an entry are left
/// out.
pub fn get(store_name: &StoreName, memory_id: &MemoryId, ids: Vec<String>, shown: &ShownEntries) -> Result<Vec<Entry>> {
    if ids.len() > bounds_and_defaults::MAX_ENTRY_IDS {
        let message = format!("entry_ids has {} ids, more than {}", ids.len(), bounds_and_defaults::MAX_ENTRY_IDS);
        return Err(Error::new(ErrorKind::LimitExceeded, message).hint("Ask for them in parts, or use memory_list()."));
    }
    of_memory(store_name, memory_id, |reader, store| {
        // A text that cannot be an id of the store names no entry.
        let mut seen = HashSet::new();
        let mut wanted: Vec<String> = ids.iter().filter_map(|id| store.ids.entry.value(id)).collect();
        wanted.retain(|id| seen.insert(id.clone()));
        let mut statement = Statement::default();
        let rows = Rows::entries(store, "e").of_memory(memory_id);
        let of_memory = store.of_memory(&mut statement, "e", memory_id);
        let ids = statement.bind(Param::Texts(wanted.clone()));
        let when = shown.when(clock::transaction_start());
        let columns = entry::columns(&mut statement, store, &rows, shown, when);
        let is_shown = rows.sql(&mut statement, &shown.condition(when));
        let access = entry::with_access(&mut statement, store, memory_id, "a.access_count");
        let statement = statement.with(format!(
            "SELECT {columns} FROM {} {} WHERE {is_shown}",
            store.wanted(&ids, &of_memory),
            access
        ));
        let (mut found, mut gathered) = (HashMap::new(), Gathered::default());
        store.looking_up(|| {
            reader.scan(&statement, |row| {
                let entry = Entry::read(&row)?;
                gathered.count(&entry)?;
                found.insert(entry.entry_id.clone(), entry);
                Ok(())
            })
        })?;
        Ok(wanted.iter().filter_map(|id| found.remove(id)).collect())
    })
}
