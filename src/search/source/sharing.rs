//! The entries that share terms with the best candidates, by a pass over the rows, if the memory index may not be read.

use std::collections::{BTreeMap, HashMap, HashSet};

use memory_search_core::Result;
use memory_search_core::rank::association::{
    Holders, Holding, MOST_FOUND_BY_ONE, RARE_AT_MOST, Term, Terms, most_holding,
};
use memory_search_core::rank::by_entry::EntryKey;
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::text::document::Document;
use memory_search_core::text::entity_key::entity_key;

use super::pass::Sharing;
use crate::pg::interrupt;
use crate::pg::spi::{Reader, Statement};
use crate::search::row_words::{self, RowJudge, RowWords};
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::searched::{Searched, candidate};

/// The number of the first column that words are read from.
const WORDS: i32 = 6;

/// Finds the entries that hold the terms of each memory's best candidates.
pub fn by_rows(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    candidates: &[Candidate],
    sought: Vec<(u32, Terms)>,
) -> Result<Sharing> {
    let known: HashSet<EntryKey<'_>> = candidates.iter().map(Candidate::key).collect();
    let mut sharing = Sharing::default();
    let mut others = BTreeMap::new();
    for (memory, terms) in sought {
        let (entries, found) = of_memory(reader, scopes.memory(memory), &terms.terms)?;
        let mut holders = Vec::new();
        for (term, Found { count, rows }) in terms.terms.iter().zip(found) {
            if count > most_holding(entries) {
                holders.push(None);
                continue;
            }
            let brings_in = matches!(term, Term::Entity(_)) && count <= MOST_FOUND_BY_ONE;
            let mut ids = Vec::new();
            for row in rows {
                let is_known = known.contains(&EntryKey { memory, id: &row.id });
                if !is_known && !brings_in {
                    continue;
                }
                ids.push(row.id.clone());
                if !is_known {
                    others.entry((row.id.clone(), memory)).or_insert(Candidate { memory, ..row });
                }
            }
            ids.sort_unstable();
            holders.push(Some(Holders { count, ids }));
        }
        sharing.of_memories.push((memory, terms, Holding { entries, holders }));
    }
    sharing.others = others.into_values().collect();
    Ok(sharing)
}

/// The rows that hold a term.
#[derive(Default)]
struct Found {
    count: u64,
    /// The entries that may be found; only some of them if the term is too frequent to be rare.
    rows: Vec<Candidate>,
}

/// The number of entries of a memory that the caller sees, and for each term those that hold it.
fn of_memory(reader: &Reader<'_>, scope: &Scope<'_>, terms: &[Term]) -> Result<(u64, Vec<Found>)> {
    let mut entity_of_key: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut place_of_word: HashMap<&[u8], usize> = HashMap::new();
    for (place, term) in terms.iter().enumerate() {
        match term {
            Term::Word(lexeme) => drop(place_of_word.insert(lexeme.as_bytes(), place)),
            Term::Entity(keys) => keys.iter().for_each(|key| entity_of_key.entry(key).or_default().push(place)),
        }
    }
    let mut statement = Statement::default();
    let visible = scope.visible_entries(&mut statement);
    let filters = scope.filters(&mut statement);
    let statement = statement.with(format!(
        "SELECT e.entry_id::pg_catalog.text, e.creation_time::pg_catalog.timestamptz, {}, {filters}, \
                e.entities::pg_catalog.text[], {} FROM {} e WHERE {visible}",
        Searched::Entries.importance(),
        row_words::columns(scope.store, Searched::Entries),
        scope.store.relation("entries")
    ));
    let mut words = RowWords::of(scope.store, Searched::Entries)?;
    let mut judge = scope.demands.map(|demands| RowJudge::of(scope.store, demands)).transpose()?;
    let mut found: Vec<Found> = terms.iter().map(|_| Found::default()).collect();
    let mut entries = 0;
    reader.scan(&statement, |row| {
        interrupt::check();
        entries += 1;
        let mut held: HashSet<usize> = HashSet::new();
        words.read(&row, WORDS, |document| {
            for index in 0..document.lexeme_count() {
                held.extend(place_of_word.get(document.lexeme(index)?));
            }
            Ok(())
        })?;
        for name in row.texts(5) {
            let places = entity_key(&name).and_then(|key| entity_of_key.get(&*key));
            held.extend(places.into_iter().flatten());
        }
        if held.is_empty() {
            return Ok(());
        }
        let passes = row.boolean(4) == Some(true)
            && match &mut judge {
                Some(judge) => judge.meets(&row, WORDS)?,
                None => true,
            };
        let is_named = passes && row.text(1)?.is_some();
        for place in held {
            found[place].count += 1;
            if is_named && found[place].rows.len() < RARE_AT_MOST as usize {
                found[place].rows.push(candidate(&row)?);
            }
        }
        Ok(())
    })?;
    Ok((entries, found))
}
