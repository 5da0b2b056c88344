//! A dictionary template that also finds words without their accents: it asks another dictionary about a word with and
//! without them, and returns the lexemes of both, in one position.

use core::ffi::CStr;
use std::ffi::CString;

use memory_search_analyzer::{Alphabet, fold};
use memory_search_core::error::shown;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::{PgMemoryContexts, pg_sys, prelude::*};

use super::letter_case;
use crate::pg::error::{fail, or_raise};

/// The options of a dictionary of this template.
#[derive(Debug, Clone, Copy)]
pub struct Accents {
    /// The dictionary to ask.
    pub dictionary: pg_sys::Oid,
    /// The dictionary to ask about words that consist of ASCII letters without their accents.
    pub ascii: pg_sys::Oid,
    /// Letters with marks that count as separate letters.
    pub alphabet: Alphabet,
}

/// The most lexemes for one word.
const MOST_LEXEMES: usize = 64;

/// The options of a dictionary, if it is of this template.
///
/// # Safety
/// Inside a transaction.
pub unsafe fn of(dictionary: pg_sys::Oid) -> Option<Accents> {
    // SAFETY: the entry lives as long as the session; its data is what the template's function of initialization made.
    unsafe {
        let entry = &*pg_sys::lookup_ts_dictionary_cache(dictionary);
        let lexize: unsafe extern "C-unwind" fn(pg_sys::FunctionCallInfo) -> pg_sys::Datum =
            memory_accents_lexize_wrapper;
        let is_of_template = entry.lexize.fn_addr.is_some_and(|function| function as usize == lexize as usize);
        is_of_template.then(|| *entry.dictData.cast::<Accents>())
    }
}

#[pg_extern(sql = "
CREATE FUNCTION @extschema@.memory_accents_init(pg_catalog.internal) RETURNS pg_catalog.internal
  LANGUAGE c STRICT PARALLEL SAFE AS '@MODULE_PATHNAME@', '@FUNCTION_NAME@';
")]
fn memory_accents_init(call: pg_sys::FunctionCallInfo) -> pgrx::Internal {
    // SAFETY: the server gives a list of DefElem, in the memory context in which what is made has to live.
    unsafe {
        let options = (*call).args.as_slice(1)[0].value.cast_mut_ptr::<pg_sys::List>();
        let accents = or_raise(from_options(options));
        let kept = PgMemoryContexts::CurrentMemoryContext.leak_and_drop_on_delete(accents);
        pgrx::Internal::from(Some(pg_sys::Datum::from(kept)))
    }
}

/// # Safety
/// A list of DefElem, or null.
unsafe fn from_options(options: *mut pg_sys::List) -> Result<Accents> {
    let (mut dictionary, mut ascii, mut alphabet) = (None, None, Alphabet::Plain);
    // SAFETY: by the caller's promise; names and values are C strings.
    unsafe {
        let count = if options.is_null() { 0 } else { (*options).length as usize };
        for index in 0..count {
            let option = (*(*options).elements.add(index)).ptr_value.cast::<pg_sys::DefElem>();
            let name = CStr::from_ptr((*option).defname).to_string_lossy();
            let value = pg_sys::defGetString(option);
            match &*name {
                "dictionary" => dictionary = Some(dictionary_named(value)),
                "ascii" => ascii = Some(dictionary_named(value)),
                "language" => alphabet = alphabet_of(&CStr::from_ptr(value).to_string_lossy())?,
                _ => {
                    return Err(Error::invalid(format!("memory_accents has no option \"{name}\""))
                        .hint("Its options are dictionary, ascii and language."));
                }
            }
        }
    }
    let dictionary = dictionary.ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, "a dictionary of memory_accents needs the option dictionary")
            .hint("Name the dictionary that receives the words, for example Dictionary = pg_catalog.english_stem.")
    })?;
    Ok(Accents { dictionary, ascii: ascii.unwrap_or(dictionary), alphabet })
}

/// The letters of a language, by a name that says it (22023 if no language is known by it). The server's own text search
/// configurations are named after their languages; a copy of one often has the language as a part of its name.
///
/// # Safety
/// Inside a transaction.
unsafe fn alphabet_of(language: &str) -> Result<Alphabet> {
    let alphabet = Alphabet::of_configuration(language);
    let name = language.rsplit('.').next().unwrap_or_default();
    let is_of_server = |part: &str| {
        let part = CString::new(part).unwrap_or_default();
        // SAFETY: reads a catalog cache by a C string and an OID.
        unsafe {
            pg_sys::SearchSysCacheExists(
                pg_sys::SysCacheIdentifier::TSCONFIGNAMENSP as i32,
                pg_sys::Datum::from(part.as_ptr()),
                pg_sys::Oid::from(pg_sys::PG_CATALOG_NAMESPACE).into(),
                0usize.into(),
                0usize.into(),
            )
        }
    };
    let is_known = || name.split(|letter: char| !letter.is_alphanumeric()).any(is_of_server);
    if alphabet == Alphabet::Plain && !is_known() {
        return Err(Error::invalid(format!("memory_accents knows no language \"{}\"", shown(language))).hint(
            "Name the language as a text search configuration of pg_catalog does: german, or my_german. Without the \
             option all letters with marks are also found without them.",
        ));
    }
    Ok(alphabet)
}

