//! Words of the query that stand in no entry, with one letter wrong: which words of the memories may be meant. It is asked
//! only where a word stands nowhere, so a query whose words all match pays nothing.

use std::cell::OnceCell;

use memory_search_core::Result;
use memory_search_core::request::plan::Plan;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_core::text::typo::{self, Misspelt, Probe, Taken};

use crate::search::query_words;
use crate::store::definition::Store;

/// A query with what was meant.
pub struct Corrected {
    /// Its words, with those that count for one that stands nowhere.
    pub lexemes: QueryLexemes,
    /// Which word was taken for which.
    pub taken: Vec<Taken>,
}

/// What looks for it.
pub struct Typos<'a> {
    store: &'a Store,
    plan: &'a Plan,
    found: OnceCell<Corrected>,
}

impl<'a> Typos<'a> {
    /// For one search.
    pub fn new(store: &'a Store, plan: &'a Plan) -> Self {
        Typos { store, plan, found: OnceCell::new() }
    }

    /// What may be meant by words that no row holds; `None` where each word stands somewhere, or may not be misspelt.
    /// `document_frequency` is that of each word.
    pub fn probe(&self, lexemes: &QueryLexemes, document_frequency: &[u64]) -> Result<Option<Probe>> {
        if document_frequency.iter().all(|&count| count > 0) {
            return Ok(None);
        }
        let demanded: Vec<String> = self.plan.query.phrases.iter().flat_map(|phrase| typo::words(phrase)).collect();
        let mut misspelt: Vec<Misspelt> = Vec::new();
        for written in typo::words(&self.plan.query.wanted) {
            // What is quoted is meant as it is written.
            if demanded.contains(&written) {
                continue;
            }
            let own = query_words::lexemes_of(self.store, &written)?;
            let Some(word) = self.only_word(lexemes, &own).filter(|&word| document_frequency[word] == 0) else {
                continue;
            };
            if misspelt.iter().any(|other| other.word == word) {
                continue;
            }
            let meant = query_words::lexemes_of(self.store, &typo::one_edit_away(&written).join(" "))?;
            misspelt.push(Misspelt { word, written, lexemes: meant });
            if misspelt.len() == typo::MOST_CORRECTED {
                break;
            }
        }
        Ok(Probe::of(misspelt, lexemes))
    }

    /// The word of the query that all lexemes of a written one count for.
    fn only_word(&self, lexemes: &QueryLexemes, own: &[String]) -> Option<usize> {
        let mut words = own.iter().map(|lexeme| {
            lexemes.find(lexeme).and_then(|place| lexemes.meanings().nth(place)).map(|meaning| meaning.word)
        });
        let first = words.next().flatten()?;
        words.all(|word| word == Some(first)).then_some(first)
    }

    /// Keeps what stands somewhere of a probe, by how many rows hold each of its lexemes.
    pub fn keep(&self, lexemes: &QueryLexemes, probe: &Probe, holding: &[u64]) {
        if let Some((lexemes, taken)) = probe.corrected(lexemes, holding) {
            self.found.get_or_init(|| Corrected { lexemes, taken });
        }
    }

    /// What was meant, where anything was found.
    pub fn into_found(self) -> Option<Corrected> {
        self.found.into_inner()
    }
}
