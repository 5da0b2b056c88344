//! The columns of a store's relations, as the catalogs have them.

use memory_search_core::Result;

use super::relations::{Named, Relations};
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;

const FIND: &str = include_str!("columns.sql");

/// A column of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnFound {
    /// The OID of the relation.
    relation: u32,
    name: String,
    /// The type.
    pub type_oid: u32,
    /// The type's modifier; -1 if it has none.
    pub modifier: i64,
    /// The type's name in `pg_type`, without a schema; `None` if the type was dropped meanwhile.
    pub type_name: Option<String>,
    /// The type as the server writes it, without its modifier.
    pub type_alone: String,
    /// The type as the server writes it, with its modifier.
    pub type_written: String,
    /// Whether no row lacks a value.
    pub is_never_null: bool,
}

/// The columns of all relations of a store.
pub struct Columns(Vec<ColumnFound>);

impl Columns {
    /// The columns of the existing relations.
    pub fn find(reader: &Reader<'_>, relations: &Relations) -> Result<Self> {
        let mut statement = Statement::default();
        let oids = statement.bind(relations.oids());
        let statement = statement.with(filled(FIND, &[("{relations}", &oids)]));
        let mut found = Vec::new();
        reader.rows(&statement, |row| {
            found.push(ColumnFound {
                relation: row.oid(1).unwrap_or(0),
                name: row.required_text(2)?,
                type_oid: row.oid(3).unwrap_or(0),
                modifier: row.required_integer(4)?,
                type_name: row.text(5)?,
                type_alone: row.required_text(6)?,
                type_written: row.required_text(7)?,
                is_never_null: row.boolean(8) == Some(true),
            });
            Ok(())
        })?;
        Ok(Columns(found))
    }

    /// A column of one of the relations.
    pub fn get(&self, relations: &Relations, named: Named, name: &str) -> Option<&ColumnFound> {
        let relation = relations.get(named)?.oid;
        self.0.iter().find(|column| column.relation == relation && column.name == name)
    }
}
