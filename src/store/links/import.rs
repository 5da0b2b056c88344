//! Links that were exported go back as they were.

use memory_search_core::request::entry_rows::ExportedLink;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::definition::tables_of_links::required;

const LINKS: &str = include_str!("import_links.sql");
const LACKING: &str = include_str!("import_lacking.sql");

/// Rows of one INSERT.
const BATCH: usize = 1_000;

/// Adds links to a memory whose entries are there; gives how many. One to an entry that is not there is refused (42704).
pub fn links(store: &Store, store_name: &StoreName, memory_id: &MemoryId, links: &[ExportedLink]) -> Result<u64> {
    if links.is_empty() {
        return Ok(0);
    }
    spi::read(|reader| required(reader, store, store_name, "links"))?;
    let mut count = 0;
    for (batch, links) in links.chunks(BATCH).enumerate() {
        interrupt::check();
        spi::with_own_changes(|| spi::read(|reader| check_ends(reader, store, memory_id, links, batch * BATCH)))?;
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
        count += spi::write(|writer| writer.execute(&statement))?;
    }
    Ok(count)
}

/// Each end must be an entry of the memory, visible or hidden.
fn check_ends(
    reader: &Reader<'_>,
    store: &Store,
    memory_id: &MemoryId,
    links: &[ExportedLink],
    before: usize,
) -> Result<()> {
    let ids = links.iter().flat_map(|link| [link.from_entry.clone(), link.to_entry.clone()]).collect();
    let Some((place, id)) = first_lacking(reader, store, memory_id, ids)? else { return Ok(()) };
    let number = before + place / 2 + 1;
    let message =
        format!("link {number} of the lines names entry {id}, which is neither in the lines nor in the memory");
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
