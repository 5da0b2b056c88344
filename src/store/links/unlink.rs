//! Removes links.

use memory_search_core::Result;
use memory_search_core::request::names::{MemoryId, StoreName};

use super::following::ends::Ends;
use super::following::of_one_memory;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::definition;
use crate::store::definition::tables_of_links::required;
use crate::store::statements::row_locks::{Lock, LockedChange, may_lock};

/// Removes the links from one entry to another, of one kind or of every kind; gives how many. A link that is read as one
/// between these, because an end of it was corrected, is one of them.
pub fn unlink(
    store_name: &StoreName,
    memory_id: &MemoryId,
    from_entry: &str,
    to_entry: &str,
    kind: Option<&str>,
) -> Result<u64> {
    let (store, links) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        let links = required(reader, &store, store_name, "links")?;
        Ok((store, links))
    })?;
    let ends = [from_entry, to_entry].map(|id| store.ids.entry.value(id));
    let [Some(from), Some(to)] = ends else { return Ok(0) };
    of_one_memory(&store, || {
        let [from, to] = spi::with_own_changes(|| {
            spi::read(|reader| {
                let mut found = Ends::new(reader, &store, memory_id);
                let mut with_corrected = |id: String| {
                    let (corrected, _) = found.read_so(std::slice::from_ref(&id), usize::MAX)?;
                    let others = corrected.into_iter().map(|(other, _)| other).filter(|other| *other != id);
                    Ok::<_, memory_search_core::Error>(others.chain([id.clone()]).collect::<Vec<_>>())
                };
                Ok([with_corrected(from)?, with_corrected(to)?])
            })
        })?;
        let mut statement = Statement::default();
        let of_memory = store.of_memory(&mut statement, "r", memory_id);
        let [from, to] = [from, to].map(|ids| statement.bind(Param::Texts(ids)));
        let (from, to) = (store.is_among("r.from_entry", &from), store.is_among("r.to_entry", &to));
        let of_kind = match kind {
            Some(kind) => format!(" AND r.kind OPERATOR(pg_catalog.=) {}", statement.bind(Param::text(kind))),
            None => String::new(),
        };
        let rows = format!(
            "SELECT r.memory_id, r.from_entry, r.to_entry, r.kind FROM {links} r \
              WHERE {of_memory} AND {from} AND {to}{of_kind} \
              ORDER BY r.memory_id, r.from_entry, r.to_entry, r.kind"
        );
        let lock = if may_lock(&links)? { Lock::Update } else { Lock::No };
        let removal = LockedChange::new(statement, &rows, lock, |locked| {
            format!(
                "WITH those AS MATERIALIZED ({locked}) DELETE FROM {links} r USING those t \
                  WHERE {of_memory} AND r.from_entry OPERATOR(pg_catalog.=) t.from_entry \
                    AND r.to_entry OPERATOR(pg_catalog.=) t.to_entry AND r.kind OPERATOR(pg_catalog.=) t.kind"
            )
        });
        spi::write(|writer| removal.execute(writer))
    })
}
