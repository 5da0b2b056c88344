//! Words as the server makes them, by a configuration's own parser. That may be an installed one, for Chinese, with its
//! own kinds of tokens.

use pgrx::pg_sys;

use super::scratch::Scratch;

/// The lexemes of a text, each with its position, from 1. The server gives all words from the 16,383rd on the same one.
pub fn of(configuration: pg_sys::Oid, text: &str) -> Vec<(Vec<u8>, u16)> {
    let scratch = Scratch::begin();
    // SAFETY: the server fills the list, which it makes longer as it has to, with as many words as it says; it reads no
    // byte behind the text. Before words are put in order each has one place.
    let found = unsafe {
        let mut parsed = pg_sys::ParsedText {
            lenwords: 64,
            words: pg_sys::palloc(64 * size_of::<pg_sys::ParsedWord>()).cast(),
            ..Default::default()
        };
        pg_sys::parsetext(configuration, &mut parsed, text.as_ptr().cast_mut().cast(), text.len() as i32);
        let words = std::slice::from_raw_parts(parsed.words, parsed.curwords.max(0) as usize);
        words
            .iter()
            .map(|word| {
                (std::slice::from_raw_parts(word.word.cast::<u8>(), usize::from(word.len)).to_vec(), word.pos.pos)
            })
            .collect()
    };
    scratch.end();
    found
}
