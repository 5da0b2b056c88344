//! Association: how strongly entries are related to the best candidates of a search, by links, rare words and rare
//! entities that they share. A search uses it with `options.expand`.
//!
//! Association is a third signal beside meaning and words, and it is bounded: an entry that only association finds
//! ranks below every entry that is relevant by itself (a test of [`crate::rank::ranking`]).
//!
//! The constants come from measurements on questions whose answers lie in several entries (docs/ranking.md).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::rank::by_entry::{ByEntry, EntryKey};
use crate::rank::candidate::Candidate;

/// The number of best candidates from which a search goes to other entries.
pub const SEEDS: usize = 10;
/// The most links between a seed and an entry.
pub const MOST_HOPS: usize = 2;
/// The factor on the weight of a path for each link after the first.
const A_HOP_KEEPS: f64 = 0.5;
/// The most that an associated entry gains, as a share of the best candidate's relevance. Below the share of the best that
/// makes an entry relevant.
pub const WEIGHT: f64 = 0.2;
/// A term is rare if at most this share of the memory's entries hold it.
const RARE_SHARE: f64 = 0.05;
/// In a small memory, a term is also rare if at most this many entries hold it.
const RARE_AT_LEAST: u64 = 10;
/// In a large memory, a term of more entries is not rare: it is weak evidence, and reading all its entries takes long.
pub const RARE_AT_MOST: u64 = 100;
/// Shorter words are no evidence of a relation.
const LEAST_CHARACTERS: usize = 3;
/// The most words of a seed that are looked up, the longest first, because long words are usually rarer. A text of a
/// chat has fewer words; in a long text, looking up each word would take too long.
const MOST_WORDS: usize = 24;
/// The most entities of a seed that are looked up.
pub const MOST_ENTITIES: usize = 16;
/// An entity that more entries name adds no new candidates: these entries are alike, and would fill the answer.
pub const MOST_FOUND_BY_ONE: u64 = 10;

/// The most entries that may hold a rare term, in a memory of this many entries.
pub fn most_holding(entries: u64) -> u64 {
    ((RARE_SHARE * entries as f64) as u64).clamp(RARE_AT_LEAST, RARE_AT_MOST)
}

/// The rarity, 0..1, of a term that `holding` of `entries` entries hold. 0 if it is not rare, or no two entries share
/// it.
fn rarity(holding: u64, entries: u64) -> f64 {
    match (2..=most_holding(entries)).contains(&holding) && entries > holding {
        true => (entries as f64 / holding as f64).ln() / (entries as f64).ln(),
        false => 0.0,
    }
}

/// One of the best candidates, which leads to others.
#[derive(Debug, Clone, PartialEq)]
pub struct Seed {
    /// The number of its memory.
    pub memory: u32,
    /// Its id.
    pub id: String,
    /// Its score as a share of the best, 0..1.
    pub weight: f64,
}

/// The seeds among ranked candidates with their scores, best first.
pub fn seeds<'a>(ranked: impl Iterator<Item = (&'a Candidate, f64)>) -> Vec<Seed> {
    let mut ranked = ranked.peekable();
    let best = ranked.peek().map_or(0.0, |(_, score)| *score);
    if best <= 0.0 {
        return Vec::new();
    }
    let seed = |(candidate, score): (&Candidate, f64)| Seed {
        memory: candidate.memory,
        id: candidate.id.clone(),
        weight: (score / best).clamp(0.0, 1.0),
    };
    ranked.take(SEEDS).map(seed).collect()
}

/// A property that seeds and other entries may share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// A lexeme.
    Word(String),
    /// An entity, by the keys of all its names.
    Entity(Vec<String>),
}

/// The terms of the seeds of one memory, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Terms {
    /// In order.
    pub terms: Vec<Term>,
    /// For each term, the ids and weights of the seeds that hold it.
    seeds: Vec<Vec<(String, f64)>>,
}

impl Terms {
    /// The terms of seeds with their lexemes and the keys of their entities.
    pub fn of<'a>(seeds: impl IntoIterator<Item = (&'a Seed, Vec<Term>)>) -> Terms {
        let mut held: BTreeMap<Term, Vec<(String, f64)>> = BTreeMap::new();
        for (seed, terms) in seeds {
            let (words, entities): (Vec<Term>, Vec<Term>) =
                terms.into_iter().partition(|term| matches!(term, Term::Word(_)));
            let words: BTreeSet<Term> = words.into_iter().filter(|word| characters(word) >= LEAST_CHARACTERS).collect();
            let mut words: Vec<Term> = words.into_iter().collect();
            words.sort_by_key(|word| Reverse(characters(word)));
            let terms = words.into_iter().take(MOST_WORDS).chain(entities.into_iter().take(MOST_ENTITIES));
            for term in terms {
                let seeds = held.entry(term).or_default();
                if seeds.iter().all(|(id, _)| *id != seed.id) {
                    seeds.push((seed.id.clone(), seed.weight));
                }
            }
        }
        let (terms, seeds) = held.into_iter().unzip();
        Terms { terms, seeds }
    }
}

