//! The links of an entry.

use std::collections::{HashMap, HashSet};

use memory_search_core::Result;
use memory_search_core::bounds_and_defaults::MAX_RESPONSE_BYTES;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::timestamp::Micros;

use super::following::ends::{End, Ends};
use super::following::{Direction, Followed, of_one_memory};
use crate::pg::clock;
use crate::pg::datum::text;
use crate::pg::interrupt;
use crate::pg::spi;
use crate::store::definition;
use crate::store::definition::tables_of_links::required;

/// The wanted links.
#[allow(missing_docs)]
pub struct Asked {
    pub entry_id: String,
    /// `None` is every kind.
    pub kinds: Option<Vec<String>>,
    pub direction: Direction,
    pub rows: usize,
    /// `None` is the present.
    pub valid_at: Option<Micros>,
}

/// A link as it is read.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Link {
    pub from_entry: String,
    pub to_entry: String,
    pub kind: String,
    pub weight: f64,
    pub valid_from: Option<Micros>,
    pub valid_until: Option<Micros>,
    /// JSON text.
    pub metadata: String,
    pub created: Option<Micros>,
}

/// The links that show of an entry, the heaviest first, of equal ones the newest. A corrected entry has the links of
/// its correction.
pub fn links_of(store_name: &StoreName, memory_id: &MemoryId, asked: &Asked) -> Result<Vec<Link>> {
    spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        required(reader, &store, store_name, "links")?;
        let Some(entry) = store.ids.entry.value(&asked.entry_id) else { return Ok(Vec::new()) };
        of_one_memory(&store, || {
            let mut ends = Ends::new(reader, &store, memory_id);
            ends.look([entry.clone()])?;
            let Some(entry) = ends.read_as(&entry) else { return Ok(Vec::new()) };
            let (members, _) = ends.read_so(std::slice::from_ref(&entry), usize::MAX)?;
            let members: Vec<String> = members.into_iter().map(|(id, _)| id).collect();
            // Links that are read as one, or as a link of an entry with itself, are taken out: then more are read.
            let mut of_entry = asked.rows;
            loop {
                interrupt::check();
                let followed = Followed {
                    kinds: asked.kinds.as_deref(),
                    valid_at: asked.valid_at.unwrap_or_else(clock::transaction_start),
                    of_entry,
                    when: ends.when,
                    directions: asked.direction.each(),
                };
                let statement = followed.statement(&store, memory_id, members.clone());
                let (mut found, mut bytes) = (Vec::new(), 0);
                let mut counts: HashMap<(i64, bool), usize> = HashMap::new();
                store.looking_up(|| {
                    reader.scan(&statement, |row| {
                        let is_from = row.boolean(2) == Some(true);
                        *counts.entry((row.required_integer(1)?, is_from)).or_default() += 1;
                        let other = row.required_text(3)?;
                        let link = Link {
                            from_entry: if is_from { entry.clone() } else { other.clone() },
                            to_entry: if is_from { other.clone() } else { entry.clone() },
                            kind: row.required_text(4)?,
                            weight: row.number(5).unwrap_or_default(),
                            valid_from: row.timestamp(6),
                            valid_until: row.timestamp(7),
                            metadata: row.required_text(8)?,
                            created: row.timestamp(9),
                        };
                        bytes += link.metadata.len() + link.kind.len() + 2 * other.len();
                        if bytes > MAX_RESPONSE_BYTES {
                            return Err(text::too_much(bytes));
                        }
                        let superseded_by = row.text(10)?.and_then(|id| store.ids.entry.value(&id));
                        ends.note(&other, End { is_present: true, superseded_by, created: row.timestamp(11) });
                        found.push((other, link));
                        Ok(())
                    })
                })?;
                ends.look(found.iter().map(|(other, _)| other.clone()))?;
                let is_all = counts.values().all(|count| *count < of_entry);
                let read = as_read(&ends, &entry, found);
                if is_all || read.len() >= asked.rows {
                    return Ok(read.into_iter().take(asked.rows).collect());
                }
                of_entry = of_entry.saturating_mul(2);
            }
        })
    })
}

/// Links with the entries that their other ends are read as, in order; of several links that are read as one, the
/// heaviest.
fn as_read(ends: &Ends<'_>, entry: &str, found: Vec<(String, Link)>) -> Vec<Link> {
    let mut read: Vec<Link> = found
        .into_iter()
        .filter_map(|(other, mut link)| {
            let read_as = ends.read_as(&other).filter(|read_as| read_as != entry)?;
            let end = if link.from_entry == entry { &mut link.to_entry } else { &mut link.from_entry };
            *end = read_as;
            Some(link)
        })
        .collect();
    read.sort_by(|a, b| {
        (b.weight.total_cmp(&a.weight))
            .then_with(|| b.created.cmp(&a.created))
            .then_with(|| (&a.from_entry, &a.to_entry, &a.kind).cmp(&(&b.from_entry, &b.to_entry, &b.kind)))
    });
    let mut seen = HashSet::new();
    read.retain(|link| seen.insert((link.from_entry.clone(), link.to_entry.clone(), link.kind.clone())));
    read
}
