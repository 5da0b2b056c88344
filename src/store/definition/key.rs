//! Keys: whether a column of an adopted table is a key by itself, so that no id is missing or occurs twice, and the
//! index that makes a column unique in a memory.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;

const IS_KEY: &str = include_str!("is_key.sql");
const FIND_KEY: &str = include_str!("find_key.sql");

/// The rows that have a key, as the server writes the condition of the index of keys.
pub const WITH_KEY: &str = "(entry_key IS NOT NULL)";

/// A column of a table.
pub enum KeyColumn<'a> {
    /// A column by its name.
    Named(&'a str),
    /// A column by its number.
    Numbered(i16),
}

/// Whether a column is a key: an index on it holds all rows, and immediately refuses a second row with the same value.
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

/// Finds the name of an index on memory_id and a column that makes the column unique in a memory: over all rows of the
/// table with this OID, or over the rows with a condition as the server writes it.
pub fn unique_in_memory(table: u32, column: &str, rows: &str) -> Statement {
    let mut statement = Statement::default();
    let table = statement.bind(Param::Integer(Some(i64::from(table))));
    let [column, rows] = [column, rows].map(|value| statement.bind(Param::text(value)));
    let table = format!("{table}::pg_catalog.oid");
    statement.with(filled(FIND_KEY, &[("{table}", &table), ("{column}", &column), ("{rows}", &rows)]))
}
