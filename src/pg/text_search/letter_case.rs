//! Lower case of words before a dictionary is asked. The dictionaries of PostgreSQL lower words by the locale of the
//! database: with `LC_CTYPE=C` they leave all letters outside ASCII as they are. They also lower each letter without
//! regard to its neighbours, so that `ΛΟΓΟΣ` would not become `λογος`.

use std::borrow::Cow;
use std::cell::OnceCell;

use pgrx::pg_sys;

use super::dictionary::{self, Answer, Progress};
use super::scratch::Scratch;

/// The OID of `pg_catalog.simple` in pg_ts_dict (pg_ts_dict.dat).
const SIMPLE_DICTIONARY: u32 = 3765;

thread_local! {
    static SERVER_LOWERS: OnceCell<bool> = const { OnceCell::new() };
}

/// The word for a dictionary: in lower case, unless the dictionary does that itself.
pub fn for_dictionary(word: &str) -> Cow<'_, str> {
    if word.is_ascii() || !word.contains('Σ') && SERVER_LOWERS.with(|lowers| *lowers.get_or_init(server_lowers)) {
        return Cow::Borrowed(word);
    }
    // Unicode's own rule makes two characters of this letter.
    Cow::Owned(word.replace('İ', "i").to_lowercase())
}

/// Whether dictionaries of the server write letters outside ASCII in lower case.
fn server_lowers() -> bool {
    let scratch = Scratch::begin();
    // SAFETY: inside a transaction; the progress is new.
    let answer =
        unsafe { dictionary::ask(pg_sys::Oid::from(SIMPLE_DICTIONARY), Some("Ж".as_bytes()), &mut Progress::new()) };
    scratch.end();
    matches!(answer, Answer::Lexemes(lexemes) if lexemes.first().is_some_and(|lexeme| lexeme.text == "ж".as_bytes()))
}
