//! Occurrences of entities in a memory: the number of entries, the times of the first and the last, and the entities
//! beside them.

use std::collections::HashMap;

use super::aliases::Aliases;
use super::{better_written, too_many, with_single_blanks};
use crate::error::Result;
use crate::text::entity_key::entity_key;
use crate::timestamp::Micros;

/// The most other entities that are shown with an entity, those that it occurs with most.
const MOST_BESIDE: usize = 5;

/// The most names of one entry whose neighbours are counted; the numbers of entries include the others. Calls store few
/// names (`MAX_ENTITIES`), but an application's own table may have any number.
const MOST_NEIGHBOURS: usize = 256;

/// The most spellings of one entity that are kept apart; counts include the others.
const MOST_SPELLINGS: usize = 64;

/// An entity, as entries name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// The name to show: that of its aliases, or the one that most entries write.
    pub name: String,
    /// Other names of it in entries, in order.
    pub aliases: Vec<String>,
    /// The number of entries that name it.
    pub entries: i64,
    /// When the first of these entries was made; `None` if none has a time.
    pub first_seen: Option<Micros>,
    /// When the last of them was made.
    pub last_seen: Option<Micros>,
    /// Names of entities in the same entries, the most frequent first.
    pub occurs_with: Vec<String>,
}

/// Counts entities over entries, in any order.
pub struct Occurrences<'a> {
    aliases: &'a Aliases,
    numbers: HashMap<String, u32>,
    counted: Vec<Counted>,
    /// Entities of each entry, one entry after the other.
    of_entries: Vec<u32>,
    /// The end of each entry's list.
    ends: Vec<usize>,
}

#[derive(Default)]
struct Counted {
    key: String,
    entries: i64,
    /// The number of the last entry, from 1, that names it.
    last_entry: usize,
    first_seen: Option<Micros>,
    last_seen: Option<Micros>,
    /// The spellings, with the number of entries that have each.
    written: Vec<(String, i64)>,
    named: Option<String>,
}

