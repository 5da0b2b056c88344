//! The links and aliases of a memory, a page at a time, as lines of an export.

use std::collections::VecDeque;

use memory_search_core::Result;
use memory_search_core::output::exported::Line;
use memory_search_core::output::response::verbatim;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::timestamp;

use super::following::of_one_memory;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::store::definition::{self, Store, TablesOfLinks};

/// Behind which line a page begins.
#[derive(Debug, Clone)]
pub enum Behind {
    /// The first link.
    Nothing,
    /// A link: its ends and its kind.
    Link([String; 3]),
    /// All links.
    Links,
    /// An alias.
    Alias(String),
}

/// The lines of a page, and the beginning of the next one; `None` if there is none.
pub type Page = (VecDeque<String>, Option<Behind>);

/// The lines behind a place. A store without the tables has none.
pub fn page(store_name: &StoreName, memory_id: &MemoryId, behind: &Behind, rows: i64) -> Result<Page> {
    spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        let there = TablesOfLinks::find(reader, &store.schema)?;
        of_one_memory(&store, || match behind {
            Behind::Nothing | Behind::Link(_) if there.links.is_some() => {
                links(reader, &store, memory_id, behind, rows)
            }
            Behind::Nothing | Behind::Link(_) => Ok((VecDeque::new(), Some(Behind::Links))),
            _ if there.aliases.is_some() => aliases(reader, &store, memory_id, behind, rows),
            _ => Ok((VecDeque::new(), None)),
        })
    })
}

/// Links of which the caller sees both ends, hidden ones too.
fn links(reader: &Reader<'_>, store: &Store, memory_id: &MemoryId, behind: &Behind, rows: i64) -> Result<Page> {
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "l", memory_id);
    let later = match behind {
        Behind::Link(last) => {
            let [from, to, kind] = last.each_ref().map(|text| statement.bind(Param::text(text.as_str())));
            let id = |placeholder: &str| format!("{placeholder}::pg_catalog.{}", store.ids.entry);
            format!(
                " AND (l.from_entry, l.to_entry, l.kind) OPERATOR(pg_catalog.>) ({}, {}, {kind})",
                id(&from),
                id(&to)
            )
        }
        _ => String::new(),
    };
    let mut is_seen = |end: &str| {
        let of_memory = store.of_memory(&mut statement, "e", memory_id);
        let the_end = store.keyed("e", "entry_id", &format!("l.{end}"), "");
        // Several rows of an adopted table may have the id.
        format!(
            "(SELECT true FROM (SELECT FROM {} e WHERE {of_memory} AND {the_end}) e LIMIT 1) IS TRUE",
            store.relation("entries")
        )
    };
    let (sees_from, sees_to) = (is_seen("from_entry"), is_seen("to_entry"));
    let size = statement.bind(Param::Integer(Some(rows)));
    let statement = statement.with(format!(
        "SELECT l.from_entry::pg_catalog.text, l.to_entry::pg_catalog.text, l.kind, l.weight::pg_catalog.float8, \
                l.valid_from, l.valid_until, l.metadata::pg_catalog.text, l.creation_time \
           FROM {} l WHERE {of_memory}{later} AND {sees_from} AND {sees_to} \
          ORDER BY l.from_entry, l.to_entry, l.kind LIMIT {size}",
        store.relation("links")
    ));
    let (mut lines, mut last) = (VecDeque::new(), None);
    store.in_index_order(|| {
        reader.scan(&statement, |row| {
            let (from_entry, to_entry, link_kind) =
                (row.required_text(1)?, row.required_text(2)?, row.required_text(3)?);
            last = Some([from_entry.clone(), to_entry.clone(), link_kind.clone()]);
            let line = Line::Link {
                memory_id: memory_id.to_string(),
                from_entry,
                to_entry,
                link_kind,
                weight: row.number(4).unwrap_or_default() as f32,
                valid_from: row.timestamp(5).map(timestamp::format_any_year),
                valid_until: row.timestamp(6).map(timestamp::format_any_year),
                metadata: verbatim(row.required_text(7)?)?,
                creation_time: row.timestamp(8).map(timestamp::format_any_year),
            };
            lines.push_back(line.to_json()?);
            Ok(())
        })
    })?;
    let next = match last.filter(|_| lines.len() as i64 == rows) {
        Some(last) => Behind::Link(last),
        None => Behind::Links,
    };
    Ok((lines, Some(next)))
}

fn aliases(reader: &Reader<'_>, store: &Store, memory_id: &MemoryId, behind: &Behind, rows: i64) -> Result<Page> {
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(store.canonical_memory_id(memory_id)));
    let later = match behind {
        Behind::Alias(last) => {
            format!(" AND a.alias OPERATOR(pg_catalog.>) {}", statement.bind(Param::text(last.as_str())))
        }
        _ => String::new(),
    };
    let size = statement.bind(Param::Integer(Some(rows)));
    let statement = statement.with(format!(
        "SELECT a.alias, a.entity, a.creation_time FROM {} a \
          WHERE a.memory_id OPERATOR(pg_catalog.=) {memory}{later} ORDER BY a.alias LIMIT {size}",
        store.relation("aliases")
    ));
    let (mut lines, mut last) = (VecDeque::new(), None);
    store.in_index_order(|| {
        reader.scan(&statement, |row| {
            let alias = row.required_text(1)?;
            last = Some(alias.clone());
            let line = Line::Alias {
                memory_id: memory_id.to_string(),
                alias,
                entity: row.required_text(2)?,
                creation_time: row.timestamp(3).map(timestamp::format_any_year),
            };
            lines.push_back(line.to_json()?);
            Ok(())
        })
    })?;
    let next = last.filter(|_| lines.len() as i64 == rows).map(Behind::Alias);
    Ok((lines, next))
}
