//! Deletes the entries that filters select, or lists them in a dry run.

use memory_search_core::filter::number_ranges::beyond_ranges;
use memory_search_core::filter::visibility;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::{Error, Result};

use crate::pg::spi::{self, Statement};
use crate::store::definition::{self, known_aliases, placement};
use crate::store::lifecycle::delete::deletion;
use crate::store::predicate::{Rows, at_present};
use crate::store::reading::condition_of;

/// Returns the ids of the visible entries that pass the filters; deletes these entries unless this
/// is a dry run.
pub fn delete_where(
    store_name: &StoreName,
    memory_id: &MemoryId,
    filters: &str,
    is_dry_run: bool,
) -> Result<Vec<String>> {
    let filters = condition_of(Some(filters))?;
    let store = placement::to_change(&spi::read(|reader| definition::store(reader, store_name))?, memory_id)?;
    store.require_own_entries("memory_delete_where")?;
    store.require_keys_for(&filters)?;
    let filters = spi::read(|reader| known_aliases::applied(reader, &store, memory_id, filters))?;
    let rows = Rows::entries(&store, "r").of_memory(memory_id);
    // Null from a client's empty variable is no filter either, and must not delete a whole memory.
    if rows.sql(&mut Statement::default(), &beyond_ranges(&filters)) == "true" {
        return Err(Error::invalid("filters must select entries, but these have no condition on an entry").hint(
            "Give a filter that some entries do not pass; memory_delete(..., whole_memory => true) deletes a memory.",
        ));
    }
    let is_meant = |statement: &mut Statement| {
        let visible = rows.and(statement, &visibility::visible(at_present()));
        format!("{visible}{}", rows.and(statement, &filters))
    };
    let mut ids = Vec::new();
    let mut take = |id: String| ids.push(id);
    if is_dry_run {
        let mut statement = Statement::default();
        let of_memory = store.of_memory(&mut statement, "r", memory_id);
        let is_meant = is_meant(&mut statement);
        let entries = store.relation("entries");
        let statement =
            statement.with(format!("SELECT r.entry_id::pg_catalog.text FROM {entries} r WHERE {of_memory}{is_meant}"));
        spi::read(|reader| {
            reader.scan(&statement, |row| {
                take(row.required_text(1)?);
                Ok(())
            })
        })?;
    } else {
        let deletion = deletion(&store, memory_id, is_meant);
        spi::write(|writer| {
            deletion.returning(writer, |row| {
                take(row.required_text(1)?);
                Ok(())
            })
        })?;
    }
    ids.sort_unstable();
    Ok(ids)
}