/// The dictionary with a name, which may be qualified (42704 if there is none).
///
/// # Safety
/// A C string; inside a transaction.
unsafe fn dictionary_named(name: *const core::ffi::c_char) -> pg_sys::Oid {
    // SAFETY: by the caller's promise.
    unsafe { pg_sys::get_ts_dict_oid(pg_sys::stringToQualifiedNameList(name, std::ptr::null_mut()), false) }
}

#[pg_extern(sql = "
CREATE FUNCTION @extschema@.memory_accents_lexize(
  pg_catalog.internal, pg_catalog.internal, pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
  LANGUAGE c STRICT PARALLEL SAFE AS '@MODULE_PATHNAME@', '@FUNCTION_NAME@';
CREATE TEXT SEARCH TEMPLATE @extschema@.memory_accents (
  INIT = @extschema@.memory_accents_init, LEXIZE = @extschema@.memory_accents_lexize);
", requires = [memory_accents_init])]
fn memory_accents_lexize(call: pg_sys::FunctionCallInfo) -> pgrx::Internal {
    // SAFETY: the server gives what memory_accents_init made, the first byte of a word, its length, and a state that is
    // the other dictionary's.
    unsafe {
        let arguments = (*call).args.as_slice(4);
        let accents = *arguments[0].value.cast_mut_ptr::<Accents>();
        let length = arguments[2].value.value() as i32;
        let bytes = std::slice::from_raw_parts(arguments[1].value.cast_mut_ptr::<u8>(), length.max(0) as usize);
        let state = arguments[3].value;
        let word = std::str::from_utf8(bytes).ok().map(letter_case::for_dictionary);
        let written = ask(accents.dictionary, word.as_deref().map_or(bytes, str::as_bytes), state);
        let folded = word.and_then(|word| fold(&word, accents.alphabet));
        // A stop word also counts for nothing without its accents.
        let answer = match folded.filter(|_| is_word(written)) {
            Some(folded) if folded.is_ascii() => both(written, ask(accents.ascii, folded.as_bytes(), state)),
            Some(folded) => both(written, ask(accents.dictionary, folded.as_bytes(), state)),
            None => written,
        };
        // For an unknown word a dictionary returns the null pointer, not SQL's null.
        pgrx::Internal::from(Some(pg_sys::Datum::from(answer)))
    }
}

/// # Safety
/// Inside a transaction; the state is one that the server gave.
unsafe fn ask(dictionary: pg_sys::Oid, word: &[u8], state: pg_sys::Datum) -> *mut pg_sys::TSLexeme {
    // SAFETY: as in dictionary::ask. ALTER TEXT SEARCH DICTIONARY may lead a dictionary to itself, also by way of one of
    // another template: without the look at the stack that would end the server.
    unsafe {
        pg_sys::check_stack_depth();
        if of(dictionary).is_some() {
            let message = "a dictionary of memory_accents cannot use itself or another dictionary of memory_accents";
            fail(Error::new(ErrorKind::WrongState, message).hint(
                "ALTER TEXT SEARCH DICTIONARY ... (Dictionary = ..., Ascii = ...) to dictionaries of other templates.",
            ));
        }
        let entry = pg_sys::lookup_ts_dictionary_cache(dictionary);
        pg_sys::FunctionCall4Coll(
            &mut (*entry).lexize,
            pg_sys::InvalidOid,
            pg_sys::Datum::from((*entry).dictData),
            pg_sys::Datum::from(word.as_ptr()),
            pg_sys::Datum::from(word.len() as i32),
            state,
        )
        .cast_mut_ptr()
    }
}

/// # Safety
/// Null, or lexemes that end with one of no text.
unsafe fn is_word(lexemes: *mut pg_sys::TSLexeme) -> bool {
    // SAFETY: by the caller's promise.
    unsafe {
        !lexemes.is_null() && !(*lexemes).lexeme.is_null() && u32::from((*lexemes).flags) & pg_sys::TSL_FILTER == 0
    }
}

/// The lexemes of a word in both forms: either form is the word, so a query matches one or the other.
///
/// # Safety
/// Both as [`is_word`] says.
unsafe fn both(written: *mut pg_sys::TSLexeme, folded: *mut pg_sys::TSLexeme) -> *mut pg_sys::TSLexeme {
    // SAFETY: by the caller's promise; palloc0 gives room for as many, and one of no text.
    unsafe {
        if !is_word(folded) {
            return written;
        }
        let all = pg_sys::palloc0((2 * MOST_LEXEMES + 1) * size_of::<pg_sys::TSLexeme>()).cast::<pg_sys::TSLexeme>();
        let (mut count, mut variants) = (0, 0);
        for (from, is_folded) in [(written, false), (folded, true)] {
            for index in 0..MOST_LEXEMES {
                let lexeme = *from.add(index);
                if lexeme.lexeme.is_null() {
                    break;
                }
                let text = CStr::from_ptr(lexeme.lexeme);
                let is_known = (0..count).any(|index| CStr::from_ptr((*all.add(index)).lexeme) == text);
                if is_folded && is_known {
                    continue;
                }
                // Variants are numbered consecutively; no lexeme of the folded form is at a later position.
                let variant = if is_folded { lexeme.nvariant + variants } else { lexeme.nvariant };
                let flags = if is_folded { lexeme.flags & !(pg_sys::TSL_ADDPOS as u16) } else { lexeme.flags };
                *all.add(count) = pg_sys::TSLexeme { nvariant: variant, flags, lexeme: lexeme.lexeme };
                count += 1;
            }
            variants = (0..count).map(|index| (*all.add(index)).nvariant).max().unwrap_or(0) + 1;
        }
        all
    }
}
