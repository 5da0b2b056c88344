//! A store that has lost its entries but has its contexts and counts: `DROP TABLE ... CASCADE` of an adopted table also
//! drops the view. The comment on `entry_access` says how the table was adopted.

use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement, Writer};
use crate::pg::sql_text::filled;

const LOST: &str = include_str!("lost.sql");

/// A string literal as `quote_literal` writes it: with its escapes and no others, so that the server sees the same end.
const LITERAL: &str = r"(?: ?E'(?:[^'\\]|''|\\\\)*'|'(?:[^'\\]|'')*')";

/// The remains of a store.
#[derive(Debug)]
pub struct Lost {
    /// The statement that adopts the table again, if the store adopted one.
    pub adoption: Option<String>,
    /// The statement that moves the table back to which the store's other tables refer, if it was renamed.
    moved: Option<String>,
}

/// The remains of a store that lost its entries; `None` for any other store.
pub fn find(reader: &Reader<'_>, name: &StoreName) -> Result<Option<Lost>> {
    let mut statement = Statement::default();
    let (named, adoption) = (statement.bind(Param::text(name)), statement.bind(Param::text(arguments_of_adoption())));
    let statement = statement.with(filled(LOST, &[("{name}", &named), ("{adoption}", &adoption)]));
    reader.first(&statement, |row| Ok(Lost { adoption: row.text(1)?, moved: row.text(2)? }))
}

/// A regular expression that finds the arguments behind the first one in the statement that adopted the table. The
/// table's owner can write any comment, so nothing but arguments of this one call is taken from it.
fn arguments_of_adoption() -> String {
    format!(r"SELECT memory_adopt_table\({LITERAL}((?:, (?:[a-z_]+ => )?(?:{LITERAL}|true|false|NULL))+\);?)\s*$")
}

impl Lost {
    /// The statement that restores the entries, if one can.
    pub fn fix(self) -> Option<String> {
        self.adoption.or(self.moved)
    }

    /// Refuses to work with it (42P01), with a hint how to restore its entries.
    pub fn refusal(&self, name: &StoreName) -> Error {
        let message = match (&self.adoption, &self.moved) {
            (Some(_), _) => format!(
                "store \"{name}\" lacks the relation entries: the view of the adopted table was dropped, perhaps with \
                 the table"
            ),
            (None, Some(_)) => format!("store \"{name}\" lacks the relation entries: the table was renamed or moved"),
            _ => format!("store \"{name}\" lacks the relation entries; contexts and access counts are left"),
        };
        let name = name.replace('\'', "''");
        Error::new(ErrorKind::UndefinedTable, message).hint(match (&self.adoption, &self.moved) {
            (Some(adoption), _) => format!(
                "Adopt the table, or one like it, again: the store keeps its contexts and access counts. This \
                 statement names the table and its columns as they were at the adoption: {adoption}"
            ),
            (None, Some(moved)) => format!("Its other tables refer to that table. Move it back: {moved}"),
            _ => format!("SELECT memory_drop_store('{name}', force => true); removes the remaining tables."),
        })
    }
}

/// Records how a table was adopted.
pub fn remember_adoption(
    writer: &mut Writer<'_>,
    (name, schema): (&StoreName, &QuotedIdentifier),
    table: &QualifiedName,
    columns: &str,
    language: &str,
) -> Result<()> {
    let mut statement = Statement::default();
    let [name, table, columns, language] =
        [&**name, &**table, columns, language].map(|value| statement.bind(Param::text(value)));
    let statement = statement.with(format!(
        "SELECT pg_catalog.quote_literal(pg_catalog.format('memory_search: how often entries were used, those of: \
           SELECT memory_adopt_table(%L, %L, %L, %L);', {name}, {table}, {columns}, {language}))"
    ));
    let comment = writer.only(&statement, |row| row.required_text(1))?;
    writer.define(&format!("COMMENT ON TABLE {} IS {comment}", schema.relation("entry_access")))
}
