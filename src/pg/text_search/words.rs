//! The words of a document: its texts, token by token, through a text search configuration, with their places or
//! counted.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use memory_search_analyzer::tokens;
use memory_search_core::bounds_and_defaults::{
    METADATA_CHARACTERS, RAW_ENTRY_CHARACTERS, SUMMARY_CHARACTERS, TAGS_CHARACTERS,
};
use memory_search_core::text::document::Occurrences;
use memory_search_core::text::made_words::{LAST_PLACE, MadeWords, Occurrence, Weight, counted};
use memory_search_core::{Result, json_scalars};
use pgrx::pg_sys;

use super::configuration::{self, Configuration, KnownNumber, LexemeNumber};
use super::scratch::Scratch;
use super::token::Token;
use super::{pairs, phrases, server_words};
use crate::pg::interrupt;

/// The most bytes of the words of a document, with each occurrence counted, which bounds the memory that they take. If a
/// document has more, its first words are taken.
const MOST_BYTES: usize = 1_000_000;

/// Pairs of characters are left out beyond this, so that they never take the place of words: those of all texts of an
/// entry, at their longest, take 800,000 bytes as single characters, of which tags and metadata come last.
const MOST_BYTES_WITH_PAIRS: usize = 750_000;

/// The initial capacity for occurrences: more than most documents have.
const FOUND_AT_FIRST: usize = 128;

/// The lexemes for a word with accents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accents {
    /// Only those of the word as it is written.
    AsWritten,
    /// The lexemes of the word without accents, too, in the same position.
    Folded,
}

/// The parser that splits texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parser {
    /// The analyzer, if the configuration's parser is PostgreSQL's own or the extension's.
    Analyzer,
    /// The configuration's own parser, as in to_tsvector().
    OfConfiguration,
}

/// Makes the words of one document after another.
pub struct Words {
    configuration: Rc<RefCell<Configuration>>,
    accents: Accents,
    is_by_server: bool,
    with_pairs: bool,
    with_parts_by_case: bool,
    found: Vec<Found>,
    /// The position of the last word.
    place: u32,
    bytes: usize,
}

/// A lexeme found in a text.
#[derive(Debug, Clone, Copy)]
struct Found {
    lexeme: LexemeNumber,
    at: Occurrence,
}

impl Words {
    /// With the configuration with this OID (42704 if it does not exist).
    pub fn by(configuration: pg_sys::Oid, parser: Parser, accents: Accents) -> Result<Words> {
        let configuration = configuration::of(configuration)?;
        let is_by_server = parser == Parser::OfConfiguration || configuration.borrow().is_of_foreign_parser;
        let found = Vec::with_capacity(FOUND_AT_FIRST);
        let with_pairs = !is_by_server;
        let (with_parts_by_case, place, bytes) = (true, 0, 0);
        Ok(Words { configuration, accents, is_by_server, with_pairs, with_parts_by_case, found, place, bytes })
    }

    /// The words that an entry must hold. Pairs of characters in scripts without blanks are left out: a run of two words
    /// has a pair that lies over both, and a pair has no neighbours. So are parts of words by case: `GitHub` has them,
    /// and `github` has not.
    pub fn demanded(self) -> Words {
        Words { with_pairs: false, with_parts_by_case: false, ..self }
    }

    /// Adds a text; only the beginning of a long one. No phrase extends from one text into the next.
    pub fn add_text(&mut self, text: &str, weight: Weight) {
        let most = if weight == Weight::A { SUMMARY_CHARACTERS } else { RAW_ENTRY_CHARACTERS };
        self.add(beginning(text, most), weight);
    }

