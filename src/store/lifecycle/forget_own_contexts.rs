//! Contexts of a user who is forgotten that came with entries of other users by now: such entries have changed their
//! user. The context goes, so the entry loses its text too, which would be found as a context of the entry otherwise.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::lifecycle::entry_keys::EntryKeys;
use crate::store::statements::by_memory::Part;
use crate::store::statements::row_locks::may_change;

const ENTRIES_OF_OTHERS: &str = include_str!("forget_own_contexts/entries.sql");
const LEAVE: &str = include_str!("forget_own_contexts/leave.sql");
/// The condition that an entry `e` of another user has the text of a context `c` that came with it.
const OF_ANOTHER: &str = include_str!("forget_own_contexts/of_another.sql");

/// The contexts of a user in a store.
pub struct OwnContexts<'a> {
    store: &'a Store,
    user_id: &'a str,
}

impl<'a> OwnContexts<'a> {
    /// `None` if contexts of the store do not come with entries, or if the caller may not change the texts of entries.
    pub fn of(store: &'a Store, user_id: &'a str) -> Result<Option<Self>> {
        let may_leave = !store.is_view && may_change(&store.relation("entries"), "context")?;
        Ok(may_leave.then_some(OwnContexts { store, user_id }))
    }

    /// Adds the entries of other users that such contexts came with.
    pub fn add_entries_of_others(&self, writer: &mut Writer<'_>, part: &Part, keys: &mut EntryKeys) -> Result<()> {
        let found = writer.only(&self.statement(part, ENTRIES_OF_OTHERS), |row| Ok((row.texts(1), row.texts(2))))?;
        keys.memories.extend(found.0);
        keys.ids.extend(found.1);
        Ok(())
    }

    /// Removes the texts of such contexts from these entries.
    pub fn leave(&self, writer: &mut Writer<'_>, part: &Part) -> Result<()> {
        writer.execute(&self.statement(part, LEAVE)).map(|_| ())
    }

    fn statement(&self, part: &Part, template: &str) -> Statement {
        let mut statement = Statement::default();
        let user = statement.bind(Param::text(self.user_id));
        let within = part.bind(&mut statement);
        let marks: [(&str, &str); 5] = [
            ("{entries}", &self.store.relation("entries")),
            ("{contexts}", &self.store.relation("contexts")),
            ("{of_another}", &filled(OF_ANOTHER, &[("{user}", &user)])),
            ("{in_c}", &within.and("c")),
            ("{in_e}", &within.and("e")),
        ];
        let text = filled(template, &marks);
        statement.with(text)
    }
}
