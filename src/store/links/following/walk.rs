//! A breadth-first search along links. Each step is bounded, so an entry with very many links costs no more than one
//! with some.

use std::collections::{HashMap, HashSet};

use memory_search_core::Result;
use memory_search_core::bounds_and_defaults::{CORRECTED_OF_STEP, LINKS_OF_ENTRY, LINKS_OF_STEP};
use memory_search_core::timestamp::Micros;

use super::ends::{End, Ends};
use super::{Direction, Followed};
use crate::pg::interrupt;
use crate::pg::spi::Reader;
use crate::store::definition::Store;

/// An entry that was reached.
#[derive(Debug, Clone)]
pub struct Reached {
    /// Its id.
    pub id: String,
    /// The number of links to it.
    pub hops: usize,
    /// The product of the weights along the best path, including the weight of the entry where it begins.
    pub weight: f64,
    /// The kind of the last link of that path.
    pub kind: String,
    /// The entry before it on that path.
    pub via: String,
    /// The time at which it was said.
    pub created: Option<Micros>,
}

/// A walk from some entries.
pub struct Walk<'a> {
    reader: &'a Reader<'a>,
    store: &'a Store,
    memory_id: &'a str,
    kinds: Option<&'a [String]>,
    direction: Direction,
    valid_at: Micros,
    ends: Ends<'a>,
    /// Whether more entries may be reachable than were looked at.
    pub is_cut: bool,
}

impl<'a> Walk<'a> {
    /// Along links of these kinds (`None` is every kind) that are valid at an instant.
    pub fn new(
        reader: &'a Reader<'a>,
        store: &'a Store,
        memory_id: &'a str,
        kinds: Option<&'a [String]>,
        direction: Direction,
        valid_at: Micros,
    ) -> Self {
        Walk {
            reader,
            store,
            memory_id,
            kinds,
            direction,
            valid_at,
            ends: Ends::new(reader, store, memory_id),
            is_cut: false,
        }
    }

    /// The entries that links lead to from these, which have weights of their own: `most` at most, the nearest first,
    /// then the heaviest path, the newest, and by id. Those that it starts from are not among them.
    pub fn from(&mut self, entries: Vec<(String, f64)>, depth: usize, most: usize) -> Result<Vec<Reached>> {
        self.ends.look(entries.iter().map(|(id, _)| id.clone()))?;
        let mut last: Vec<(String, f64)> = Vec::new();
        for (id, weight) in entries {
            let Some(id) = self.ends.read_as(&id) else { continue };
            match last.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => *known = known.max(weight),
                None => last.push((id, weight)),
            }
        }
        let mut seen: HashSet<String> = last.iter().map(|(id, _)| id.clone()).collect();
        let mut reached: Vec<Reached> = Vec::new();
        for hops in 1..=depth {
            interrupt::check();
            if last.is_empty() {
                break;
            }
            let mut next = self.step(&last, hops)?;
            next.retain(|entry| !seen.contains(&entry.id));
            let room = most - reached.len();
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
            kinds: self.kinds,
            valid_at: self.valid_at,
            // One more tells that there are more.
            of_entry: of_entry + 1,
            directions: self.direction.each(),
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

/// A weight, rounded to the digits of an answer, so that weights that look equal are equal.
fn as_shown(weight: f64) -> f64 {
    f64::from(weight as f32)
}
