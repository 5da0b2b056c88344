//! What is related to an entry: the entries that links lead to, both ways, the nearest first. A search in breadth that is
//! bounded in each step, so that an entry with many links costs no more than one with some.

use std::collections::{HashMap, HashSet};

use memory_search_core::limits::{CORRECTED_OF_STEP, LINKS_OF_ENTRY, LINKS_OF_STEP, MAX_RESPONSE_BYTES};
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, ErrorKind, Result};

use super::ends::{End, Ends};
use super::{Direction, Followed, of_one_memory};
use crate::pg::clock;
use crate::pg::datum::text;
use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::store::definition::tables_of_links::required;
use crate::store::definition::{self, Store};

/// What is asked for.
#[allow(missing_docs)]
pub struct Wanted {
    pub entry_id: String,
    pub depth: usize,
    /// `None` is every kind.
    pub kinds: Option<Vec<String>>,
    pub entries: usize,
}

/// An entry that links lead to.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Related {
    pub entry_id: String,
    pub hops: usize,
    /// The product of the weights along the best path.
    pub weight: f64,
    /// The kind of the last link of that path.
    pub kind: String,
    /// The entry before it on that path.
    pub via: String,
    pub raw_entry: String,
    pub summary: Option<String>,
    pub created: Option<Micros>,
    /// Whether other entries may be missing from the answer.
    pub is_cut: bool,
}

/// The related entries, by how many links they are away, then the heaviest path, then the newest, then by id.
pub fn related(store_name: &StoreName, memory_id: &MemoryId, wanted: &Wanted) -> Result<Vec<Related>> {
    spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        required(reader, &store, store_name, "links")?;
        let Some(entry) = store.ids.entry.value(&wanted.entry_id) else { return Ok(Vec::new()) };
        of_one_memory(&store, || {
            let mut walk = Walk {
                reader,
                store: &store,
                memory_id,
                wanted,
                ends: Ends::new(reader, &store, memory_id),
                is_cut: false,
            };
            let reached = walk.from(entry)?;
            texts(reader, &store, memory_id, reached, walk.is_cut)
        })
    })
}

/// An entry that was reached.
#[derive(Debug, Clone)]
struct Reached {
    id: String,
    hops: usize,
    weight: f64,
    kind: String,
    via: String,
    created: Option<Micros>,
}

struct Walk<'a> {
    reader: &'a Reader<'a>,
    store: &'a Store,
    memory_id: &'a str,
    wanted: &'a Wanted,
    ends: Ends<'a>,
    is_cut: bool,
}

