//! A text search configuration: the dictionaries for each kind of token, and their answers, which a session keeps.
//! Stemming a word takes a microsecond, and most words of a text were looked up before.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, TryReserveError};
use std::rc::Rc;

use memory_search_analyzer::{Alphabet, fold};
use memory_search_core::error::out_of_memory;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use super::accents;
use super::dictionary::{self, Answer, Lexeme, Progress};
use super::letter_case;
use super::scratch::Scratch;
use crate::pg::error;

/// Kinds of tokens, from 1, with the numbers of PostgreSQL's default parser.
const KINDS: usize = 23;
/// The kind of a word of ASCII letters.
const ASCII_WORD: usize = 1;
/// The kinds of words that are also found without their accents: plain words, words with hyphens, and their parts.
const WITH_ACCENTS: [usize; 3] = [2, 10, 17];
/// The kinds of compounds and words with digits: they have one kind with and without accents.
const NAMES_WITH_ACCENTS: [usize; 9] = [3, 4, 5, 6, 8, 9, 15, 18, 19];
/// The bytes of tokens and lexemes that a session keeps of a configuration. Beyond this, they are all dropped.
const KEPT_BYTES: usize = 8 << 20;
/// The bytes of a token in addition to its text, and of a lexeme in addition to its bytes: tables are half full, and
/// each part is a separate allocation. With these counted, no table grows beyond the reserve of a call
/// (`pg::memory_reserve`).
const BYTES_OF_KNOWN: usize = 2 * (size_of::<(Box<str>, KnownNumber)>() + size_of::<Known>()) + 32;
const BYTES_OF_LEXEME: usize = 2 * size_of::<(Rc<[u8]>, LexemeNumber)>() + 2 * size_of::<Rc<[u8]>>() + 32;
/// The longest lexeme of a tsvector, in bytes (MAXSTRLEN - 1 in tsearch/ts_type.h).
const LONGEST_LEXEME: usize = pg_sys::MAXSTRLEN as usize - 1;
/// The number of the column cfgname of pg_ts_config (pg_ts_config.h).
const NAME_COLUMN: i16 = 2;
/// The OID of `pg_catalog.default` in pg_ts_parser (pg_ts_parser.dat).
const DEFAULT_PARSER: u32 = 3722;

/// The number of a lexeme within a configuration.
pub type LexemeNumber = u32;

/// The number of a token's result among the known ones. It is looked up once, and borrows nothing.
#[derive(Debug, Clone, Copy)]
pub struct KnownNumber(u32);

/// A lexeme of a token, with the number of positions after the previous one.
type Written = (LexemeNumber, u16);

/// The result for a token of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// Whether it takes a position: a dictionary knows it.
    pub takes_a_place: bool,
    /// The first lexeme of the word as it is written; most tokens have only this one, so it is not a separate
    /// allocation.
    first: Option<Written>,
    /// The other lexemes.
    further: Box<[Written]>,
    /// The lexemes of the word without its accents, if they differ.
    pub folded: Box<[LexemeNumber]>,
}

impl Known {
    /// The lexemes of the word as it is written.
    pub fn written(&self) -> impl Iterator<Item = Written> {
        self.first.into_iter().chain(self.further.iter().copied())
    }
}

/// The results of a configuration for tokens.
pub struct Configuration {
    oid: pg_sys::Oid,
    alphabet: Alphabet,
    /// For each kind of token, its dictionaries, in order.
    dictionaries: Vec<Box<[pg_sys::Oid]>>,
    /// The same dictionaries, with each of [`accents`]' replaced by the one for words as they are written.
    of_written: Vec<Box<[pg_sys::Oid]>>,
    /// For each kind of token, the numbers of the known ones.
    numbers_of_known: Vec<HashMap<Box<str>, KnownNumber>>,
    known: Vec<Known>,
    lexemes: Vec<Rc<[u8]>>,
    numbers: HashMap<Rc<[u8]>, LexemeNumber>,
    bytes: usize,
    /// Whether a dictionary asked for more than one token: then the tokens of each text are processed together.
    pub has_phrases: bool,
    /// Whether its parser's kinds of tokens are not known here.
    pub is_of_foreign_parser: bool,
}

/// A configuration, with the generation in which it was read.
type Kept = (u64, Rc<RefCell<Configuration>>);

thread_local! {
    static KEPT: RefCell<HashMap<u32, Kept>> = RefCell::default();
    static GENERATION: Cell<u64> = const { Cell::new(0) };
    static IS_LISTENING: Cell<bool> = const { Cell::new(false) };
}

