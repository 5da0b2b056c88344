//! Contexts of a user who is forgotten whose text is on entries of other users by now: such entries came with the context,
//! or repeated it, and have changed their user since. The context goes, so the entry loses its text too, which would be
//! found as a context of the entry otherwise.

use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::param::Param;
use crate::pg::spi::{Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::lifecycle::entry_keys::EntryKeys;
use crate::store::statements::by_memory::Part;
use crate::store::statements::row_locks::may_change;

const ENTRIES_OF_OTHERS: &str = include_str!("forget_own_contexts/entries.sql");
const LEAVE: &str = include_str!("forget_own_contexts/leave.sql");
/// The entries of other users with the text of a context of the user, of which the memory has no context of their own
/// users.
const OF_ANOTHER: &str = include_str!("forget_own_contexts/of_another.sql");

/// The contexts of a user in a store.
pub struct OwnContexts<'a> {
    store: &'a Store,
    user_id: &'a str,
    /// Whether the caller may remove the texts of entries.
    may_leave: bool,
}

impl<'a> OwnContexts<'a> {
    /// `None` if contexts of the store do not come with entries.
    pub fn of(store: &'a Store, user_id: &'a str) -> Result<Option<Self>> {
        if store.is_view {
            return Ok(None);
        }
        let may_leave = may_change(&store.relation("entries"), "context")?;
        Ok(Some(OwnContexts { store, user_id, may_leave }))
    }

    /// Adds such entries of other users. If there are some and the caller may not remove
    /// their texts, it fails (42501), since erasing must be complete.
    pub fn add_entries_of_others(&self, writer: &mut Writer<'_>, part: &Part, keys: &mut EntryKeys) -> Result<()> {
        let found = writer.only(&self.statement(part, ENTRIES_OF_OTHERS), |row| Ok((row.texts(1), row.texts(2))))?;
        if !self.may_leave && !found.0.is_empty() {
            let entries = self.store.relation("entries");
            let message = format!(
                "entries of other users have contexts of user_id {:?}, and the caller may not update column context of \
                 {entries}",
                self.user_id
            );
            return Err(Error::new(ErrorKind::InsufficientPrivilege, message)
                .hint(format!("GRANT UPDATE (context) ON {entries} to the role, or let the owner call.")));
        }
        keys.memories.extend(found.0);
        keys.ids.extend(found.1);
        Ok(())
    }

    /// Removes the texts of such contexts from these entries.
    pub fn leave(&self, writer: &mut Writer<'_>, part: &Part) -> Result<()> {
        if !self.may_leave {
            return Ok(());
        }
        writer.execute(&self.statement(part, LEAVE)).map(|_| ())
    }

    fn statement(&self, part: &Part, template: &str) -> Statement {
        let mut statement = Statement::default();
        let user = statement.bind(Param::text(self.user_id));
        let within = part.bind(&mut statement);
        let entries = self.store.relation("entries");
        let in_e = within.and("e");
        let marks: [(&str, &str); 6] = [
            ("{entries}", &entries),
            ("{contexts}", &self.store.relation("contexts")),
            ("{user}", &user),
            ("{in_c}", &within.and("c")),
            ("{in_e}", &in_e),
            ("{in_o}", &within.and("o")),
        ];
        let of_another = filled(OF_ANOTHER, &marks);
        let marks: [(&str, &str); 3] = [("{of_another}", &of_another), ("{entries}", &entries), ("{in_e}", &in_e)];
        let text = filled(template, &marks);
        statement.with(text)
    }
}
