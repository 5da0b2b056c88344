//! The links of entries that are removed, as part of the statement that removes these.

use memory_search_core::Result;

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{Store, TablesOfLinks};
use crate::store::statements::by_memory::Within;

/// Two sessions whose entries go may share links: each locks these in one order, and the foreign key finds none.
const OF_GOING: &str = include_str!("of_going.sql");

/// The table whose rows are removed with entries. `None` if there is none, or if the caller may not remove them:
/// then the foreign key does, in the name of its owner.
pub struct LinksOfGoing(Option<QualifiedName>);

impl LinksOfGoing {
    /// Without a table: rows of links are not removed here.
    pub fn none() -> Self {
        LinksOfGoing(None)
    }

    /// The links of a store.
    pub fn of(store: &Store) -> Result<Self> {
        match Self::table_of(store)? {
            Some(links) if may_remove(&links)? => Ok(LinksOfGoing(Some(links))),
            _ => Ok(LinksOfGoing(None)),
        }
    }

    /// The table of a store's links, if it has one, also if the caller may not remove rows of it.
    pub fn table_of(store: &Store) -> Result<Option<QualifiedName>> {
        let there = spi::read(|reader| TablesOfLinks::find(reader, &store.schema))?;
        Ok(there.links.map(|_| store.relation("links")))
    }

    /// The table, if rows of it are removed here.
    pub fn table(&self) -> Option<&QualifiedName> {
        self.0.as_ref()
    }

    /// Common table expressions that remove the links of the entries in `going`, which is one before them.
    pub fn removed_with(&self, going: &str, within: &Within) -> String {
        let Some(links) = &self.0 else { return String::new() };
        filled(OF_GOING, &[("{going}", going), ("{links}", links), ("{in_l}", &within.and("l"))])
    }

    /// The number of removed links, as SQL.
    pub fn count(&self) -> &'static str {
        if self.0.is_some() { "(SELECT pg_catalog.count(*) FROM unlinked)" } else { "0::pg_catalog.int8" }
    }
}

/// Whether the caller may lock rows and remove them.
fn may_remove(links: &QualifiedName) -> Result<bool> {
    let mut statement = Statement::default();
    let name = statement.bind(Param::text(links));
    let statement = statement.with(format!(
        "SELECT pg_catalog.has_table_privilege({name}, 'DELETE') \
            AND pg_catalog.has_table_privilege({name}, 'SELECT') \
            AND pg_catalog.has_any_column_privilege({name}, 'UPDATE')"
    ));
    let found = spi::read(|reader| reader.first(&statement, |row| Ok(row.boolean(1))))?;
    Ok(found.flatten() == Some(true))
}
