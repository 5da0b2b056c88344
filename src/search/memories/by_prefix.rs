//! The memories whose ids begin with prefixes, bytewise. The ids are read once, for any number of prefixes. If the
//! index is in bytewise order, the search jumps in it to each memory of a prefix. Otherwise it passes over all
//! memories.

use memory_search_core::bounds_and_defaults::MAX_SEARCHED_MEMORIES;
use memory_search_core::filter::condition::When;
use memory_search_core::filter::visibility;
use memory_search_core::request::prefix_set::PrefixSet;
use memory_search_core::{Error, Result};

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::predicate::Rows;

const HOPS: &str = include_str!("hops.sql");
const WALK: &str = include_str!("walk.sql");
const LIVE: &str = include_str!("live.sql");
const DISTINCT: &str = include_str!("distinct.sql");

/// The ids that a pass reads at a time, so that a store with many memories needs little RAM here.
const WALKED: i64 = 10_000;

/// The order of the keys' collation, which is the database's.
const IS_ORDER_OF_BYTES: &str = "\
    SELECT d.datlocprovider OPERATOR(pg_catalog.=) 'b' \
        OR d.datlocprovider OPERATOR(pg_catalog.=) 'c' \
           AND d.datcollate OPERATOR(pg_catalog.=) ANY ('{C,POSIX}'::pg_catalog.text[]) \
      FROM pg_catalog.pg_database d WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()";

/// The rows to read.
pub struct ByPrefix<'a> {
    pub reader: &'a Reader<'a>,
    pub store: &'a Store,
    /// `entries` or `contexts`.
    pub relation: &'a str,
    /// The time at which a memory has rows that are not deleted.
    pub when: When,
}

impl ByPrefix<'_> {
    /// Calls `each` with the id of every memory that has rows which the caller sees and which are not deleted, in any
    /// order; `each` refuses too many.
    pub fn each(&self, prefixes: &PrefixSet, each: &mut dyn FnMut(String) -> Result<()>) -> Result<()> {
        // An adopted table need not have an index in the order of its memories' ids, and rows in several tables have
        // none.
        if self.store.is_partitioned || (self.relation == "entries" && self.store.is_adopted()) {
            return self.all_at_once(prefixes, each);
        }
        let is_order_of_bytes = Statement::default().with(IS_ORDER_OF_BYTES.to_owned());
        if self.reader.only(&is_order_of_bytes, |row| Ok(row.boolean(1) == Some(true)))? {
            return prefixes.iter().try_for_each(|prefix| self.hop(prefix, each));
        }
        self.walk(prefixes, each)
    }

    fn all_at_once(&self, prefixes: &PrefixSet, each: &mut dyn FnMut(String) -> Result<()>) -> Result<()> {
        let mut statement = Statement::default();
        let live = self.live(&mut statement);
        let statement = statement.with(self.filled(DISTINCT, &live, &[]));
        self.reader.scan(&statement, |row| match row.text(1)? {
            Some(id) if prefixes.matches(&id) => each(id),
            _ => Ok(()),
        })
    }

    fn hop(&self, prefix: &str, each: &mut dyn FnMut(String) -> Result<()>) -> Result<()> {
        let mut statement = Statement::default();
        let live = self.live(&mut statement);
        let prefix = statement.bind(Param::text(prefix));
        let most = most(&mut statement);
        let statement = statement.with(self.filled(HOPS, &live, &[("{prefix}", &prefix), ("{most}", &most)]));
        self.store.in_index_order(|| self.reader.scan(&statement, |row| each(row.required_text(1)?)))
    }

    fn walk(&self, prefixes: &PrefixSet, each: &mut dyn FnMut(String) -> Result<()>) -> Result<()> {
        let mut last: Option<String> = None;
        loop {
            let mut statement = Statement::default();
            let from = statement.bind(Param::Text(last.take()));
            let most = statement.bind(Param::Integer(Some(WALKED)));
            let statement = statement.with(self.filled(WALK, "", &[("{last}", &from), ("{most}", &most)]));
            let (mut walked, mut matching) = (0, Vec::new());
            self.store.in_index_order(|| {
                self.reader.scan(&statement, |row| {
                    let id = row.required_text(1)?;
                    if prefixes.matches(&id) {
                        matching.push(id.clone());
                    }
                    walked += 1;
                    last = Some(id);
                    Ok::<_, Error>(())
                })
            })?;
            if !matching.is_empty() {
                self.living(matching, each)?;
            }
            if walked < WALKED {
                return Ok(());
            }
        }
    }

    fn living(&self, ids: Vec<String>, each: &mut dyn FnMut(String) -> Result<()>) -> Result<()> {
        let mut statement = Statement::default();
        let live = self.live(&mut statement);
        let ids = statement.bind(Param::Texts(ids));
        let most = most(&mut statement);
        let statement = statement.with(self.filled(LIVE, &live, &[("{ids}", &ids), ("{most}", &most)]));
        self.store.in_index_order(|| self.reader.scan(&statement, |row| each(row.required_text(1)?)))
    }

    /// The condition that a row `r` is not deleted, as SQL after AND.
    fn live(&self, statement: &mut Statement) -> String {
        let rows = match self.relation {
            "entries" => Rows::entries(self.store, "r"),
            _ => Rows::contexts(self.store, "r"),
        };
        rows.and(statement, &visibility::not_deleted(self.when))
    }

    fn filled(&self, sql: &str, live: &str, others: &[(&str, &str)]) -> String {
        let relation = self.store.relation(self.relation).to_string();
        let mut values = vec![("{relation}", relation.as_str()), ("{live}", live)];
        values.extend_from_slice(others);
        filled(sql, &values)
    }
}

/// One more than the most memories of a search, to notice that there are too many.
fn most(statement: &mut Statement) -> String {
    statement.bind(Param::Integer(Some(MAX_SEARCHED_MEMORIES as i64 + 1)))
}
