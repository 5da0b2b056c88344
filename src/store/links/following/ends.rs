//! The entries at the ends of links: whether they are present, and as which entry one is read that was corrected.

use std::collections::{HashMap, HashSet};

use memory_search_core::Result;
use memory_search_core::filter::condition::When;
use memory_search_core::filter::visibility;
use memory_search_core::timestamp::Micros;

use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::store::definition::Store;
use crate::store::predicate::{Rows, at_present};

/// An entry that the caller sees, as links need it.
#[derive(Debug, Clone)]
pub struct End {
    /// Whether it is neither deleted nor expired.
    pub is_present: bool,
    /// The entry that corrects it.
    pub superseded_by: Option<String>,
    /// The time at which it was said.
    pub created: Option<Micros>,
}

/// The entries of a memory that were looked at.
pub struct Ends<'a> {
    reader: &'a Reader<'a>,
    store: &'a Store,
    memory_id: &'a str,
    /// The instant at which they are present, and their corrections count.
    pub when: When,
    /// `None` if the caller sees no such entry.
    known: HashMap<String, Option<End>>,
}

impl<'a> Ends<'a> {
    pub fn new(reader: &'a Reader<'a>, store: &'a Store, memory_id: &'a str) -> Self {
        Ends { reader, store, memory_id, when: at_present(), known: HashMap::new() }
    }

    /// An entry that a statement came upon.
    pub fn note(&mut self, id: &str, end: End) {
        self.known.entry(id.to_owned()).or_insert(Some(end));
    }

    /// An entry that was looked at.
    pub fn of(&self, id: &str) -> Option<&End> {
        self.known.get(id)?.as_ref()
    }

    /// Looks entries up, with their corrections and the corrections of these.
    pub fn look(&mut self, ids: impl IntoIterator<Item = String>) -> Result<()> {
        let mut next: Vec<String> = ids.into_iter().collect();
        loop {
            interrupt::check();
            let (mut unknown, mut seen) = (Vec::new(), HashSet::new());
            for id in next {
                let mut id = Some(id);
                // Follows known corrections to the first unknown entry.
                while let Some(this) = id.take().filter(|this| seen.insert(this.clone())) {
                    match self.known.get(&this) {
                        None => unknown.push(this),
                        Some(end) => id = end.as_ref().and_then(|end| end.superseded_by.clone()),
                    }
                }
            }
            if unknown.is_empty() {
                return Ok(());
            }
            self.fetch(&unknown)?;
            next = unknown;
        }
    }

    fn fetch(&mut self, ids: &[String]) -> Result<()> {
        let mut statement = Statement::default();
        let of_memory = self.store.of_memory(&mut statement, "e", self.memory_id);
        let wanted = statement.bind(Param::Texts(ids.to_vec()));
        let rows = Rows::entries(self.store, "e").of_memory(self.memory_id);
        let present = rows.sql(&mut statement, &visibility::present(self.when));
        let counts = rows.sql(&mut statement, &visibility::correction_counts(self.when));
        let statement = statement.with(format!(
            "SELECT e.entry_id::pg_catalog.text, {present}, \
                    CASE WHEN {counts} THEN e.superseded_by::pg_catalog.text END, \
                    e.creation_time::pg_catalog.timestamptz FROM {}",
            self.store.wanted(&wanted, &of_memory)
        ));
        let known = &mut self.known;
        known.extend(ids.iter().map(|id| (id.clone(), None)));
        let kind = self.store.ids.entry;
        self.store.looking_up(|| {
            self.reader.scan(&statement, |row| {
                let end = End {
                    is_present: row.boolean(2) == Some(true),
                    superseded_by: row.text(3)?.and_then(|id| kind.value(&id)),
                    created: row.timestamp(4),
                };
                known.insert(row.required_text(1)?, Some(end));
                Ok(())
            })
        })
    }

