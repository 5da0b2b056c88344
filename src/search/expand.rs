//! Entries that belong to the best candidates, if `options.expand` asks for them: links lead to them, or they share
//! rare words or entities with these candidates ([`memory_search_core::rank::association`]).

use std::cell::RefCell;
use std::collections::HashSet;

use memory_search_core::Result;
use memory_search_core::entities::aliases::Aliases;
use memory_search_core::rank::association::{self, Associations, MOST_HOPS, Seed, Term, Terms};
use memory_search_core::rank::by_entry::EntryKey;
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::rank::choices::Strategy;
use memory_search_core::rank::ranking::{self, Basis};
use memory_search_core::rank::signals::WordStatistics;
use memory_search_core::text::document::Document;
use memory_search_core::text::entity_key::entity_key;
use memory_search_core::text::query_lexemes::QueryLexemes;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::search::fetch;
use crate::search::row_words::{self, RowJudge, RowWords};
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::searched::{Searched, candidate};
use crate::search::source::FoundBySignals;
use crate::store::links::following::{Direction, Walk, of_one_memory};

/// The most entries of a memory that are reached by links.
const MOST_LINKED: usize = 200;
/// The number of the first column that words of seeds are read from.
const WORDS_OF_SEEDS: i32 = 3;
/// The number of the first column that words of linked entries are read from.
const WORDS_OF_LINKED: i32 = 4;

/// The expansion of one search.
pub struct Expansion<'a> {
    pub reader: &'a Reader<'a>,
    pub scopes: &'a Scopes<'a>,
    /// The query's words.
    pub asked: &'a QueryLexemes,
    pub strategy: Strategy,
    /// The basis of the ranking, without the statistics of words.
    pub basis: Basis,
    /// The seeds, once they are known.
    seeds: RefCell<Vec<Seed>>,
}

impl<'a> Expansion<'a> {
    /// The expansion, before its seeds are known.
    pub fn of(
        reader: &'a Reader<'a>,
        scopes: &'a Scopes<'a>,
        asked: &'a QueryLexemes,
        strategy: Strategy,
        basis: Basis,
    ) -> Self {
        Expansion { reader, scopes, asked, strategy, basis, seeds: RefCell::default() }
    }

    /// The terms of the best candidates, by memory.
    pub fn terms(&self, candidates: &mut [Candidate], words: Option<WordStatistics>) -> Result<Vec<(u32, Terms)>> {
        let rules = &self.scopes.plan.ranking;
        if rules.scoring.looks_at_texts() {
            fetch::add_authors_and_lengths(self.reader, self.scopes, candidates)?;
        }
        let basis = Basis { words, ..self.basis.clone() };
        let ranking = ranking::rank(rules, self.strategy, &basis, candidates.to_vec());
        let seeds = association::seeds(ranking.ranked.iter().map(|ranked| (&ranked.candidate, ranked.score)));
        let mut terms = Vec::new();
        for (memory, scope) in self.scopes.numbered() {
            let of_memory: Vec<&Seed> = seeds.iter().filter(|seed| seed.memory == memory).collect();
            if !of_memory.is_empty() {
                terms.push((memory, self.terms_of(scope, &of_memory)?));
            }
        }
        *self.seeds.borrow_mut() = seeds;
        Ok(terms)
    }

    fn terms_of(&self, scope: &Scope<'_>, seeds: &[&Seed]) -> Result<Terms> {
        let mut statement = Statement::default();
        let of_memory = scope.of_memory(&mut statement, "e");
        let ids = statement.bind(Param::Texts(seeds.iter().map(|seed| seed.id.clone()).collect()));
        let statement = statement.with(format!(
            "SELECT e.entry_id::pg_catalog.text, e.entities::pg_catalog.text[], {} FROM {}",
            row_words::columns(scope.store, Searched::Entries),
            scope.store.wanted(&ids, &of_memory)
        ));
        let mut words = RowWords::of(scope.store, Searched::Entries)?;
        let mut found: Vec<(&Seed, Vec<Term>)> = Vec::new();
        scope.store.looking_up(|| {
            self.reader.scan(&statement, |row| {
                let id = row.required_text(1)?;
                let Some(seed) = seeds.iter().find(|seed| seed.id == id) else { return Ok(()) };
                let mut terms = entities(&row.texts(2), scope.aliases);
                words.read(&row, WORDS_OF_SEEDS, |document| {
                    for index in 0..document.lexeme_count() {
                        // Lexemes of the server are valid UTF-8, so bytes that are not are left out.
                        let Ok(lexeme) = std::str::from_utf8(document.lexeme(index)?) else { continue };
                        // The words of the question are no terms, because all entries that answer it share them.
                        if self.asked.find(lexeme).is_none() {
                            terms.push(Term::Word(lexeme.to_owned()));
                        }
                    }
                    Ok(())
                })?;
                found.push((seed, terms));
                Ok(())
            })
        })?;
        // The terms are in the order of the seeds, which does not depend on the order of the rows.
        found.sort_by_key(|(seed, _)| seeds.iter().position(|other| other == seed));
        Ok(Terms::of(found))
    }

