//! Names in SQL text. The server has quoted a value of these types, so that it can be part of a statement unchanged.

use std::borrow::Borrow;
use std::ffi::CStr;
use std::fmt;
use std::ops::Deref;

use memory_search_core::Result;
use pgrx::pg_sys;

use crate::pg::open_relation::OpenRelation;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{Reader, Statement};

/// An identifier, quoted if necessary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotedIdentifier(String);

/// The name of a relation, with its schema, each part quoted if necessary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QualifiedName(String);

impl QuotedIdentifier {
    /// The identifier for any name.
    pub fn of(reader: &Reader<'_>, name: &str) -> Result<Self> {
        let mut statement = Statement::default();
        let name = statement.bind(Param::text(name));
        let statement = statement.with(format!("SELECT pg_catalog.quote_ident({name})"));
        reader.only(&statement, |row| Self::read(row, 1))
    }

    /// The identifier from a column that the statement made with quote_ident().
    pub fn read(row: Row<'_>, column: i32) -> Result<Self> {
        row.required_text(column).map(QuotedIdentifier)
    }

    /// The keyword for everybody in place of a role's name.
    pub fn public() -> Self {
        QuotedIdentifier("PUBLIC".to_owned())
    }

    /// A relation of this schema; its name must need no quotes.
    pub fn relation(&self, name: &str) -> QualifiedName {
        QualifiedName(format!("{self}.{name}"))
    }
}

impl QualifiedName {
    /// The name of an open relation; `None` if it has non-ASCII characters, which encodings write differently.
    pub fn of_relation(relation: &OpenRelation) -> Option<Self> {
        // SAFETY: the relation is open, so that it has a name and a schema; the server gives C strings in the current
        // memory context.
        let quoted = unsafe {
            let definition = &*(*relation.raw()).rd_rel;
            let schema = pg_sys::get_namespace_name(definition.relnamespace);
            CStr::from_ptr(pg_sys::quote_qualified_identifier(schema, definition.relname.data.as_ptr()))
        };
        quoted.to_str().ok().filter(|name| name.is_ascii()).map(|name| QualifiedName(name.to_owned()))
    }

    /// The name from a column that the statement made with format('%I.%I', ...), or from a regclass.
    pub fn read(row: Row<'_>, column: i32) -> Result<Self> {
        row.required_text(column).map(QualifiedName)
    }
}

macro_rules! sql_text {
    ($name:ident) => {
        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        // For join().
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }

        impl From<&$name> for String {
            fn from(name: &$name) -> String {
                name.0.clone()
            }
        }
    };
}

sql_text!(QuotedIdentifier);
sql_text!(QualifiedName);
