//! Whether a column of an adopted table is a key by itself: then no id is missing or occurs twice.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;

const IS_KEY: &str = include_str!("is_key.sql");

/// A column of a table.
pub enum KeyColumn<'a> {
    /// A column by its name.
    Named(&'a str),
    /// A column by its number.
    Numbered(i16),
}

/// Whether it is a key: an index on it holds all rows and refuses a second row with the value at once.
pub fn is_key(reader: &Reader<'_>, table: u32, column: &KeyColumn<'_>) -> Result<bool> {
    let mut statement = Statement::default();
    let oid = statement.bind(Param::Integer(Some(i64::from(table))));
    let is_column = match column {
        KeyColumn::Named(name) => {
            format!("a.attname OPERATOR(pg_catalog.=) {}", statement.bind(Param::text(*name)))
        }
        KeyColumn::Numbered(number) => {
            let number = statement.bind(Param::Integer(Some(i64::from(*number))));
            format!("a.attnum OPERATOR(pg_catalog.=) {number}")
        }
    };
    let statement = statement.with(filled(IS_KEY, &[("{oid}", &oid), ("{is_column}", &is_column)]));
    Ok(reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true))
}