/// The configuration with this OID, with the session's known tokens.
pub fn of(oid: pg_sys::Oid) -> Result<Rc<RefCell<Configuration>>> {
    listen();
    let generation = GENERATION.get();
    let kept = KEPT.with_borrow(|kept| kept.get(&oid.to_u32()).cloned());
    if let Some((of_generation, configuration)) = kept
        && of_generation == generation
    {
        return Ok(configuration);
    }
    let configuration = Rc::new(RefCell::new(Configuration::read(oid)?));
    if GENERATION.get() == generation {
        KEPT.with_borrow_mut(|kept| {
            kept.retain(|_, (of_generation, _)| *of_generation == generation);
            kept.insert(oid.to_u32(), (generation, Rc::clone(&configuration)))
        });
    }
    Ok(configuration)
}

/// Drops the answers of configurations when one of them, or a dictionary, changes: in this session or another.
fn listen() {
    if IS_LISTENING.replace(true) {
        return;
    }
    for cache in [
        pg_sys::SysCacheIdentifier::TSCONFIGOID,
        pg_sys::SysCacheIdentifier::TSCONFIGMAP,
        pg_sys::SysCacheIdentifier::TSDICTOID,
        pg_sys::SysCacheIdentifier::TSTEMPLATEOID,
    ] {
        // SAFETY: the callback is a function of this library, which is never unloaded.
        unsafe { pg_sys::CacheRegisterSyscacheCallback(cache as i32, Some(changed), pg_sys::Datum::from(0usize)) };
    }
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn changed(_argument: pg_sys::Datum, _cache: i32, _hash: u32) {
    GENERATION.set(GENERATION.get().wrapping_add(1));
}

impl Configuration {
    fn read(oid: pg_sys::Oid) -> Result<Configuration> {
        // SAFETY: inside a transaction. The caches' rows live until they are released; an entry of the cache of
        // configurations lives as long as the session, its map until the next invalidation, which nothing here takes.
        unsafe {
            let key = pg_sys::Datum::from(oid);
            let row = pg_sys::SearchSysCache1(pg_sys::SysCacheIdentifier::TSCONFIGOID as i32, key);
            if row.is_null() {
                return Err(Error::new(
                    ErrorKind::UndefinedObject,
                    format!("there is no text search configuration with the OID {}", oid.to_u32()),
                ));
            }
            let mut is_null = false;
            let cache = pg_sys::SysCacheIdentifier::TSCONFIGOID as i32;
            let name =
                pg_sys::SysCacheGetAttr(cache, row, NAME_COLUMN, &mut is_null).cast_mut_ptr::<pg_sys::NameData>();
            let name = core::ffi::CStr::from_ptr((*name).data.as_ptr()).to_string_lossy().into_owned();
            pg_sys::ReleaseSysCache(row);
            let entry = &*pg_sys::lookup_ts_config_cache(oid);
            let mut dictionaries: Vec<Box<[pg_sys::Oid]>> = vec![Box::default(); KINDS + 1];
            for (kind, asked) in dictionaries.iter_mut().enumerate().take(entry.lenmap as usize) {
                let list = &*entry.map.add(kind);
                if list.len > 0 {
                    *asked = std::slice::from_raw_parts(list.dictIds, list.len as usize).into();
                }
            }
            let as_written = |&dictionary: &pg_sys::Oid| accents::of(dictionary).map_or(dictionary, |of| of.dictionary);
            Ok(Configuration {
                of_written: dictionaries.iter().map(|asked| asked.iter().map(as_written).collect()).collect(),
                oid,
                alphabet: Alphabet::of_configuration(&name),
                dictionaries,
                numbers_of_known: vec![HashMap::new(); KINDS + 1],
                known: Vec::new(),
                lexemes: Vec::new(),
                numbers: HashMap::new(),
                bytes: 0,
                has_phrases: false,
                is_of_foreign_parser: !counts_kinds_alike(entry.prsId),
            })
        }
    }

    /// Its OID.
    pub fn oid(&self) -> pg_sys::Oid {
        self.oid
    }

    /// The number of a token's result; `None` if a dictionary needs the next token.
    pub fn number_of_known(&mut self, kind: usize, text: &str) -> Option<KnownNumber> {
        if let Some(&number) = self.numbers_of_known.get(kind)?.get(text) {
            return Some(number);
        }
        let learnt = self.learn(kind, text)?;
        let number = KnownNumber(self.known.len() as u32);
        let numbers = self.numbers_of_known.get_mut(kind)?;
        require(self.known.try_reserve(1));
        require(numbers.try_reserve(1));
        self.known.push(learnt);
        numbers.insert(text.into(), number);
        Some(number)
    }

    /// The result for a token, by its number.
    pub fn known(&self, number: KnownNumber) -> &Known {
        &self.known[number.0 as usize]
    }

    /// The bytes of a lexeme.
    pub fn lexeme(&self, number: LexemeNumber) -> &[u8] {
        self.lexemes.get(number as usize).map_or(&[], |lexeme| lexeme)
    }

    /// The number of a lexeme.
    pub fn number_of(&mut self, lexeme: &[u8]) -> LexemeNumber {
        if let Some(&number) = self.numbers.get(lexeme) {
            return number;
        }
        let number = self.lexemes.len() as LexemeNumber;
        let lexeme: Rc<[u8]> = lexeme.into();
        self.bytes += lexeme.len() + BYTES_OF_LEXEME;
        require(self.lexemes.try_reserve(1));
        require(self.numbers.try_reserve(1));
        self.lexemes.push(Rc::clone(&lexeme));
        self.numbers.insert(lexeme, number);
        number
    }

    /// The dictionaries for a kind of token.
    fn dictionaries(&self, kind: usize) -> &[pg_sys::Oid] {
        self.dictionaries.get(kind).map_or(&[], |asked| asked)
    }

    /// The dictionaries for words of a kind as they are written.
    pub fn dictionaries_of_written(&self, kind: usize) -> &[pg_sys::Oid] {
        self.of_written.get(kind).map_or(&[], |asked| asked)
    }

    /// Drops the known tokens if they take much memory. Then no number of a lexeme is valid any longer.
    pub fn forget_if_much(&mut self) {
        if self.bytes > KEPT_BYTES {
            self.numbers_of_known.iter_mut().for_each(HashMap::clear);
            self.known.clear();
            self.lexemes.clear();
            self.numbers.clear();
            self.bytes = 0;
        }
    }

    fn learn(&mut self, kind: usize, text: &str) -> Option<Known> {
        let scratch = Scratch::begin();
        let learnt = self.ask(kind, text);
        scratch.end();
        learnt
    }

    fn ask(&mut self, kind: usize, text: &str) -> Option<Known> {
        let written = lexemes_of(self.of_written.get(kind)?, text)?;
        // If a word counts for nothing, its form without accents counts for nothing, too.
        let folded = match written.as_deref() {
            Some([_, ..]) if !text.is_ascii() => self.folded(kind, text)?,
            _ => None,
        };
        self.bytes += text.len() + BYTES_OF_KNOWN;
        let takes_a_place = written.is_some();
        let mut written =
            written.iter().flatten().map(|lexeme| (self.number_of(&lexeme.text), u16::from(lexeme.is_next)));
        let (first, further) = (written.next(), written.collect());
        let mut known = Known { takes_a_place, first, further, folded: Box::default() };
        if let Some(folded) = folded {
            let mut numbers: Vec<_> = folded.iter().map(|lexeme| self.number_of(&lexeme.text)).collect();
            numbers.retain(|number| known.written().all(|(written, _)| written != *number));
            known.folded = numbers.into();
        }
        Some(known)
    }

    /// The lexemes of a word without its accents: by the configuration's own dictionaries for that, or else by those
    /// for its other words.
    pub fn folded(&self, kind: usize, text: &str) -> Option<Option<Vec<Lexeme>>> {
        if self.dictionaries.get(kind) != self.of_written.get(kind) {
            return lexemes_of(self.dictionaries(kind), text);
        }
        let is_word = WITH_ACCENTS.contains(&kind);
        let may_be_folded = is_word || NAMES_WITH_ACCENTS.contains(&kind);
        let Some(folded) = fold(text, self.alphabet).filter(|_| may_be_folded) else {
            return Some(None);
        };
        let kind = if is_word && folded.is_ascii() { ASCII_WORD } else { kind };
        lexemes_of(self.dictionaries(kind), &folded)
    }
}

/// The answer of dictionaries for a token: `Some(None)` if none knows it, `None` if one needs the next token.
fn lexemes_of(dictionaries: &[pg_sys::Oid], text: &str) -> Option<Option<Vec<Lexeme>>> {
    let mut text = letter_case::for_dictionary(text).into_owned().into_bytes();
    for &dictionary in dictionaries {
        let mut progress = Progress::new();
        // SAFETY: inside a transaction; the progress is new.
        let answer = unsafe { dictionary::ask(dictionary, Some(&text), &mut progress) };
        if progress.wants_more() {
            return None;
        }
        match answer {
            Answer::Unknown => {}
            Answer::Filtered(other) => text = other,
            Answer::Lexemes(mut lexemes) => {
                lexemes.retain(|lexeme| lexeme.text.len() <= LONGEST_LEXEME);
                return Some(Some(lexemes));
            }
        }
    }
    Some(None)
}

/// Ends the call if the system gives no more memory (53200).
fn require(reserved: std::result::Result<(), TryReserveError>) {
    if reserved.is_err() {
        error::fail(out_of_memory());
    }
}

/// Whether a parser numbers kinds of tokens as PostgreSQL's default parser does: it is that one, or the extension's.
fn counts_kinds_alike(parser: pg_sys::Oid) -> bool {
    if parser.to_u32() == DEFAULT_PARSER {
        return true;
    }
    // SAFETY: inside a transaction; the entry lives as long as the session.
    let start = unsafe { (*pg_sys::lookup_ts_parser_cache(parser)).prsstart.fn_addr };
    start.is_some_and(|start| start as usize == super::parser::START as usize)
}
