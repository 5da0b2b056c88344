//! A dictionary of PostgreSQL: a stemmer, a list of stop words, synonyms, a thesaurus. It is asked about one token.

use core::ffi::CStr;

use pgrx::pg_sys;

/// The answer of a dictionary for a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The dictionary does not know the token: the next one is asked.
    Unknown,
    /// The token becomes another one, about which the next dictionary is asked.
    Filtered(Vec<u8>),
    /// Its lexemes; empty for a stop word.
    Lexemes(Vec<Lexeme>),
}

/// A lexeme of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lexeme {
    /// Its text.
    pub text: Vec<u8>,
    /// Whether it is one position after the previous one.
    pub is_next: bool,
}

/// The state of a dictionary that processes several tokens, such as a thesaurus.
pub struct Progress(pg_sys::DictSubState);

impl Progress {
    /// The state before the first token.
    pub fn new() -> Progress {
        Progress(pg_sys::DictSubState { isend: false, getnext: false, private_state: std::ptr::null_mut() })
    }

    /// Whether the dictionary needs the next token.
    pub fn wants_more(&self) -> bool {
        self.0.getnext
    }
}

/// Asks a dictionary about a token; `None` tells it that the text ends. It allocates in the current memory context.
///
/// # Safety
/// Inside a transaction; `progress` is new or was used with the same dictionary in the same memory context.
pub unsafe fn ask(dictionary: pg_sys::Oid, token: Option<&[u8]>, progress: &mut Progress) -> Answer {
    let text = token.unwrap_or_default();
    progress.0.isend = token.is_none();
    progress.0.getnext = false;
    // SAFETY: the entry lives as long as the session, and is filled anew where the dictionary changed. A dictionary takes
    // its own data, the token's first byte and its length, and its state; it gives an array whose last lexeme is null, or
    // null. It reads no byte behind the token, which it may not change.
    unsafe {
        let entry = pg_sys::lookup_ts_dictionary_cache(dictionary);
        let found = pg_sys::FunctionCall4Coll(
            &mut (*entry).lexize,
            pg_sys::InvalidOid,
            pg_sys::Datum::from((*entry).dictData),
            pg_sys::Datum::from(text.as_ptr()),
            pg_sys::Datum::from(text.len() as i32),
            pg_sys::Datum::from(&raw mut progress.0),
        );
        read(found.cast_mut_ptr())
    }
}

/// # Safety
/// As a dictionary gives it: null, or an array that ends with a lexeme of no text.
unsafe fn read(mut found: *const pg_sys::TSLexeme) -> Answer {
    if found.is_null() {
        return Answer::Unknown;
    }
    let mut lexemes = Vec::new();
    // SAFETY: by the caller's promise; texts are C strings.
    unsafe {
        while !(*found).lexeme.is_null() {
            let flags = u32::from((*found).flags);
            let text = CStr::from_ptr((*found).lexeme).to_bytes().to_vec();
            if lexemes.is_empty() && flags & pg_sys::TSL_FILTER != 0 {
                return Answer::Filtered(text);
            }
            lexemes.push(Lexeme { text, is_next: flags & pg_sys::TSL_ADDPOS != 0 });
            found = found.add(1);
        }
    }
    Answer::Lexemes(lexemes)
}
