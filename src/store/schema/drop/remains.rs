//! The remains of a store whose entries were dropped with everything that depended on them: if an application drops its
//! adopted table, this drops the view too, and somebody may drop `entries` by hand.

use memory_search_core::Result;
use memory_search_core::request::names::StoreName;

use super::is_alone;
use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::recording::functions::SIGNATURES;

const FIND: &str = include_str!("remains.sql");

/// Relations and functions of a store, in an order in which they can be dropped.
pub struct Remains {
    /// Its schema.
    pub schema: QuotedIdentifier,
    /// Contexts, access counts, links and aliases, and the history if there is one.
    pub tables: Vec<QualifiedName>,
    /// The functions that recorded history and sent notifications. No remaining trigger calls them.
    pub functions: Vec<QualifiedName>,
    /// Whether the schema holds nothing else.
    pub are_alone: bool,
}

impl Remains {
    /// The remains of the store `name`; `None` if its schema lacks a relation that every store has.
    pub fn find(reader: &Reader<'_>, name: &StoreName) -> Result<Option<Self>> {
        let mut statement = Statement::default();
        let named = statement.bind(Param::text(name));
        let signatures = statement.bind(Param::Texts(SIGNATURES.into_iter().map(str::to_owned).collect()));
        let statement = statement.with(filled(FIND, &[("{name}", &named), ("{functions}", &signatures)]));
        let (mut tables, mut functions, mut more) = (Vec::new(), Vec::new(), Vec::new());
        reader.rows(&statement, |row| {
            let object = QualifiedName::read(row, 2)?;
            if row.boolean(1) != Some(true) {
                functions.push(object);
                return Ok(());
            }
            tables.push(object);
            if !["contexts", "entry_access"].contains(&row.required_text(3)?.as_str()) {
                more.extend(row.integer(4).and_then(|oid| u32::try_from(oid).ok()));
            }
            Ok(())
        })?;
        if tables.len() - more.len() < 2 {
            return Ok(None);
        }
        let schema = QuotedIdentifier::of(reader, name)?;
        let are_alone = is_alone(reader, &schema, &functions, &more)?;
        Ok(Some(Remains { schema, tables, functions, are_alone }))
    }
}