    /// The entry as which one is read that was looked up: the last of those that correct it that is present, or itself.
    /// Nothing where it is not present, or corrections lead back to it.
    pub fn read_as(&self, id: &str) -> Option<String> {
        let mut this = self.of(id).filter(|end| end.is_present)?;
        let (mut read_as, mut seen) = (id.to_owned(), HashSet::from([id]));
        while let Some(next) = this.superseded_by.as_deref() {
            if !seen.insert(next) {
                return None;
            }
            let Some(end) = self.of(next) else { break };
            if end.is_present {
                next.clone_into(&mut read_as);
            }
            this = end;
        }
        Some(read_as)
    }

    /// The present entries that are read as one of these, with the place of that one in the list: itself, and the
    /// entries that it corrects. Returns whether these are all, because the number of corrected entries is bounded.
    pub fn read_so(&mut self, ids: &[String], most_corrected: usize) -> Result<(Vec<(String, usize)>, bool)> {
        let mut all: Vec<(String, usize)> = ids.iter().enumerate().map(|(place, id)| (id.clone(), place)).collect();
        let mut place_of: HashMap<String, usize> = all.iter().cloned().collect();
        let (mut from, mut left) = (0, most_corrected);
        while from < all.len() {
            interrupt::check();
            let these: Vec<String> = all[from..].iter().map(|(id, _)| id.clone()).collect();
            from = all.len();
            let found = self.corrected_by(these, left.saturating_add(1))?;
            if found.len() > left {
                return Ok((self.present(all), false));
            }
            left -= found.len();
            for (id, by) in found {
                if let Some(place) = place_of.get(&by).copied()
                    && !place_of.contains_key(&id)
                {
                    place_of.insert(id.clone(), place);
                    all.push((id, place));
                }
            }
        }
        Ok((self.present(all), true))
    }

    fn present(&self, all: Vec<(String, usize)>) -> Vec<(String, usize)> {
        all.into_iter().filter(|(id, _)| self.of(id).is_some_and(|end| end.is_present)).collect()
    }

    /// The entries that one of these corrects, with that one.
    fn corrected_by(&mut self, ids: Vec<String>, most: usize) -> Result<Vec<(String, String)>> {
        let mut statement = Statement::default();
        let of_memory = self.store.of_memory(&mut statement, "e", self.memory_id);
        let ids = statement.bind(Param::Texts(ids));
        let most = statement.bind(Param::Integer(Some(i64::try_from(most).unwrap_or(i64::MAX))));
        let rows = Rows::entries(self.store, "e").of_memory(self.memory_id);
        let present = rows.sql(&mut statement, &visibility::present(self.when));
        let counts = rows.sql(&mut statement, &visibility::correction_counts(self.when));
        // An adopted table may store a row's correction in another type than its id.
        let is_among = match self.store.is_adopted() {
            false => self.store.is_among("e.superseded_by", &ids),
            true => format!("e.superseded_by::pg_catalog.text OPERATOR(pg_catalog.=) ANY ({ids})"),
        };
        let statement = statement.with(format!(
            "SELECT e.entry_id::pg_catalog.text, e.superseded_by::pg_catalog.text, {present}, \
                    e.creation_time::pg_catalog.timestamptz \
               FROM {} e WHERE {of_memory} AND e.superseded_by IS NOT NULL AND {counts} AND {is_among} LIMIT {most}",
            self.store.relation("entries")
        ));
        let mut found = Vec::new();
        let known = &mut self.known;
        self.store.looking_up(|| {
            self.reader.scan(&statement, |row| {
                let (id, by) = (row.required_text(1)?, row.required_text(2)?);
                let end = End {
                    is_present: row.boolean(3) == Some(true),
                    superseded_by: Some(by.clone()),
                    created: row.timestamp(4),
                };
                known.insert(id.clone(), Some(end));
                found.push((id, by));
                Ok(())
            })
        })?;
        Ok(found)
    }
}
