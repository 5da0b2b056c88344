//! The text search configuration that makes a store's words. Two texts name it:
//!
//! - A constraint of the store's tables. It depends on the configuration, so it has the present name.
//! - The view of an adopted table. It has the name at the time when the view was made. If no configuration has this
//!   name any more, the name in the constraint counts.
//!
//! Somebody may have replaced the view by one with another language. The constraint then still has the language of the
//! adoption. If this is one of PostgreSQL's own configurations, which nobody renames, it does not count.

use memory_search_core::Result;

use super::relations::Relation;
use crate::pg::open_relation::OpenRelation;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::pg::text_search;

/// Finds the constraint. Both tables of a store have it. The server writes no expression of a table that was dropped
/// meanwhile.
const FIND_CONSTRAINT: &str = include_str!("language.sql");

/// The language if nothing says it.
const DEFAULT: &str = "simple";

/// The schema of PostgreSQL's own configurations.
const OWN_SCHEMA: &str = "pg_catalog.";

/// The ends of a string literal with the language, as the server writes a constraint and a view.
const MARKS: [&str; 2] = ["'::regconfig IS NOT NULL", "'::text AS language"];

/// The texts that may say a language.
pub struct Texts {
    /// The view in place of entries; `None` for a table.
    pub view: Option<String>,
    /// The constraint of the tables; `None` if there is none any more.
    constraint: Option<String>,
    /// Whether the entries are a view.
    is_view: bool,
}

impl Texts {
    /// The texts of a store.
    pub fn find(reader: &Reader<'_>, entries: &Relation, contexts: &Relation) -> Result<Texts> {
        let mut statement = Statement::default();
        let oids = [entries, contexts].map(|relation| Param::Integer(Some(i64::from(relation.oid))));
        let [of_entries, of_contexts] = oids.map(|oid| statement.bind(oid));
        let sql = filled(FIND_CONSTRAINT, &[("{entries}", &of_entries), ("{contexts}", &of_contexts)]);
        let constraint = reader.first(&statement.with(sql), |row| row.text(1))?.flatten();
        Ok(Texts { view: view(reader, entries)?, constraint, is_view: entries.is_view() })
    }

    /// The text search configuration that they name, as the inside of a string literal, in a form that any search path
    /// reads in the same way.
    pub fn language(&self) -> String {
        let texts = [&self.view, &self.constraint].into_iter().flatten();
        let mut named: Vec<String> = texts.filter_map(|text| named_in(text)).map(with_schema).collect();
        let of_view = usize::from(self.view.is_some()).min(named.len());
        if of_view > 0 && named[of_view..].iter().any(|name| name.starts_with(OWN_SCHEMA)) {
            named.truncate(of_view);
        }
        let present = named.iter().find(|name| is_there(name)).or(named.first());
        present.cloned().unwrap_or_else(|| with_schema(DEFAULT))
    }

    /// The reason for which words cannot be made.
    pub fn defect(&self) -> Option<String> {
        let is_said = if self.is_view { self.view.is_some() } else { self.constraint.is_some() };
        if !is_said {
            // Somebody dropped both constraints.
            let constraints =
                "the constraints entries_language and contexts_language, which say the language, are missing";
            return Some(constraints.to_owned());
        }
        let language = self.language();
        (!is_there(&language)).then(|| {
            let name = language.replace("''", "'");
            format!(
                "the text search configuration {name}, which makes the words, is missing (CREATE TEXT SEARCH \
                 CONFIGURATION makes it again)"
            )
        })
    }
}

/// Whether there is a text search configuration of this name, the inside of a string literal.
fn is_there(name: &str) -> bool {
    text_search::configuration_named(&name.replace("''", "'")).is_ok()
}

/// The text of the view of entries.
fn view(reader: &Reader<'_>, entries: &Relation) -> Result<Option<String>> {
    // The server opens a view to write its text, and has no text of one that was dropped meanwhile.
    let open = if entries.is_view() { OpenRelation::new(entries.oid) } else { None };
    if open.is_none() {
        return Ok(None);
    }
    let mut statement = Statement::default();
    let oid = statement.bind(Param::Integer(Some(i64::from(entries.oid))));
    let statement = statement.with(format!("SELECT pg_catalog.pg_get_viewdef({oid}::pg_catalog.oid)"));
    Ok(reader.first(&statement, |row| row.text(1))?.flatten())
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
    if is_qualified { name.to_owned() } else { format!("{OWN_SCHEMA}{name}") }
}
