//! What a store leaves whose entries were dropped with all that hung on them: an adopted table that its application drops
//! takes the view along, and somebody may drop `entries` by hand.

use memory_search_core::Result;
use memory_search_core::request::names::StoreName;

use super::is_alone;
use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::recording::functions::SIGNATURES;

const FIND: &str = include_str!("remains.sql");

/// Relations and functions of a store, which may be dropped in this order.
pub struct Remains {
    /// Its schema.
    pub schema: QuotedIdentifier,
    /// Contexts, access counts, links and aliases, and the history where there is one.
    pub tables: Vec<QualifiedName>,
    /// Those that made history and notifications. Nothing that was found calls them any more.
    pub functions: Vec<QualifiedName>,
    /// Whether the schema holds nothing else.
    pub are_alone: bool,
}

impl Remains {
    /// Those of the store `name`; `None` where its schema does not hold what every store has.
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
