//! The text search configuration that makes a store's words. A constraint of the store's tables says it, which depends
//! on the configuration; an adopted table's view has a column for it.

use memory_search_core::Result;

use super::relations::Relation;
use crate::pg::open_relation::OpenRelation;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;

/// Finds the constraint. Both tables of a store have it. The server writes no expression of a table that was dropped
/// meanwhile.
const FIND_CONSTRAINT: &str = include_str!("language.sql");

/// The language if nothing says it.
const DEFAULT: &str = "simple";

/// The ends of a string literal with the language, as the server writes a constraint and a view.
const MARKS: [&str; 2] = ["'::regconfig IS NOT NULL", "'::text AS language"];

/// The text of the view of entries, or of the constraint; `None` if there is none of them any more.
pub fn text(reader: &Reader<'_>, entries: &Relation, contexts: &Relation) -> Result<Option<String>> {
    // The server opens a view to write its text, and has no text of one that was dropped meanwhile.
    let view = if entries.is_view() { OpenRelation::new(entries.oid) } else { None };
    if entries.is_view() && view.is_none() {
        return Ok(None);
    }
    let mut statement = Statement::default();
    let oid = statement.bind(Param::Integer(Some(i64::from(entries.oid))));
    let sql = if entries.is_view() {
        format!("SELECT pg_catalog.pg_get_viewdef({oid}::pg_catalog.oid)")
    } else {
        let contexts = statement.bind(Param::Integer(Some(i64::from(contexts.oid))));
        filled(FIND_CONSTRAINT, &[("{entries}", &oid), ("{contexts}", &contexts)])
    };
    Ok(reader.first(&statement.with(sql), |row| row.text(1))?.flatten())
}

/// The text search configuration that a view or a constraint names, as the inside of a string literal, in a form that
/// any search path reads in the same way.
pub fn said_by(text: Option<&str>) -> String {
    with_schema(text.and_then(named_in).unwrap_or(DEFAULT))
}

/// The inside of the first literal before one of the marks. Quotes in it are doubled.
fn named_in(text: &str) -> Option<&str> {
    let literals = MARKS.iter().flat_map(|mark| text.match_indices(mark)).filter_map(|(end, _)| {
        let start = opening_quote(&text[..end])? + 1;
        (start < end).then_some((start, end))
    });
    literals.min().map(|(start, end)| &text[start..end])
}

/// The place of the quote that opens the literal whose inside ends with this text.
fn opening_quote(text: &str) -> Option<usize> {
    let mut end = text.len();
    loop {
        let quote = text[..end].rfind('\'')?;
        if !text[..quote].ends_with('\'') {
            return Some(quote);
        }
        end = quote - 1;
    }
}

/// The name of a text search configuration with its schema: names in `pg_catalog` need none.
fn with_schema(name: &str) -> String {
    let mut is_quoted = false;
    let is_qualified = name.chars().any(|letter| {
        is_quoted ^= letter == '"';
        letter == '.' && !is_quoted
    });
    if is_qualified { name.to_owned() } else { format!("pg_catalog.{name}") }
}
