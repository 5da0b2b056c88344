//! The sources of an entry that an explanation shows. A link of the kind `derived_from` leads from a summary, or from a
//! fact that was found in a text, to an entry from which it was made.

use memory_search_core::output::explanation::Explained;
use memory_search_core::{Error, ErrorKind, Result};
use serde_json::{Value, json};

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::search::scopes::Scopes;
use crate::store::definition::TablesOfLinks;
use crate::store::links::following::{Direction, Walk, of_one_memory};

/// The kind of link that leads to a source.
const DERIVED_FROM: &str = "derived_from";
/// Sources of an entry that are shown.
const MOST_SOURCES: usize = 20;

/// Adds to the details of rows the ids of their sources, the heaviest link first, if there are any.
pub fn add_sources(reader: &Reader<'_>, scopes: &Scopes<'_>, rows: &mut [Explained]) -> Result<()> {
    let kinds = [DERIVED_FROM.to_owned()];
    for (memory, scope) in scopes.numbered() {
        let Some(links) = TablesOfLinks::find(reader, &scope.whole.schema)?.links else { continue };
        // Sources are an addition: an explanation needs no more privileges than the search that it explains.
        if !may_read(reader, links)? {
            continue;
        }
        for row in rows.iter_mut().filter(|row| row.memory == Some(memory)) {
            let Some(id) = row.entry_id.clone() else { continue };
            let mut walk = Walk::new(reader, scope.whole, scope.memory_id, Some(&kinds), Direction::From, scope.now);
            let found = of_one_memory(scope.whole, || walk.from(vec![(id, 1.0)], 1, MOST_SOURCES))?;
            let sources: Vec<String> = found.into_iter().map(|source| source.id).collect();
            if !sources.is_empty() {
                row.details = Some(with_sources(row.details.as_deref(), &sources)?);
            }
        }
    }
    Ok(())
}

fn may_read(reader: &Reader<'_>, table: u32) -> Result<bool> {
    let mut statement = Statement::default();
    let table = statement.bind(Param::Integer(Some(i64::from(table))));
    let statement = statement.with(format!("SELECT pg_catalog.has_table_privilege({table}::pg_catalog.oid, 'SELECT')"));
    Ok(reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true))
}

fn with_sources(details: Option<&str>, sources: &[String]) -> Result<String> {
    let unread = |error| Error::new(ErrorKind::Internal, format!("details of an explanation are no JSON: {error}"));
    let mut details: Value = serde_json::from_str(details.unwrap_or("{}")).map_err(unread)?;
    details["derivedFrom"] = json!(sources);
    Ok(details.to_string())
}
