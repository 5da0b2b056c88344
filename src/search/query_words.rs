//! The query's words, made in the same way as the words of entries.

use memory_search_core::rank::choices::WordMatch;
use memory_search_core::request::plan::Plan;
use memory_search_core::text::demands::Demands;
use memory_search_core::text::document::Document;
use memory_search_core::text::hit::{self, Hit};
use memory_search_core::text::made_words::{MadeWords, Weight};
use memory_search_core::text::phrase::Phrase;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_core::{Result, error};

use crate::pg::interrupt;
use crate::pg::notice;
use crate::pg::text_search::words::{Accents, Words};
use crate::store::definition::Store;

/// The lexemes of the query in the store's language.
pub fn lexemes(store: &Store, plan: &Plan) -> Result<QueryLexemes> {
    let wanted = &plan.query.wanted;
    let words = |accents| {
        let words = store.words(accents)?;
        Ok(if plan.word_match == WordMatch::All { words.demanded() } else { words })
    };
    let written = with_words(&mut words(Accents::AsWritten)?, wanted, QueryLexemes::of)?;
    if written.is_empty() || wanted.is_ascii() {
        return Ok(written);
    }
    with_words(&mut words(Accents::Folded)?, wanted, |words| written.with_folded(words))
}

/// The lexemes of a text, made like the lexemes of an entry.
pub fn lexemes_of(store: &Store, text: &str) -> Result<Vec<String>> {
    with_words(&mut store.words(Accents::Folded)?, text, |words| {
        let lexeme = |index| Ok(String::from_utf8_lossy(words.lexeme(index)?).into_owned());
        (0..words.lexeme_count()).map(lexeme).collect()
    })
}

/// The query's demands on every entry: its phrases, and the absence of its excluded words. They are compared as
/// written: a word with an accent does not match the word without it. A notice names each text that demands nothing.
pub fn demands(store: &Store, plan: &Plan) -> Result<Option<Demands>> {
    let mut words = store.words(Accents::AsWritten)?.demanded();
    let mut phrases = |texts: &[String], effect: &str| -> Result<Vec<Phrase>> {
        let mut found = Vec::new();
        for text in texts {
            match with_words(&mut words, text, Phrase::of)? {
                Some(phrase) => found.push(phrase),
                None => {
                    let text = error::shown(text);
                    notice::inform_once(&format!("\"{text}\" has only stop words, or no words: the query {effect}"));
                }
            }
        }
        Ok(found)
    };
    let wanted = phrases(&plan.query.phrases, "does not demand it")?;
    let excluded = phrases(&plan.query.excluded, "does not exclude it")?;
    let has_any = !wanted.is_empty() || !excluded.is_empty();
    Ok(has_any.then(|| Demands::new(&wanted, &excluded)))
}

/// The places of the query's words in a text.
pub fn hits(words: &mut Words, text: &str, lexemes: &QueryLexemes) -> Vec<Hit> {
    let mut found = Vec::new();
    words.each_token(text, |from, to, lexeme| {
        let number = std::str::from_utf8(lexeme).ok().and_then(|lexeme| lexemes.find(lexeme));
        let word = number.and_then(|number| u16::try_from(number).ok());
        found.extend(word.map(|word| Hit { from, to, word }));
        word.is_some()
    });
    hit::apart(text, found.into_iter().inspect(|_| interrupt::check()))
}

fn with_words<T>(words: &mut Words, text: &str, read: impl FnOnce(&MadeWords) -> Result<T>) -> Result<T> {
    words.add_text(text, Weight::D);
    read(&words.finish())
}
