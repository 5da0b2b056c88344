//! Contexts of other users that came with entries of a user who is forgotten: an entry may have become the user's after
//! it brought the context. Such a context goes to an entry of its own user that carries it too.

use memory_search_core::Result;
use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::visibility;

use crate::pg::param::Param;
use crate::pg::spi::{Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::predicate::{Rows, at_present};
use crate::store::statements::by_memory::{Part, Within};

/// The foreign key locks an entry that gets a context, and refuses the change if another session has removed this entry
/// meanwhile.
const HANDED: &str = include_str!("forget_handed.sql");

/// The parts of the removal that hand contexts on; empty if there are none.
#[derive(Default)]
pub struct HandedOn {
    handed: String,
    but_handed: &'static str,
    less_handed: &'static str,
    /// The further columns of the contexts that the removal locks.
    pub and_texts: &'static str,
}

impl HandedOn {
    /// For the removal of a user's entries; `user` is the parameter with the user's id.
    pub fn of(store: &Store, statement: &mut Statement, within: &Within, user: &str) -> HandedOn {
        let is_deleted = Rows::entries(store, "o").sql(statement, &visibility::deleted(at_present()));
        let marks: [(&str, &str); 6] = [
            ("{contexts}", &store.relation("contexts")),
            ("{entries}", &store.relation("entries")),
            ("{is_deleted}", &is_deleted),
            ("{user}", user),
            ("{in_o}", &within.and("o")),
            ("{in_r}", &within.and("r")),
        ];
        HandedOn {
            handed: filled(HANDED, &marks),
            but_handed: " AND ((r.memory_id, r.context_id) OPERATOR(pg_catalog.=) ANY (TABLE handed)) IS NOT TRUE",
            less_handed: " OPERATOR(pg_catalog.-) (SELECT pg_catalog.count(*) FROM handed)",
            and_texts: ", r.user_id, r.context",
        }
    }

    /// The marks of the removal.
    pub fn marks(&self) -> [(&str, &str); 3] {
        [("{handed}", &self.handed), ("{but_handed}", self.but_handed), ("{less_handed}", self.less_handed)]
    }
}

/// Whether entries of the user, which meet a condition, brought contexts of other users.
pub fn is_any(
    writer: &mut Writer<'_>,
    store: &Store,
    part: &Part,
    (user_id, of_user): (&str, &Condition),
) -> Result<bool> {
    let mut statement = Statement::default();
    let user = statement.bind(Param::text(user_id));
    let of_user = Rows::entries(store, "r").sql(&mut statement, of_user);
    let within = part.bind(&mut statement);
    let statement = statement.with(format!(
        "SELECT EXISTS (SELECT FROM {} r JOIN {} c \
           ON (c.memory_id, c.entry_id) OPERATOR(pg_catalog.=) (r.memory_id, r.entry_id){} \
          WHERE {of_user}{} AND c.user_id IS DISTINCT FROM {user})",
        store.relation("entries"),
        store.relation("contexts"),
        within.and("c"),
        within.and("r")
    ));
    writer.only(&statement, |row| Ok(row.boolean(1) == Some(true)))
}