    /// The candidates and the entries that belong to them, each with its association.
    pub fn expanded(&self, found: FoundBySignals) -> Result<FoundBySignals> {
        let FoundBySignals { mut candidates, sharing, .. } = found;
        let Some(sharing) = sharing else { return Ok(FoundBySignals { candidates, sharing: None, ..found }) };
        let mut associations = Associations::default();
        for (memory, terms, holding) in &sharing.of_memories {
            associations.add_shared(*memory, terms, holding);
        }
        candidates.extend(sharing.others);
        for (memory, scope) in self.scopes.numbered() {
            self.add_linked(memory, scope, &mut associations, &mut candidates)?;
        }
        associations.note(&mut candidates);
        // An entry that shares only a frequent name has no association.
        candidates.retain(|candidate| candidate.association > 0.0 || candidate.has_signal());
        candidates.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.memory.cmp(&b.memory)));
        Ok(FoundBySignals { candidates, sharing: None, ..found })
    }

    fn add_linked(
        &self,
        memory: u32,
        scope: &Scope<'_>,
        associations: &mut Associations,
        candidates: &mut Vec<Candidate>,
    ) -> Result<()> {
        let seeds = self.seeds.borrow();
        let from: Vec<(String, f64)> =
            seeds.iter().filter(|seed| seed.memory == memory).map(|seed| (seed.id.clone(), seed.weight)).collect();
        // A store of an older version may lack the table of links, and most memories have no link.
        if from.is_empty() || !scope.has_links || !self.has_a_link(scope)? {
            return Ok(());
        }
        let walk = Walk::new(self.reader, scope.whole, scope.memory_id, None, Direction::Both, scope.now);
        let mut walk = walk.at(scope.when());
        let paths = of_one_memory(scope.whole, || walk.heaviest_paths(from, MOST_HOPS, MOST_LINKED))?;
        for linked in &paths {
            associations.add_linked(memory, &linked.id, linked.weight, linked.hops);
        }
        let known: HashSet<EntryKey<'_>> = candidates.iter().map(Candidate::key).collect();
        let mut unknown: Vec<String> =
            (paths.into_iter().map(|path| path.id)).filter(|id| !known.contains(&EntryKey { memory, id })).collect();
        unknown.sort_unstable();
        // Paths of different lengths may lead to one entry.
        unknown.dedup();
        let found = self.that_may_be_found(memory, scope, unknown)?;
        candidates.extend(found);
        Ok(())
    }

    fn has_a_link(&self, scope: &Scope<'_>) -> Result<bool> {
        let mut statement = Statement::default();
        let of_memory = scope.whole.of_memory(&mut statement, "l", scope.memory_id);
        let statement =
            statement.with(format!("SELECT true FROM {} l WHERE {of_memory} LIMIT 1", scope.whole.relation("links")));
        let mut is_any = false;
        scope.whole.looking_up(|| {
            self.reader.scan(&statement, |_| {
                is_any = true;
                Ok(())
            })
        })?;
        Ok(is_any)
    }

    /// The entries among `ids` that the search may find, as candidates.
    fn that_may_be_found(&self, memory: u32, scope: &Scope<'_>, ids: Vec<String>) -> Result<Vec<Candidate>> {
        let mut found = Vec::new();
        if ids.is_empty() {
            return Ok(found);
        }
        let mut statement = Statement::default();
        let of_memory = scope.of_memory(&mut statement, "e");
        let ids = statement.bind(Param::Texts(ids));
        let visible = scope.visible_entries(&mut statement);
        let filters = scope.filters(&mut statement);
        let mut judge = scope.demands.map(|demands| RowJudge::of(scope.store, demands)).transpose()?;
        let words = match judge {
            Some(_) => format!(", {}", row_words::columns(scope.store, Searched::Entries)),
            None => String::new(),
        };
        let statement = statement.with(format!(
            "SELECT e.entry_id::pg_catalog.text, e.creation_time::pg_catalog.timestamptz, {}{words} FROM {} \
              WHERE {visible} AND {filters}",
            Searched::Entries.importance(),
            scope.store.wanted(&ids, &of_memory)
        ));
        scope.store.looking_up(|| {
            self.reader.scan(&statement, |row| {
                let is_met = judge.as_mut().map_or(Ok(true), |judge| judge.meets(&row, WORDS_OF_LINKED))?;
                if is_met {
                    found.push(Candidate { memory, ..candidate(&row)? });
                }
                Ok(())
            })
        })?;
        Ok(found)
    }
}

/// The entities of an entry as terms, each with the keys of all its names.
fn entities(names: &[String], aliases: &Aliases) -> Vec<Term> {
    let names = names.iter().take(association::MOST_ENTITIES);
    names.filter_map(|name| entity_key(name)).map(|key| Term::Entity(aliases.keys_of(&key))).collect()
}
