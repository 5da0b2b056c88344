//! Feedback of users on entries: they helped, or did not.

use memory_search_core::Result;
use memory_search_core::request::names::{MemoryId, StoreName};

use crate::pg::spi::{self, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{self, placement};
use crate::store::writing::touch::to_count;

const FEEDBACK: &str = include_str!("feedback.sql");

/// Adds one to the count of this feedback for each entry that is present; returns how many were.
pub fn add(store_name: &StoreName, memory_id: &MemoryId, entry_ids: Vec<String>, is_helpful: bool) -> Result<u64> {
    let store = placement::to_change(&spi::read(|reader| definition::store(reader, store_name))?, memory_id)?;
    let mut statement = Statement::default();
    let memory = store.memory(&mut statement, memory_id);
    let those = to_count(&mut statement, &store, memory_id, entry_ids, false)?;
    let statement = statement.with(filled(
        FEEDBACK,
        &[
            ("{memory}", &memory),
            ("{those}", &those),
            ("{access}", &store.relation("entry_access")),
            ("{column}", if is_helpful { "helpful" } else { "unhelpful" }),
        ],
    ));
    store.looking_up(|| spi::write(|writer| writer.execute(&statement)))
}
