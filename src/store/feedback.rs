//! What users say of entries: that they helped, or did not.

use memory_search_core::Result;
use memory_search_core::filter::visibility;
use memory_search_core::request::names::{MemoryId, StoreName};

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition;
use crate::store::predicate::{Rows, at_present};
use crate::store::touch::in_order;

const FEEDBACK: &str = include_str!("feedback.sql");

/// Adds one to what was said so of each entry that is present; gives how many were.
pub fn add(store_name: &StoreName, memory_id: &MemoryId, entry_ids: Vec<String>, is_helpful: bool) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    store.require_feedback("memory_feedback")?;
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let memory = store.memory(&mut statement, memory_id);
    let ids = statement.bind(Param::Texts(entry_ids));
    let is_among = store.is_among("e.entry_id", &ids);
    let present = Rows::entries(&store, "e").and(&mut statement, &visibility::present(at_present()));
    let statement = statement.with(filled(
        FEEDBACK,
        &[
            ("{entries}", &store.relation("entries")),
            ("{memory}", &memory),
            ("{of_memory}", &of_memory),
            ("{is_among}", &is_among),
            ("{present}", &present),
            ("{order}", in_order(&store)?),
            ("{access}", &store.relation("entry_access")),
            ("{column}", if is_helpful { "helpful" } else { "unhelpful" }),
        ],
    ));
    spi::write(|writer| writer.execute(&statement))
}