impl<'a> Occurrences<'a> {
    /// No occurrences yet.
    pub fn new(aliases: &'a Aliases) -> Occurrences<'a> {
        Occurrences { aliases, numbers: HashMap::new(), counted: Vec::new(), of_entries: Vec::new(), ends: Vec::new() }
    }

    /// Counts an entry.
    ///
    /// # Errors
    ///
    /// Fails if there is not enough memory (54000).
    pub fn add(&mut self, created: Option<Micros>, names: &[String]) -> Result<()> {
        let entry = self.ends.len() + 1;
        self.of_entries.try_reserve(names.len()).map_err(|_| too_many())?;
        self.ends.try_reserve(1).map_err(|_| too_many())?;
        for name in names {
            let Some(number) = self.number(name)? else { continue };
            let counted = &mut self.counted[number as usize];
            counted.is_written(name)?;
            if counted.last_entry != entry {
                counted.last_entry = entry;
                counted.is_seen(created);
                self.of_entries.push(number);
            }
        }
        self.ends.push(self.of_entries.len());
        Ok(())
    }

    fn number(&mut self, name: &str) -> Result<Option<u32>> {
        let Some((key, shown)) = self.aliases.of_name(name) else { return Ok(None) };
        if let Some(number) = self.numbers.get(&*key) {
            return Ok(Some(*number));
        }
        self.numbers.try_reserve(1).map_err(|_| too_many())?;
        self.counted.try_reserve(1).map_err(|_| too_many())?;
        let number = self.counted.len() as u32;
        let named = shown.map(str::to_owned);
        self.counted.push(Counted { key: key.clone().into_owned(), named, ..Counted::default() });
        self.numbers.insert(key.into_owned(), number);
        Ok(Some(number))
    }

    /// The entities that most entries name, at most `most`. With a prefix, only those with a name that begins with it,
    /// compared without case and accents. Ties are in the order of their keys.
    ///
    /// # Errors
    ///
    /// Fails if there is not enough memory (54000).
    pub fn most_frequent(mut self, prefix: Option<&str>, most: usize) -> Result<Vec<Entity>> {
        let prefix = prefix.map(|prefix| entity_key(prefix).unwrap_or_default().into_owned());
        let begins = |counted: &Counted| {
            let names = counted.written.iter().filter_map(|(name, _)| entity_key(name));
            prefix.as_ref().is_none_or(|prefix| {
                counted.key.starts_with(prefix.as_str())
                    || names.into_iter().any(|key| key.starts_with(prefix.as_str()))
            })
        };
        let mut order: Vec<u32> =
            (0..self.counted.len() as u32).filter(|at| begins(&self.counted[*at as usize])).collect();
        let by =
            |at: &u32| (std::cmp::Reverse(self.counted[*at as usize].entries), self.counted[*at as usize].key.clone());
        order.sort_by_cached_key(by);
        order.truncate(most);
        let beside = self.beside(&order)?;
        for counted in &mut self.counted {
            counted.written.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| better_written(&a.0, &b.0)));
        }
        Ok(order.iter().zip(beside).map(|(at, beside)| self.entity(*at, &beside)).collect())
    }

    /// For each of some entities, the entities that it occurs with most.
    fn beside(&self, wanted: &[u32]) -> Result<Vec<Vec<u32>>> {
        let places: HashMap<u32, usize> = wanted.iter().enumerate().map(|(place, number)| (*number, place)).collect();
        let mut counts: Vec<HashMap<u32, i64>> = vec![HashMap::new(); wanted.len()];
        let mut begin = 0;
        for end in &self.ends {
            let entry = &self.of_entries[begin..*end];
            let entry = &entry[..entry.len().min(MOST_NEIGHBOURS)];
            begin = *end;
            for number in entry {
                let Some(place) = places.get(number) else { continue };
                let counts = &mut counts[*place];
                counts.try_reserve(entry.len()).map_err(|_| too_many())?;
                for other in entry.iter().filter(|other| *other != number) {
                    *counts.entry(*other).or_default() += 1;
                }
            }
        }
        let most = counts
            .into_iter()
            .map(|counts| {
                let mut others: Vec<(u32, i64)> = counts.into_iter().collect();
                let key = |number: u32| &self.counted[number as usize].key;
                others.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| key(a.0).cmp(key(b.0))));
                others.into_iter().take(MOST_BESIDE).map(|(number, _)| number).collect()
            })
            .collect();
        Ok(most)
    }

    fn entity(&self, at: u32, beside: &[u32]) -> Entity {
        let counted = &self.counted[at as usize];
        let mut aliases: Vec<String> = counted
            .written
            .iter()
            .filter(|(name, _)| entity_key(name).as_deref() != Some(&*counted.key))
            .map(|(name, _)| name.clone())
            .collect();
        aliases.sort_unstable();
        Entity {
            name: counted.name(),
            aliases,
            entries: counted.entries,
            first_seen: counted.first_seen,
            last_seen: counted.last_seen,
            occurs_with: beside.iter().map(|number| self.counted[*number as usize].name()).collect(),
        }
    }
}

impl Counted {
    fn is_written(&mut self, name: &str) -> Result<()> {
        if let Some((_, count)) = self.written.iter_mut().find(|(written, _)| written == name) {
            *count += 1;
        } else if self.written.len() < MOST_SPELLINGS {
            self.written.try_reserve(1).map_err(|_| too_many())?;
            self.written.push((name.to_owned(), 1));
        }
        Ok(())
    }

    fn is_seen(&mut self, created: Option<Micros>) {
        self.entries += 1;
        self.first_seen = self.first_seen.into_iter().chain(created).min();
        self.last_seen = self.last_seen.max(created);
    }

