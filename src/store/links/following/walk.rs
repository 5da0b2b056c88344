//! A breadth-first search along links. Each step is bounded, so an entry with very many links costs no more than one
//! with some.

use std::collections::{HashMap, HashSet};

use memory_search_core::Result;
use memory_search_core::bounds_and_defaults::{CORRECTED_OF_STEP, LINKS_OF_ENTRY, LINKS_OF_STEP};
use memory_search_core::filter::condition::When;
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
    /// The product of the weights along the heaviest of the paths with so many links, including the weight of the entry
    /// where it begins.
    pub weight: f64,
    /// The kind of the last link of that path.
    pub kind: String,
    /// The entry before it on that path.
    pub via: String,
    /// The time at which it was said.
    pub created: Option<Micros>,
}

/// A path to an entry that is heavier than every shorter one.
#[derive(Debug, Clone)]
pub struct Path {
    /// The entry to which it leads.
    pub id: String,
    /// The number of its links.
    pub hops: usize,
    /// The product of the weights of its links and of the entry where it begins.
    pub weight: f64,
}

/// A link that leads on from one of some entries.
struct Onward {
    /// The place of that entry in their list.
    place: usize,
    /// The entry to which it leads.
    id: String,
    kind: String,
    weight: f64,
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

    /// The walk at another instant than now: entries that were deleted, expired or corrected later count as they did.
    pub fn at(mut self, when: When) -> Self {
        self.ends.when = when;
        self
    }

    /// The entries that links lead to from these, which have weights of their own: `most` at most, the nearest first, then
    /// the heaviest of the shortest paths, the newest, and by id. Those that it starts from are not among them.
    pub fn from(&mut self, entries: Vec<(String, f64)>, depth: usize, most: usize) -> Result<Vec<Reached>> {
        let mut last = self.starts(entries)?;
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

    /// The paths from these entries, which have weights of their own, to others: for each number of links the heaviest,
    /// if it is heavier than those over fewer links. They lead also to entries at which others begin, but not back to
    /// their own, and to `most` further entries at most, the nearest and heaviest first.
    pub fn heaviest_paths(&mut self, entries: Vec<(String, f64)>, depth: usize, most: usize) -> Result<Vec<Path>> {
        let starts = self.starts(entries)?;
        // For each entry, the starts from which it is reached, with the weights of the heaviest paths. Of two starts at
        // most: a path goes on from an entry to any other one but its own start, so a third never leads to more.
        let mut known: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut heaviest: HashMap<String, f64> = HashMap::new();
        let mut last: Vec<(String, Vec<(usize, f64)>)> = Vec::new();
        for (start, (id, weight)) in starts.iter().enumerate() {
            known.insert(id.clone(), vec![(start, *weight)]);
            last.push((id.clone(), vec![(start, *weight)]));
        }
        let (mut paths, mut room) = (Vec::new(), most);
        for hops in 1..=depth {
            interrupt::check();
            if last.is_empty() {
                break;
            }
            let ids: Vec<String> = last.iter().map(|(id, _)| id.clone()).collect();
            let mut reached: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
            for link in self.onward(&ids)? {
                for (start, before) in &last[link.place].1 {
                    if starts[*start].0 == link.id {
                        continue;
                    }
                    let weight = as_shown(before * link.weight);
                    let from = reached.entry(link.id.clone()).or_default();
                    match from.iter_mut().find(|(known, _)| known == start) {
                        Some((_, known)) => *known = known.max(weight),
                        None => from.push((*start, weight)),
                    }
                }
            }
            let mut next: Vec<(String, Vec<(usize, f64)>)> = reached.into_iter().collect();
            for (_, from) in &mut next {
                from.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            }
            let created = |id: &str| self.ends.of(id).and_then(|end| end.created);
            next.sort_by(|(a, of_a), (b, of_b)| {
                (of_b[0].1.total_cmp(&of_a[0].1)).then_with(|| created(b).cmp(&created(a))).then_with(|| a.cmp(b))
            });
            last.clear();
            for (id, from) in next {
                let weight = from[0].1;
                let before = heaviest.get(&id).copied();
                if before.is_none() && !starts.iter().any(|(start, _)| *start == id) {
                    if room == 0 {
                        self.is_cut = true;
                        continue;
                    }
                    room -= 1;
                }
                if before.is_none_or(|before| weight > before) {
                    heaviest.insert(id.clone(), weight);
                    paths.push(Path { id: id.clone(), hops, weight });
                }
                let known = known.entry(id.clone()).or_default();
                let mut on = Vec::new();
                for (start, weight) in from {
                    let heavier = known.iter().filter(|(_, other)| *other >= weight);
                    // The entry's own start leads on to all that this one leads to.
                    let is_beaten = heavier.clone().any(|(other, _)| *other == start || starts[*other].0 == id)
                        || heavier.count() >= 2;
                    if !is_beaten {
                        known.retain(|(other, _)| *other != start);
                        known.push((start, weight));
                        on.push((start, weight));
                    }
                }
                if !on.is_empty() {
                    last.push((id, on));
                }
            }
        }
        Ok(paths)
    }

    /// The present entries as which entries are read, each once, with the greatest of its weights.
    fn starts(&mut self, entries: Vec<(String, f64)>) -> Result<Vec<(String, f64)>> {
        self.ends.look(entries.iter().map(|(id, _)| id.clone()))?;
        let mut starts: Vec<(String, f64)> = Vec::new();
        for (id, weight) in entries {
            let Some(id) = self.ends.read_as(&id) else { continue };
            match starts.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => *known = known.max(weight),
                None => starts.push((id, weight)),
            }
        }
        Ok(starts)
    }

    /// The entries that links lead to from these, the best path to each, in order.
    fn step(&mut self, from: &[(String, f64)], hops: usize) -> Result<Vec<Reached>> {
        let ids: Vec<String> = from.iter().map(|(id, _)| id.clone()).collect();
        let mut best: HashMap<String, (Reached, usize)> = HashMap::new();
        for Onward { place: via, id, kind, weight } in self.onward(&ids)? {
            let created = self.ends.of(&id).and_then(|end| end.created);
            let (before, weight_before) = &from[via];
            let path = Reached {
                id: id.clone(),
                hops,
                weight: as_shown(weight_before * weight),
                kind,
                via: before.clone(),
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

    /// The links that lead on from these entries, of each entry with many the heaviest.
    fn onward(&mut self, from: &[String]) -> Result<Vec<Onward>> {
        let (members, are_all) = self.ends.read_so(from, CORRECTED_OF_STEP)?;
        self.is_cut |= !are_all;
        let of_entry = (LINKS_OF_STEP / (2 * members.len().max(1))).clamp(1, LINKS_OF_ENTRY);
        let followed = Followed {
            kinds: self.kinds,
            valid_at: self.valid_at,
            when: self.ends.when,
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
        let onward = |(place, other, kind, weight): (usize, String, String, f64)| {
            let id = self.ends.read_as(&other)?;
            let place = members.get(place).map(|(_, of)| *of).filter(|of| *of < from.len())?;
            Some(Onward { place, id, kind, weight })
        };
        Ok(links.into_iter().filter_map(onward).collect())
    }
}

/// A weight, rounded to the digits of an answer, so that weights that look equal are equal.
fn as_shown(weight: f64) -> f64 {
    f64::from(weight as f32)
}
