//! Links between the entries of a memory: made, removed, read, and followed to what is related.
//!
//! A link shows while both of its ends are present and seen by the caller. One that is corrected is read as the entry
//! that corrects it ([`ends`]), so that links go on with what is told anew.

mod ends;
pub mod export;
pub mod import;
mod link;
mod links_of;
mod of_going;
mod related;
mod unlink;

pub use link::{NewLink, link};
pub use links_of::{Asked, Direction, links_of};
pub use of_going::LinksOfGoing;
pub use related::{Wanted, related};
pub use unlink::unlink;

use memory_search_core::Result;
use memory_search_core::filter::visibility;
use memory_search_core::timestamp::Micros;

use crate::pg::param::Param;
use crate::pg::settings;
use crate::pg::spi::Statement;
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::predicate::{Rows, at_present};

const STEP: &str = include_str!("step.sql");

/// Runs `work`, whose statements are about one memory: a plan for any memory would lock every partition.
fn of_one_memory<T>(store: &Store, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let is_partitioned = store.is_partitioned || store.tables_by_memory.is_some();
    if is_partitioned { settings::with(c"plan_cache_mode", c"force_custom_plan", work) } else { work() }
}

/// The links that show of entries: which ones, and how many of an entry each way.
struct Followed<'a> {
    /// `None` is every kind.
    kinds: Option<&'a [String]>,
    valid_at: Micros,
    of_entry: usize,
    directions: &'a [Direction],
}

impl Followed<'_> {
    /// A query of the links of the entries in a text[] parameter, by their places in it, those of an entry from the
    /// heaviest on. What the other end is comes with each, so that it need not be looked up again.
    fn statement(&self, store: &Store, memory_id: &str, ids: Vec<String>) -> Statement {
        let mut statement = Statement::default();
        let ids = statement.bind(Param::Texts(ids));
        let rows = statement.bind(Param::Integer(Some(self.of_entry as i64)));
        let valid_at = statement.bind(Param::Timestamp(Some(self.valid_at)));
        let of_kinds = match self.kinds {
            None => String::new(),
            Some(kinds) => {
                let kinds = statement.bind(Param::Texts(kinds.to_vec()));
                format!(" AND l.kind OPERATOR(pg_catalog.=) ANY ({kinds})")
            }
        };
        let (entries, links) = (store.relation("entries"), store.relation("links"));
        let present =
            Rows::entries(store, "e").of_memory(memory_id).and(&mut statement, &visibility::present(at_present()));
        let steps: Vec<String> = self
            .directions
            .iter()
            .map(|direction| {
                let (own, other) = match direction {
                    Direction::From => ("from_entry", "to_entry"),
                    Direction::To => ("to_entry", "from_entry"),
                    Direction::Both => unreachable!("it is two"),
                };
                let (link_of_memory, entry_of_memory) =
                    (store.of_memory(&mut statement, "l", memory_id), store.of_memory(&mut statement, "e", memory_id));
                filled(
                    STEP.trim_end(),
                    &[
                        ("{ids}", &ids),
                        ("{id_type}", &store.ids.entry.to_string()),
                        ("{is_from}", if *direction == Direction::From { "true" } else { "false" }),
                        ("{links}", &links),
                        ("{entries}", &entries),
                        ("{link_of_memory}", &link_of_memory),
                        ("{entry_of_memory}", &entry_of_memory),
                        ("{own}", own),
                        ("{other}", other),
                        ("{of_kinds}", &of_kinds),
                        ("{valid_at}", &valid_at),
                        ("{the_other}", &store.keyed("e", "entry_id", &format!("l.{other}"), &present)),
                        ("{rows}", &rows),
                    ],
                )
            })
            .collect();
        statement.with(steps.join("\nUNION ALL\n"))
    }
}
