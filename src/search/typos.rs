//! Words of the query that are in no entry: finds the words of the memories that differ in one letter and may have been
//! meant. It runs only if a word is in no entry, so a query whose words all match has no extra cost.

use std::cell::OnceCell;

use memory_search_core::Result;
use memory_search_core::request::plan::Plan;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_core::text::typo::{self, Misspelt, Probe, Taken};

use crate::search::query_words;
use crate::store::definition::Store;

/// A query with the intended words.
pub struct Corrected {
    /// Its words, with those that count for a word that is in no entry.
    pub lexemes: QueryLexemes,
    /// The replaced words, with their replacements.
    pub taken: Vec<Taken>,
}

/// The search for intended words.
pub struct Typos<'a> {
    store: &'a Store,
    plan: &'a Plan,
    found: OnceCell<Corrected>,
}

impl<'a> Typos<'a> {
    /// The search for intended words, before any was found.
    pub fn new(store: &'a Store, plan: &'a Plan) -> Self {
        Typos { store, plan, found: OnceCell::new() }
    }

    /// The words that may have been meant by words that no row holds; `None` if each word is in some row, or may not be
    /// misspelt. `document_frequency` is that of each word.
    pub fn probe(&self, lexemes: &QueryLexemes, document_frequency: &[u64]) -> Result<Option<Probe>> {
        if document_frequency.iter().all(|&count| count > 0) {
            return Ok(None);
        }
        let demanded: Vec<String> = self.plan.query.phrases.iter().flat_map(|phrase| typo::words(phrase)).collect();
        let mut misspelt: Vec<Misspelt> = Vec::new();
        for written in typo::words(&self.plan.query.wanted) {
            // A quoted word is meant as it is written.
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

    /// The query's word for which all lexemes of a written word count.
    fn only_word(&self, lexemes: &QueryLexemes, own: &[String]) -> Option<usize> {
        let mut words = own.iter().map(|lexeme| {
            lexemes.find(lexeme).and_then(|place| lexemes.meanings().nth(place)).map(|meaning| meaning.word)
        });
        let first = words.next().flatten()?;
        words.all(|word| word == Some(first)).then_some(first)
    }

    /// Keeps the words of a probe that some row holds, by the number of rows that hold each of their lexemes.
    pub fn keep(&self, lexemes: &QueryLexemes, probe: &Probe, holding: &[u64]) {
        if let Some((lexemes, taken)) = probe.corrected(lexemes, holding) {
            self.found.get_or_init(|| Corrected { lexemes, taken });
        }
    }

    /// The intended words, if any were found.
    pub fn into_found(self) -> Option<Corrected> {
        self.found.into_inner()
    }
}