impl Walk<'_> {
    fn from(&mut self, entry: String) -> Result<Vec<Reached>> {
        self.ends.look([entry.clone()])?;
        let Some(entry) = self.ends.read_as(&entry) else { return Ok(Vec::new()) };
        let mut seen = HashSet::from([entry.clone()]);
        let mut reached: Vec<Reached> = Vec::new();
        let mut last = vec![(entry, 1.0)];
        for hops in 1..=self.wanted.depth {
            interrupt::check();
            let mut next = self.step(&last, hops)?;
            next.retain(|entry| !seen.contains(&entry.id));
            let room = self.wanted.entries - reached.len();
            if next.len() > room {
                self.is_cut = true;
                next.truncate(room);
            }
            if next.is_empty() {
                break;
            }
            seen.extend(next.iter().map(|entry| entry.id.clone()));
            last = next.iter().map(|entry| (entry.id.clone(), entry.weight)).collect();
            reached.extend(next);
        }
        Ok(reached)
    }

    /// The entries that links lead to from these, the best path to each, in order.
    fn step(&mut self, from: &[(String, f64)], hops: usize) -> Result<Vec<Reached>> {
        let ids: Vec<String> = from.iter().map(|(id, _)| id.clone()).collect();
        let (members, are_all) = self.ends.read_so(&ids, CORRECTED_OF_STEP)?;
        self.is_cut |= !are_all;
        let of_entry = (LINKS_OF_STEP / (2 * members.len().max(1))).clamp(1, LINKS_OF_ENTRY);
        let followed = Followed {
            kinds: self.wanted.kinds.as_deref(),
            valid_at: clock::transaction_start(),
            // One more tells that there are more.
            of_entry: of_entry + 1,
            directions: Direction::Both.each(),
        };
        let statement =
            followed.statement(self.store, self.memory_id, members.iter().map(|(id, _)| id.clone()).collect());
        let (mut links, mut counts) = (Vec::new(), HashMap::<(usize, bool), usize>::new());
        let (ends, is_cut, kind_of_id) = (&mut self.ends, &mut self.is_cut, self.store.ids.entry);
        self.store.looking_up(|| {
            self.reader.scan(&statement, |row| {
                let place = usize::try_from(row.required_integer(1)? - 1).unwrap_or_default();
                let count = counts.entry((place, row.boolean(2) == Some(true))).or_default();
                *count += 1;
                if *count > of_entry {
                    *is_cut = true;
                    return Ok(());
                }
                let other = row.required_text(3)?;
                let superseded_by = row.text(10)?.and_then(|id| kind_of_id.value(&id));
                ends.note(&other, End { is_present: true, superseded_by, created: row.timestamp(11) });
                links.push((place, other, row.required_text(4)?, row.number(5).unwrap_or_default()));
                Ok(())
            })
        })?;
        self.ends.look(links.iter().map(|(_, other, _, _)| other.clone()))?;
        let mut best: HashMap<String, (Reached, usize)> = HashMap::new();
        for (place, other, kind, weight) in links {
            let Some(id) = self.ends.read_as(&other) else { continue };
            let Some((via, before)) = members.get(place).and_then(|(_, of)| from.get(*of).map(|(_, w)| (*of, *w)))
            else {
                continue;
            };
            let created = self.ends.of(&id).and_then(|end| end.created);
            let path = Reached {
                id: id.clone(),
                hops,
                weight: as_shown(before * weight),
                kind,
                via: from[via].0.clone(),
                created,
            };
            let is_better = best.get(&id).is_none_or(|(known, known_via)| {
                (path.weight.total_cmp(&known.weight))
                    .then_with(|| known_via.cmp(&via))
                    .then_with(|| known.kind.cmp(&path.kind))
                    .is_gt()
            });
            if is_better {
                best.insert(id, (path, via));
            }
        }
        let mut reached: Vec<Reached> = best.into_values().map(|(path, _)| path).collect();
        reached.sort_by(|a, b| {
            (b.weight.total_cmp(&a.weight)).then_with(|| b.created.cmp(&a.created)).then_with(|| a.id.cmp(&b.id))
        });
        Ok(reached)
    }
}

/// A weight to the digits that an answer has: what looks equal is equal.
fn as_shown(weight: f64) -> f64 {
    f64::from(weight as f32)
}

/// The entries with their texts, in the same order.
fn texts(
    reader: &Reader<'_>,
    store: &Store,
    memory_id: &MemoryId,
    reached: Vec<Reached>,
    is_cut: bool,
) -> Result<Vec<Related>> {
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let ids = statement.bind(Param::Texts(reached.iter().map(|entry| entry.id.clone()).collect()));
    let statement = statement.with(format!(
        "SELECT e.entry_id::pg_catalog.text, e.raw_entry::pg_catalog.text, e.summary::pg_catalog.text FROM {}",
        store.columns_wanted("e.entry_id, e.raw_entry, e.summary", &ids, &of_memory, "")
    ));
    let (mut found, mut bytes) = (HashMap::new(), 0);
    store.looking_up(|| {
        reader.scan(&statement, |row| {
            let (raw_entry, summary) = (row.text(2)?.unwrap_or_default(), row.text(3)?);
            bytes += raw_entry.len() + summary.as_ref().map_or(0, String::len);
            if bytes > MAX_RESPONSE_BYTES {
                return Err(text::too_much(bytes));
            }
            found.insert(row.required_text(1)?, (raw_entry, summary));
            Ok(())
        })
    })?;
    reached
        .into_iter()
        .map(|entry| {
            let lost = || Error::new(ErrorKind::Internal, "an entry that was read is gone within one snapshot");
            let (raw_entry, summary) = found.remove(&entry.id).ok_or_else(lost)?;
            Ok(Related {
                entry_id: entry.id,
                hops: entry.hops,
                weight: entry.weight,
                kind: entry.kind,
                via: entry.via,
                raw_entry,
                summary,
                created: entry.created,
                is_cut,
            })
        })
        .collect()
}