    /// Adds a list of texts, each text once; only the first ones of a long list.
    pub fn add_texts<'t>(&mut self, texts: impl Iterator<Item = &'t str>, weight: Weight) {
        let (mut seen, mut characters) = (HashSet::new(), 0);
        for text in texts.filter(|text| seen.insert(*text)) {
            let text = beginning(text, TAGS_CHARACTERS - characters);
            self.add(text, weight);
            characters += text.chars().count();
            if characters == TAGS_CHARACTERS {
                break;
            }
        }
    }

    /// Adds the keys and scalars of a JSON value, given as its text; only the beginning of a long one.
    pub fn add_json(&mut self, json: &str, weight: Weight) {
        json_scalars::each(beginning(json, METADATA_CHARACTERS), |scalar| self.add(scalar, weight));
    }

    fn add(&mut self, text: &str, weight: Weight) {
        let before = (self.found.len(), self.place, self.bytes);
        if self.is_by_server {
            self.add_by_server(text, weight);
        } else if self.configuration.borrow().has_phrases || !self.add_tokens(text, weight) {
            self.found.truncate(before.0);
            (self.place, self.bytes) = (before.1, before.2);
            self.add_phrases(text, weight);
        }
        if self.with_pairs {
            self.add_pairs(text, before.1, weight);
        }
        if self.place > 0 {
            self.step(1);
        }
    }

    /// Returns the words, and begins the next document.
    pub fn finish(&mut self) -> MadeWords {
        let configuration = self.configuration.borrow();
        self.found.sort_unstable_by(|a, b| {
            let by_lexeme = || configuration.lexeme(a.lexeme).cmp(configuration.lexeme(b.lexeme));
            if a.lexeme == b.lexeme { a.at.rank().cmp(&b.at.rank()) } else { by_lexeme() }
        });
        let made = MadeWords::of(self.found.iter().map(|found| (configuration.lexeme(found.lexeme), found.at)));
        drop(configuration);
        self.end();
        made
    }

    /// Returns the result of `make` for each lexeme with its occurrences, in no order, and begins the next document.
    /// The occurrences are those of [`Self::finish`]; no document is built, because nobody needs the places.
    pub fn finish_counted<T>(&mut self, mut make: impl FnMut(&[u8], Occurrences) -> T) -> Vec<T> {
        let configuration = self.configuration.borrow();
        self.found.sort_unstable_by_key(|found| u64::from(found.lexeme) << 32 | u64::from(found.at.rank()));
        let mut made = Vec::with_capacity(self.found.len());
        made.extend(self.found.chunk_by(|a, b| a.lexeme == b.lexeme).map(|of_one| {
            let occurrences = counted(of_one.iter().map(|found| found.at));
            make(configuration.lexeme(of_one[0].lexeme), occurrences)
        }));
        drop(configuration);
        self.end();
        made
    }

    fn end(&mut self) {
        self.found.clear();
        (self.place, self.bytes) = (0, 0);
        self.forget_if_much();
    }

    /// Calls `take` with each token of a text, from a byte to a byte, and one of its lexemes after another, until
    /// `take` needs no more of the token. Phrases that a dictionary makes of several tokens are left out.
    pub fn each_token(&mut self, text: &str, mut take: impl FnMut(usize, usize, &[u8]) -> bool) {
        let shared = Rc::clone(&self.configuration);
        let mut configuration = shared.borrow_mut();
        let oid = configuration.oid();
        tokens(text, |token| {
            interrupt::check();
            if self.is_by_server {
                let lexemes = server_words::of(oid, &token.text);
                lexemes.iter().any(|(lexeme, _)| take(token.start, token.end, lexeme));
                return true;
            }
            let Some(number) = configuration.number_of_known(token.kind as usize, &token.text) else { return true };
            let known = configuration.known(number);
            let mut numbers = known.written().map(|(number, _)| number).chain(known.folded.iter().copied());
            numbers.any(|number| take(token.start, token.end, configuration.lexeme(number)));
            true
        });
        drop(configuration);
        drop(shared);
        self.forget_if_much();
    }

    /// Drops the known tokens if they take much memory, unless another document under construction uses their lexemes'
    /// numbers.
    fn forget_if_much(&mut self) {
        const KEPT_AND_OWN: usize = 2;
        if Rc::strong_count(&self.configuration) <= KEPT_AND_OWN {
            self.configuration.borrow_mut().forget_if_much();
        }
    }

    /// Adds tokens one by one; returns whether that was possible. Parts of words by case come after the text: so the
    /// whole has the same neighbours as the word in another case, and its parts are neighbours, too.
    fn add_tokens(&mut self, text: &str, weight: Weight) -> bool {
        let shared = Rc::clone(&self.configuration);
        let mut configuration = shared.borrow_mut();
        let mut is_one_by_one = true;
        // The parts, each with whether it is the first of its word.
        let mut parts: Vec<(KnownNumber, bool)> = Vec::new();
        let mut is_in_parts = false;
        tokens(text, |token| {
            if token.by_case && !self.with_parts_by_case {
                return true;
            }
            let Some(number) = configuration.number_of_known(token.kind as usize, &token.text) else {
                configuration.has_phrases = true;
                is_one_by_one = false;
                return false;
            };
            if token.by_case {
                parts.push((number, !is_in_parts));
            } else {
                self.add_known(&configuration, number, weight);
            }
            is_in_parts = token.by_case;
            self.bytes < MOST_BYTES
        });
        if is_one_by_one {
            for (number, is_first) in parts {
                self.step(u16::from(is_first));
                self.add_known(&configuration, number, weight);
            }
        }
        is_one_by_one
    }

    fn add_known(&mut self, configuration: &Configuration, number: KnownNumber, weight: Weight) {
        let known = configuration.known(number);
        if !known.takes_a_place {
            return;
        }
        self.step(1);
        for (number, step) in known.written() {
            self.step(step);
            self.push(number, configuration.lexeme(number), weight);
        }
        if self.accents == Accents::Folded {
            for &number in &known.folded {
                self.push(number, configuration.lexeme(number), weight);
            }
        }
    }

    /// Adds the tokens of a text together, with the parts of words by case after it, as [`Self::add_tokens`] does.
    fn add_phrases(&mut self, text: &str, weight: Weight) {
        let mut all = Vec::new();
        let mut parts: Vec<Vec<Token>> = Vec::new();
        let mut is_in_parts = false;
        tokens(text, |token| {
            let (by_case, kind) = (token.by_case, token.kind as usize);
            let token = Token { kind, text: token.text.into_owned() };
            match parts.last_mut() {
                _ if !by_case => all.push(token),
                _ if !self.with_parts_by_case => {}
                Some(of_word) if is_in_parts => of_word.push(token),
                _ => parts.push(vec![token]),
            }
            is_in_parts = by_case;
            true
        });
        self.add_together(&all, weight);
        for of_word in parts {
            self.step(1);
            self.add_together(&of_word, weight);
        }
    }

    fn add_together(&mut self, tokens: &[Token], weight: Weight) {
        let is_folded = self.accents == Accents::Folded;
        let scratch = Scratch::begin();
        // SAFETY: inside a transaction; what dictionaries allocate goes with the scratch.
        let places = unsafe { phrases::places(&self.configuration.borrow(), tokens, is_folded) };
        scratch.end();
        for place in places {
            self.step(1);
            self.push_all(place.into_iter().map(|lexeme| (lexeme.text, u16::from(lexeme.is_next))), weight);
        }
    }

    /// Adds pairs of neighbouring characters, each in the place of the first of them, by the place before the text.
    fn add_pairs(&mut self, text: &str, before: u32, weight: Weight) {
        let shared = Rc::clone(&self.configuration);
        let mut configuration = shared.borrow_mut();
        pairs::each(text, |number, pair| {
            let place = (before + number).min(LAST_PLACE);
            // A dictionary that needs the next token knows no pair.
            if let Some(known) = configuration.number_of_known(pairs::KIND as usize, pair) {
                for (number, _) in configuration.known(known).written() {
                    let lexeme = configuration.lexeme(number);
                    if self.bytes + bytes_of(lexeme) < MOST_BYTES_WITH_PAIRS {
                        self.bytes += bytes_of(lexeme);
                        self.found.push(Found { lexeme: number, at: Occurrence { place, weight } });
                    }
                }
            }
            self.bytes < MOST_BYTES_WITH_PAIRS
        });
    }

    fn add_by_server(&mut self, text: &str, weight: Weight) {
        let oid = self.configuration.borrow().oid();
        let first = self.place;
        for (lexeme, place) in server_words::of(oid, text) {
            self.place = (first + u32::from(place)).min(LAST_PLACE);
            self.push_all([(lexeme, 0)].into_iter(), weight);
        }
    }

    fn push_all(&mut self, lexemes: impl Iterator<Item = (Vec<u8>, u16)>, weight: Weight) {
        let shared = Rc::clone(&self.configuration);
        let mut configuration = shared.borrow_mut();
        for (lexeme, step) in lexemes {
            self.step(step);
            let number = configuration.number_of(&lexeme);
            self.push(number, &lexeme, weight);
        }
    }

    fn step(&mut self, places: u16) {
        self.place = (self.place + u32::from(places)).min(LAST_PLACE);
    }

    fn push(&mut self, number: LexemeNumber, lexeme: &[u8], weight: Weight) {
        self.bytes += bytes_of(lexeme);
        if self.bytes < MOST_BYTES {
            self.found.push(Found { lexeme: number, at: Occurrence { place: self.place, weight } });
        }
    }
}

/// The bytes that an occurrence of a lexeme counts.
fn bytes_of(lexeme: &[u8]) -> usize {
    lexeme.len() + 5
}

/// The first characters of a text.
fn beginning(text: &str, characters: usize) -> &str {
    if text.len() <= characters {
        return text;
    }
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}
