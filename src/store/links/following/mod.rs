//! Following links from entries to others: the links that a caller sees, the entries at their other ends, and the
//! breadth-first search.

pub mod ends;
pub mod walk;

pub use walk::Walk;

use memory_search_core::Result;
use memory_search_core::filter::condition::When;
use memory_search_core::filter::visibility;
use memory_search_core::json_fields::Choice;
use memory_search_core::timestamp::Micros;

use crate::pg::param::Param;
use crate::pg::settings;
use crate::pg::spi::Statement;
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::predicate::Rows;

const LINKS: &str = include_str!("links.sql");
const STEP: &str = include_str!("step.sql");

/// The direction of a link, seen from an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Direction {
    From,
    To,
    Both,
}

impl Choice for Direction {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("both", Direction::Both), ("from", Direction::From), ("to", Direction::To)];
}

impl Direction {
    /// The one or two directions that it consists of; never [`Direction::Both`].
    pub fn each(self) -> &'static [Direction] {
        match self {
            Direction::Both => &[Direction::From, Direction::To],
            Direction::From => &[Direction::From],
            Direction::To => &[Direction::To],
        }
    }
}

/// Runs `work`, whose statements are about one memory: a plan for any memory would lock every partition.
pub fn of_one_memory<T>(store: &Store, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let is_partitioned = store.is_partitioned || store.tables_by_memory.is_some();
    if is_partitioned { settings::with(c"plan_cache_mode", c"force_custom_plan", work) } else { work() }
}

/// The links of entries that are followed: their kinds and directions, and the number of an entry.
pub struct Followed<'a> {
    /// `None` is every kind.
    pub kinds: Option<&'a [String]>,
    /// The instant at which they are valid.
    pub valid_at: Micros,
    /// The instant at which the entries at their other ends are present.
    pub when: When,
    /// The most links of an entry in each direction.
    pub of_entry: usize,
    /// The directions; never [`Direction::Both`], which is two.
    pub directions: &'a [Direction],
}

impl Followed<'_> {
    /// A query for the links of the entries in a text[] parameter, each with the entry's place in the list. The links
    /// of an entry in one direction are ordered from the heaviest on. Each row has the entry at the other end, so that
    /// no second look-up is necessary.
    pub fn statement(&self, store: &Store, memory_id: &str, ids: Vec<String>) -> Statement {
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
        let others = Rows::entries(store, "e").of_memory(memory_id);
        let present = others.and(&mut statement, &visibility::present(self.when));
        let superseded_by = others.superseded_by(&mut statement, self.when);
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
                let step = filled(
                    STEP,
                    &[
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
                        ("{superseded_by}", &superseded_by),
                    ],
                );
                // In parentheses, because each has an order and a limit.
                format!("({step})")
            })
            .collect();
        let steps = steps.join(" UNION ALL ");
        let id_type = store.ids.entry.to_string();
        let links = filled(LINKS, &[("{ids}", &ids), ("{id_type}", &id_type), ("{steps}", &steps)]);
        statement.with(links)
    }
}