    fn name(&self) -> String {
        let written = || self.written.first().map(|(name, _)| with_single_blanks(name));
        self.named.clone().or_else(written).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn an_entity_is_counted_once_an_entry_and_named_as_most_write_it() {
        let aliases = Aliases::of([("Liz".to_owned(), "Elizabeth".to_owned())]);
        let mut occurrences = Occurrences::new(&aliases);
        for (created, entry) in [
            (Some(3), names(&["Bob", "BOB", "Lisbon"])),
            (Some(1), names(&["bob", "Liz"])),
            (None, names(&["Bob", "elizabeth", "Lisbon", " "])),
        ] {
            occurrences.add(created, &entry).unwrap();
        }
        let found = occurrences.most_frequent(None, 2).unwrap();
        let bob = Entity {
            name: "Bob".to_owned(),
            aliases: Vec::new(),
            entries: 3,
            first_seen: Some(1),
            last_seen: Some(3),
            occurs_with: names(&["Elizabeth", "Lisbon"]),
        };
        let liz = Entity {
            name: "Elizabeth".to_owned(),
            aliases: names(&["Liz"]),
            entries: 2,
            first_seen: Some(1),
            last_seen: Some(1),
            occurs_with: names(&["Bob", "Lisbon"]),
        };
        assert_eq!(found, [bob, liz]);
    }

    #[test]
    fn a_prefix_is_compared_without_case_and_accents() {
        let aliases = Aliases::of([("Ángel".to_owned(), "Bob".to_owned())]);
        let mut occurrences = Occurrences::new(&aliases);
        occurrences.add(None, &names(&["ángel", "Zoë", "zoology"])).unwrap();
        let found = |occurrences: Occurrences<'_>, prefix| -> Vec<String> {
            occurrences.most_frequent(Some(prefix), 10).unwrap().into_iter().map(|entity| entity.name).collect()
        };
        assert_eq!(found(occurrences, "ANG"), ["Bob"]);
    }

    #[test]
    fn of_an_entry_with_many_names_all_are_counted_and_the_neighbours_of_the_first() {
        let aliases = Aliases::default();
        let mut occurrences = Occurrences::new(&aliases);
        let many: Vec<String> = (0..MOST_NEIGHBOURS + 1).map(|name| format!("name {name}")).collect();
        occurrences.add(None, &[&many[..], &many[..]].concat()).unwrap();
        let found = occurrences.most_frequent(None, usize::MAX).unwrap();
        assert!(found.len() == many.len() && found.iter().all(|entity| entity.entries == 1));
        let alone: Vec<&str> =
            found.iter().filter(|entity| entity.occurs_with.is_empty()).map(|entity| &*entity.name).collect();
        assert_eq!(alone, [format!("name {MOST_NEIGHBOURS}")]);
    }

    proptest! {
        /// The number as a person would count it.
        #[test]
        fn counts_are_those_of_a_naive_count(
            entries in prop::collection::vec(prop::collection::vec(prop::sample::select(vec!["a", "A", "b", "c"]), 0..4), 0..12),
        ) {
            let aliases = Aliases::of([("c".to_owned(), "b".to_owned())]);
            let mut occurrences = Occurrences::new(&aliases);
            for entry in &entries {
                occurrences.add(None, &names(entry)).unwrap();
            }
            let has = |entry: &Vec<&str>, any: &[&str]| entry.iter().any(|name| any.contains(name));
            let (a, b) = (["a", "A"], ["b", "c"]);
            let count = |any: &[&str]| entries.iter().filter(|entry| has(entry, any)).count() as i64;
            let both = entries.iter().any(|entry| has(entry, &a) && has(entry, &b));
            for entity in occurrences.most_frequent(None, 10).unwrap() {
                let own: &[&str] = if entity.name == "b" { &b } else { &a };
                prop_assert_eq!(entity.entries, count(own));
                prop_assert_eq!(entity.occurs_with.len(), usize::from(both));
            }
        }
    }
}
