//! A quoted phrase, or an excluded word: the words of a text with their places in it.

use crate::text::document::Document;
use crate::{Error, ErrorKind, Result, bounds_and_defaults};

/// Adjacent words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase(Vec<(u32, String)>);

impl Phrase {
    /// From a text; `None` if it has no word.
    ///
    /// # Errors
    /// [`ErrorKind::LimitExceeded`] (54000) for more than [`bounds_and_defaults::MAX_QUERY_LEXEMES`] words,
    /// because a phrase must not be cut silently.
    pub fn of(text: &impl Document) -> Result<Option<Phrase>> {
        let mut words = Vec::new();
        for index in 0..text.lexeme_count() {
            let lexeme = String::from_utf8_lossy(text.lexeme(index)?).into_owned();
            for position in text.positions(index)? {
                words.push((position, lexeme.clone()));
            }
        }
        words.sort();
        if words.len() > bounds_and_defaults::MAX_QUERY_LEXEMES {
            return Err(Error::new(
                ErrorKind::LimitExceeded,
                format!("a quoted phrase of the query has more than {} words", bounds_and_defaults::MAX_QUERY_LEXEMES),
            )
            .hint("Quote a shorter passage."));
        }
        Ok((!words.is_empty()).then_some(Phrase(words)))
    }

    /// The words with their positions, in order.
    pub fn words(&self) -> impl Iterator<Item = (u32, &str)> {
        self.0.iter().map(|(position, lexeme)| (*position, lexeme.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::document::WordList;

    #[test]
    fn a_phrase_of_too_many_words_is_refused_and_not_cut() {
        let phrase_of = |count: u16| {
            let words: Vec<String> = (0..count).map(|at| format!("w{at:03}")).collect();
            let positions: Vec<[(u16, u16); 1]> = (1..=count).map(|at| [(at, 0)]).collect();
            let lexemes: Vec<(&str, &[(u16, u16)])> =
                words.iter().zip(&positions).map(|(word, at)| (word.as_str(), &at[..])).collect();
            Phrase::of(&WordList::new(&lexemes))
        };
        assert_eq!(phrase_of(256).unwrap().unwrap().words().last(), Some((256, "w255")));
        assert_eq!(phrase_of(257).unwrap_err().kind, ErrorKind::LimitExceeded);
        assert_eq!(phrase_of(0).unwrap(), None);
        let of_one_word = |count| {
            let positions: Vec<(u16, u16)> = (1..=count).map(|at| (at, 0)).collect();
            Phrase::of(&WordList::new(&[("boat", &positions)]))
        };
        assert_eq!(of_one_word(256).unwrap().unwrap().words().count(), 256);
        assert_eq!(of_one_word(257).unwrap_err().kind, ErrorKind::LimitExceeded);
    }
}
