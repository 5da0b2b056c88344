//! Links that were exported go back as they were.

use std::collections::HashMap;

use memory_search_core::error::shown;
use memory_search_core::request::entry_rows::ExportedLink;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::{Error, ErrorKind, Result, error};

use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::reworded;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::definition::tables_of_links::required;

const LINKS: &str = include_str!("import_links.sql");
const LACKING: &str = include_str!("import_lacking.sql");

/// Rows of one INSERT.
const BATCH: usize = 1_000;

/// Adds links to a memory whose entries are there; gives how many. A link to an entry that is not there is refused
/// (42704), and so is one that exists already (23505).
pub fn links(store: &Store, store_name: &StoreName, memory_id: &MemoryId, links: &[ExportedLink]) -> Result<u64> {
    if links.is_empty() {
        return Ok(0);
    }
    spi::read(|reader| required(reader, store, store_name, "links"))?;
    check_differ(links)?;
    let mut count = 0;
    for links in links.chunks(BATCH) {
        interrupt::check();
        spi::with_own_changes(|| spi::read(|reader| check_ends(reader, store, memory_id, links)))?;
        let mut statement = Statement::default();
        let memory = statement.bind(Param::text(memory_id));
        let mut texts = |text: &dyn Fn(&ExportedLink) -> Option<String>| {
            statement.bind(Param::NullableTexts(links.iter().map(text).collect()))
        };
        let from = texts(&|link| Some(link.from_entry.clone()));
        let to = texts(&|link| Some(link.to_entry.clone()));
        let kind = texts(&|link| Some(link.kind.clone()));
        let weight = texts(&|link| Some(link.weight.to_string()));
        let metadata = texts(&|link| link.metadata.clone());
        let mut times =
            |time: fn(&ExportedLink) -> _| statement.bind(Param::NullableTimestamps(links.iter().map(time).collect()));
        let valid_from = times(|link| link.valid_from);
        let valid_until = times(|link| link.valid_until);
        let created = times(|link| link.creation_time);
        let statement = statement.with(filled(
            LINKS,
            &[
                ("{links}", &store.relation("links")),
                ("{memory}", &memory),
                ("{from}", &from),
                ("{to}", &to),
                ("{kind}", &kind),
                ("{weight}", &weight),
                ("{metadata}", &metadata),
                ("{valid_from}", &valid_from),
                ("{valid_until}", &valid_until),
                ("{created}", &created),
            ],
        ));
        let words = |_: &str, detail: &str| Some(exists(memory_id, links, detail));
        count += spi::write(|writer| reworded::on_duplicate(words, || writer.execute(&statement)))?;
    }
    Ok(count)
}

/// Two lines must not be the same link: of one kind, from the same entry to the same entry.
fn check_differ(links: &[ExportedLink]) -> Result<()> {
    let mut lines = HashMap::new();
    lines.try_reserve(links.len()).map_err(|_| error::out_of_memory())?;
    for link in links {
        let ends = (link.from_entry.as_str(), link.to_entry.as_str(), link.kind.as_str());
        if let Some(other) = lines.insert(ends, link.line.as_str()) {
            let message = format!("{} is the same link as {other}: {}", link.line, ends_of(link));
            return Err(Error::new(ErrorKind::DuplicateRow, message).hint("Leave one of the two lines out."));
        }
    }
    Ok(())
}

fn ends_of(link: &ExportedLink) -> String {
    format!("\"{}\" from entry {} to entry {}", shown(&link.kind), link.from_entry, link.to_entry)
}

/// The refusal of a link that the memory has already. `detail` is the server's, which names the link; it is empty if
/// row security applies to the caller.
fn exists(memory_id: &MemoryId, links: &[ExportedLink], detail: &str) -> Error {
    let is_named =
        |link: &&ExportedLink| detail.contains(&format!(", {}, {}, {})", link.from_entry, link.to_entry, link.kind));
    let (line, link) = match links.iter().find(is_named) {
        Some(link) => (link.line.as_str(), format!(": {}", ends_of(link))),
        None => ("a link of the lines", String::new()),
    };
    let message = format!("{line} exists already in memory \"{}\"{link}", shown(memory_id));
    Error::new(ErrorKind::DuplicateRow, message)
        .hint("Leave the line out, or remove the existing link first: memory_unlink(memory_id, from_entry, to_entry).")
}

/// Each end must be an entry of the memory, visible or hidden.
fn check_ends(reader: &Reader<'_>, store: &Store, memory_id: &MemoryId, links: &[ExportedLink]) -> Result<()> {
    let ids = links.iter().flat_map(|link| [link.from_entry.clone(), link.to_entry.clone()]).collect();
    let Some((place, id)) = first_lacking(reader, store, memory_id, ids)? else { return Ok(()) };
    let line = links.get(place / 2).map_or("a link", |link| link.line.as_str());
    let message = format!("{line} links entry {id}, which is neither in the lines nor in the memory");
    Err(Error::new(ErrorKind::UndefinedObject, message)
        .hint("Import the entries first, or leave out links of entries that are not imported."))
}

/// The first of the ids that is no entry of the memory, visible or hidden, and its place in the list.
pub fn first_lacking(
    reader: &Reader<'_>,
    store: &Store,
    memory_id: &MemoryId,
    ids: Vec<String>,
) -> Result<Option<(usize, String)>> {
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let ids = statement.bind(Param::Texts(ids));
    let statement = statement.with(filled(
        LACKING,
        &[
            ("{ids}", &ids),
            ("{entries}", &store.relation("entries")),
            ("{of_memory}", &of_memory),
            ("{the_entry}", &store.keyed("e", "entry_id", "w.id", "")),
        ],
    ));
    store.looking_up(|| {
        let mut lacking = None;
        reader.scan_while(&statement, |row| {
            lacking = Some((row.required_integer(1)? as usize - 1, row.required_text(2)?));
            Ok(false)
        })?;
        Ok::<_, Error>(lacking)
    })
}
