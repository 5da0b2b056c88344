//! The schema of a store, and its relations that a definition is read from.

use memory_search_core::Result;
use memory_search_core::request::names::StoreName;

use crate::pg::identifier::QuotedIdentifier;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;

const FIND: &str = include_str!("relations.sql");

/// A relation whose columns a store requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    Entries,
    Contexts,
    EntryAccess,
}

impl Named {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Named::Entries => "entries",
            Named::Contexts => "contexts",
            Named::EntryAccess => "entry_access",
        }
    }
}

/// A relation as `pg_class` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    pub oid: u32,
    /// `relkind`.
    kind: String,
}

impl Relation {
    /// Whether it is a view, materialized or not.
    pub fn is_view(&self) -> bool {
        matches!(self.kind.as_str(), "v" | "m")
    }

    /// Whether it is a table, with partitions or without.
    pub fn is_table(&self) -> bool {
        matches!(self.kind.as_str(), "r" | "p")
    }

    /// Whether it has partitions.
    pub fn is_partitioned(&self) -> bool {
        self.kind == "p"
    }
}

/// A schema with the relations that it has under the names of a store's.
pub struct Relations {
    pub schema: QuotedIdentifier,
    pub entries: Option<Relation>,
    pub contexts: Option<Relation>,
    pub entry_access: Option<Relation>,
}

impl Relations {
    /// The relations of a schema; `None` if there is no such schema.
    pub fn find(reader: &Reader<'_>, name: &StoreName) -> Result<Option<Self>> {
        let mut statement = Statement::default();
        let named = statement.bind(Param::text(name));
        let statement = statement.with(filled(FIND, &[("{name}", &named)]));
        let mut found: Option<Relations> = None;
        // A schema without any of them is one row without a relation.
        reader.rows(&statement, |row| {
            let relations = match &mut found {
                Some(relations) => relations,
                None => found.insert(Relations {
                    schema: QuotedIdentifier::read(row, 1)?,
                    entries: None,
                    contexts: None,
                    entry_access: None,
                }),
            };
            let Some(oid) = row.oid(3) else { return Ok(()) };
            let relation = Some(Relation { oid, kind: row.required_text(4)? });
            match row.required_text(2)?.as_str() {
                "entries" => relations.entries = relation,
                "contexts" => relations.contexts = relation,
                _ => relations.entry_access = relation,
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// One of them.
    pub fn get(&self, named: Named) -> Option<&Relation> {
        match named {
            Named::Entries => self.entries.as_ref(),
            Named::Contexts => self.contexts.as_ref(),
            Named::EntryAccess => self.entry_access.as_ref(),
        }
    }

    /// The OIDs of the existing ones, as a parameter that a statement casts to oid[].
    pub fn oids(&self) -> Param {
        let all = [&self.entries, &self.contexts, &self.entry_access];
        Param::Texts(all.into_iter().flatten().map(|relation| relation.oid.to_string()).collect())
    }
}
