//! Names in SQL text. A value of these types was quoted by the server, so that it can stand in a statement as it is.

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

/// An identifier, quoted where it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotedIdentifier(String);

/// The name of a relation, with its schema, each part quoted where it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QualifiedName(String);

impl QuotedIdentifier {
    /// Any name.
    pub fn of(reader: &Reader<'_>, name: &str) -> Result<Self> {
        let mut statement = Statement::default();
        let name = statement.bind(Param::text(name));
        let statement = statement.with(format!("SELECT pg_catalog.quote_ident({name})"));
        reader.only(&statement, |row| Self::read(row, 1))
    }

    /// What the statement made by quote_ident() in this column.
    pub fn read(row: Row<'_>, column: i32) -> Result<Self> {
        row.required_text(column).map(QuotedIdentifier)
    }

    /// What stands for everybody where a role is named.
    pub fn public() -> Self {
        QuotedIdentifier("PUBLIC".to_owned())
    }

    /// A relation of this schema; its name is one that needs no quotes.
    pub fn relation(&self, name: &str) -> QualifiedName {
        QualifiedName(format!("{self}.{name}"))
    }
}

impl QualifiedName {
    /// The name of an open relation; `None` where it has other characters than ASCII, which encodings write differently.
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

    /// What the statement made by format('%I.%I', ...), or of a regclass, in this column.
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