fn characters(term: &Term) -> usize {
    match term {
        Term::Word(word) => word.chars().count(),
        Term::Entity(_) => 0,
    }
}

/// The entries of a memory that hold the terms of its seeds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Holding {
    /// The number of entries of the memory that count.
    pub entries: u64,
    /// For each term, the entries that hold it; `None` if they are more than [`most_holding`].
    pub holders: Vec<Option<Holders>>,
}

/// The entries that hold a term.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Holders {
    /// Their number.
    pub count: u64,
    /// The ids of the entries that association may find.
    pub ids: Vec<String>,
}

/// The association of each entry, 0..1; an entry without one is absent.
#[derive(Debug, Default)]
pub struct Associations {
    of: ByEntry<f64>,
}

impl Associations {
    /// Adds the entries of a memory that share rare terms with its seeds.
    pub fn add_shared(&mut self, memory: u32, terms: &Terms, holding: &Holding) {
        // The weight of a seed and the sum of the rarities, for each pair of a seed and another entry.
        let mut shared: BTreeMap<(&str, &str), (f64, f64)> = BTreeMap::new();
        for (seeds, holders) in terms.seeds.iter().zip(&holding.holders) {
            let Some(holders) = holders else { continue };
            let rarity = rarity(holders.count, holding.entries);
            if rarity == 0.0 {
                continue;
            }
            for (seed, weight) in seeds {
                for id in holders.ids.iter().filter(|id| *id != seed) {
                    shared.entry((seed, id)).or_insert((*weight, 0.0)).1 += rarity;
                }
            }
        }
        for ((_, id), (weight, sum)) in shared {
            self.raise(memory, id, weight * sum.min(1.0));
        }
    }

    /// Adds an entry that links lead to from a seed: `weight` is the product of their weights, `hops` their number.
    pub fn add_linked(&mut self, memory: u32, id: &str, weight: f64, hops: usize) {
        let further = i32::try_from(hops.saturating_sub(1)).unwrap_or(i32::MAX);
        self.raise(memory, id, (weight * A_HOP_KEEPS.powi(further)).clamp(0.0, 1.0));
    }

    fn raise(&mut self, memory: u32, id: &str, association: f64) {
        let known = self.of.get(EntryKey { memory, id }).copied().unwrap_or(0.0);
        if association > known {
            self.of.insert(memory, id.to_owned(), association);
        }
    }

    /// Writes the association of each candidate into it.
    pub fn note(&self, candidates: &mut [Candidate]) {
        for candidate in candidates {
            candidate.association = self.of.get(candidate.key()).copied().unwrap_or(0.0);
        }
    }
}

/// The effect of associations on the relevance of candidates.
#[derive(Debug, Clone, Copy)]
pub struct Pull {
    /// The addition for full association.
    most: f64,
    /// The factor of relevance before the addition, so that the best stays at most 1.
    pub scale: f64,
}

