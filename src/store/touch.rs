//! Counts accesses: the only thing that feeds popularity.

use memory_search_core::Result;
use memory_search_core::filter::visibility;

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition;
use crate::store::predicate::{Rows, at_present};
use crate::store::row_locks::may_lock;

const TOUCH: &str = include_str!("touch.sql");

/// Adds one to the access count of each entry that is present; gives how many were.
pub fn touch(store_name: &str, memory_id: &str, entry_ids: Vec<String>) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let ids = statement.bind(Param::Texts(entry_ids));
    let is_among = store.is_among("e.entry_id", &ids);
    let entries = store.relation("entries");
    // In the order of ids, so that two sessions that touch the same entries never wait for each other in
    // a circle. Entries are kept from being removed meanwhile, which the foreign key would refuse; that
    // takes the privilege to change them. An adopted table may hold an id twice, and has no foreign key.
    let order = match store.adopted_from {
        Some(_) => "GROUP BY e.memory_id, e.entry_id ORDER BY e.entry_id",
        None if may_lock(&entries)? => "ORDER BY e.entry_id FOR KEY SHARE",
        None => "ORDER BY e.entry_id",
    };
    let present = Rows::entries(&store, "e").and(&mut statement, &visibility::present(at_present()));
    let statement = statement.with(filled(
        TOUCH,
        &[
            ("{entries}", &entries),
            ("{of_memory}", &of_memory),
            ("{is_among}", &is_among),
            ("{present}", &present),
            ("{order}", order),
            ("{access}", &store.relation("entry_access")),
        ],
    ));
    spi::write(|writer| writer.execute(&statement))
}