impl Pull {
    /// The effect on candidates with their relevance, if `others` are the candidates that only association found.
    pub fn of<'a>(candidates: impl Iterator<Item = (&'a Candidate, f64)>, others: &[Candidate]) -> Pull {
        let (mut best, mut is_any) = (0.0_f64, !others.is_empty());
        for (candidate, relevance) in candidates {
            best = best.max(relevance);
            is_any |= candidate.association > 0.0;
        }
        match is_any {
            true => Pull { most: WEIGHT * best / (1.0 + WEIGHT), scale: 1.0 / (1.0 + WEIGHT) },
            false => Pull { most: 0.0, scale: 1.0 },
        }
    }

    /// The addition to the relevance of a candidate.
    pub fn on(&self, candidate: &Candidate) -> f64 {
        self.most * candidate.association
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(id: &str, weight: f64) -> Seed {
        Seed { memory: 0, id: id.to_owned(), weight }
    }

    fn word(word: &str) -> Term {
        Term::Word(word.to_owned())
    }

    fn holders(ids: &[&str]) -> Option<Holders> {
        Some(Holders { count: ids.len() as u64, ids: ids.iter().map(|id| (*id).to_owned()).collect() })
    }

    fn association(associations: &Associations, id: &str) -> f64 {
        associations.of.get(EntryKey { memory: 0, id }).copied().unwrap_or(0.0)
    }

    fn candidate(id: &str, association: f64) -> Candidate {
        Candidate { id: id.to_owned(), association, ..Candidate::default() }
    }

    #[test]
    fn an_entry_belongs_to_a_seed_by_how_rare_the_words_are_that_they_share() {
        let (best, next) = (seed("best", 1.0), seed("next", 0.5));
        let terms = Terms::of([(&best, vec![word("kayak"), word("lake")]), (&next, vec![word("lake"), word("oak")])]);
        assert_eq!(terms.terms, [word("kayak"), word("lake"), word("oak")]);
        let of_terms =
            vec![holders(&["best", "a"]), holders(&["best", "next", "a", "b", "c", "d"]), holders(&["next", "e"])];
        let mut associations = Associations::default();
        associations.add_shared(0, &terms, &Holding { entries: 100, holders: of_terms });
        let [rare, usual] = [2.0, 6.0].map(|holding: f64| (100.0 / holding).ln() / 100_f64.ln());
        let close = |id, expected: f64| assert!((association(&associations, id) - expected).abs() < 1e-12, "{id}");
        close("a", (rare + usual).min(1.0));
        close("b", usual);
        close("e", 0.5 * rare);
        close("next", usual);
        close("best", 0.5 * usual);
    }

    #[test]
    fn a_word_that_many_entries_hold_or_only_its_seed_ties_nothing_together() {
        let best = seed("best", 1.0);
        let terms = Terms::of([(&best, vec![word("frequent"), word("hapax"), word("too_frequent")])]);
        let many: Vec<String> = (0..11).map(|n| n.to_string()).collect();
        let of_many = Some(Holders { count: 11, ids: many });
        let mut associations = Associations::default();
        let holding = Holding { entries: 100, holders: vec![of_many, holders(&["best"]), None] };
        associations.add_shared(0, &terms, &holding);
        assert!(associations.of.is_empty());
        assert_eq!((most_holding(0), most_holding(1_000), most_holding(1_000_000)), (10, 50, RARE_AT_MOST));
    }

    #[test]
    fn a_link_counts_less_for_each_further_hop_and_the_best_path_counts() {
        let mut associations = Associations::default();
        associations.add_linked(0, "near", 0.8, 1);
        associations.add_linked(0, "far", 0.8, 2);
        associations.add_linked(0, "near", 0.3, 1);
        assert_eq!((association(&associations, "near"), association(&associations, "far")), (0.8, 0.4));
        let mut candidates = [candidate("near", 0.0), candidate("other", 0.7)];
        associations.note(&mut candidates);
        assert_eq!(candidates.map(|candidate| candidate.association), [0.8, 0.0]);
    }

    #[test]
    fn short_words_and_of_very_many_the_shorter_tie_nothing_together() {
        let best = seed("best", 1.0);
        let many = (0..MOST_WORDS).map(|n| word(&format!("word{n:03}"))).chain([word("ox"), word("öl"), word("oak")]);
        let terms = Terms::of([(&best, many.chain([word("a_longer_word")]).collect())]);
        assert_eq!(terms.terms.len(), MOST_WORDS);
        assert_eq!((&terms.terms[0], &terms.terms[1]), (&word("a_longer_word"), &word("word000")));
        let few = Terms::of([(&best, vec![word("ox"), word("oak")])]);
        assert_eq!(few.terms, [word("oak")]);
    }

    #[test]
    fn seeds_are_the_best_with_their_share_of_the_best_score() {
        let all: Vec<Candidate> = (0..20).map(|n| candidate(&n.to_string(), 0.0)).collect();
        let found = seeds(all.iter().zip((0..20).map(|n| 0.8 - 0.04 * f64::from(n))));
        assert_eq!((found.len(), found[0].weight), (SEEDS, 1.0));
        assert!((found[5].weight - 0.6 / 0.8).abs() < 1e-12);
        assert_eq!(seeds(all.iter().map(|candidate| (candidate, 0.0))), []);
    }

    #[test]
    fn without_associations_relevance_stays_what_it_is() {
        let all = [candidate("a", 0.0), candidate("b", 0.0)];
        let pull = Pull::of(all.iter().zip([0.9, 0.3]), &[]);
        assert_eq!((pull.scale, pull.on(&all[0])), (1.0, 0.0));
    }
}
