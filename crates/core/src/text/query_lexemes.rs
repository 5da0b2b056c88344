//! A query's lexemes, read from its text as a document: so query and entries use the same text search configuration. A
//! word of the query has one lexeme as it is written, and perhaps others that count for it: without its accents, or the
//! intended word if a letter is wrong.

use std::collections::BTreeMap;

use crate::bounds_and_defaults;
use crate::error::Result;
use crate::text::document::Document;

/// The weight of an occurrence without accents, if the query has accents.
pub const FOLDED_WEIGHT: f64 = 0.7;

/// Distinct lexemes of a query, bytewise sorted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryLexemes {
    lexemes: Vec<Lexeme>,
    words: usize,
}

/// A lexeme to look for.
#[derive(Debug, Clone, PartialEq)]
struct Lexeme {
    text: String,
    meaning: Meaning,
}

/// The meaning of a lexeme for a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meaning {
    /// The number of the word that it counts for. Words are numbered in the bytewise order of their lexemes as written.
    pub word: usize,
    /// The weight of an occurrence, relative to the word as written: above 0, at most 1.
    pub weight: f64,
}

impl QueryLexemes {
    /// The lexemes of a query: the first [`bounds_and_defaults::MAX_QUERY_LEXEMES`] by position.
    pub fn of(query: &impl Document) -> Result<Self> {
        let mut by_position = Vec::new();
        for index in 0..query.lexeme_count() {
            let lexeme = String::from_utf8_lossy(query.lexeme(index)?).into_owned();
            by_position.push((query.positions(index)?.min(), lexeme));
        }
        by_position.sort();
        by_position.truncate(bounds_and_defaults::MAX_QUERY_LEXEMES);
        let mut written: Vec<String> = by_position.into_iter().map(|(_, lexeme)| lexeme).collect();
        written.sort();
        let words = written.len();
        let of_word = |(word, text)| Lexeme { text, meaning: Meaning { word, weight: 1.0 } };
        Ok(QueryLexemes { lexemes: written.into_iter().enumerate().map(of_word).collect(), words })
    }

    /// The lexemes, with the additional ones of `folded`, which is the text with words without their accents among its
    /// lexemes: each counts for the first word at its place.
    pub fn with_folded(self, folded: &impl Document) -> Result<Self> {
        let mut word_at: BTreeMap<u32, usize> = BTreeMap::new();
        let mut others = Vec::new();
        for index in 0..folded.lexeme_count() {
            let lexeme = String::from_utf8_lossy(folded.lexeme(index)?).into_owned();
            match self.find(&lexeme) {
                Some(at) => {
                    let word = self.lexemes[at].meaning.word;
                    folded.positions(index)?.for_each(|place| _ = word_at.entry(place).or_insert(word));
                }
                None => others.push((folded.positions(index)?.collect::<Vec<u32>>(), lexeme)),
            }
        }
        let others = others.into_iter().filter_map(|(places, lexeme)| {
            let word = places.iter().find_map(|place| word_at.get(place))?;
            Some((lexeme, Meaning { word: *word, weight: FOLDED_WEIGHT }))
        });
        Ok(self.with(others))
    }

    /// The lexemes, with further ones that count for words of the query. An existing lexeme keeps its meaning.
    pub fn with(mut self, others: impl IntoIterator<Item = (String, Meaning)>) -> Self {
        for (text, meaning) in others {
            if let Err(place) = self.lexemes.binary_search_by(|own| own.text.as_str().cmp(&text)) {
                self.lexemes.insert(place, Lexeme { text, meaning });
            }
        }
        self
    }

    /// Lexemes with what they mean, for tests.
    #[cfg(test)]
    pub fn of_meanings(words: usize, lexemes: impl IntoIterator<Item = (String, Meaning)>) -> Self {
        let sorted: BTreeMap<String, Meaning> = lexemes.into_iter().collect();
        let lexemes = sorted.into_iter().map(|(text, meaning)| Lexeme { text, meaning }).collect();
        QueryLexemes { lexemes, words }
    }

    /// The index of a lexeme among them.
    pub fn find(&self, lexeme: &str) -> Option<usize> {
        self.lexemes.binary_search_by(|own| own.text.as_str().cmp(lexeme)).ok()
    }

    /// The lexemes, bytewise sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.lexemes.iter().map(|lexeme| lexeme.text.as_str())
    }

    /// The meaning of each of them, in their order.
    pub fn meanings(&self) -> impl Iterator<Item = Meaning> {
        self.lexemes.iter().map(|lexeme| lexeme.meaning)
    }

    /// The number of lexemes.
    pub fn len(&self) -> usize {
        self.lexemes.len()
    }

    /// The number of words of the query.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Whether the text held only stop words, or nothing.
    pub fn is_empty(&self) -> bool {
        self.lexemes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::document::WordList;

    #[test]
    fn a_long_query_keeps_its_first_lexemes() {
        let words: Vec<String> = (0..400).map(|n| format!("w{:03}", 399 - n)).collect();
        let positions: Vec<[(u16, u16); 1]> = (0..400).map(|n| [(n as u16 + 1, 0)]).collect();
        let lexemes: Vec<(&str, &[(u16, u16)])> =
            words.iter().zip(&positions).map(|(w, p)| (w.as_str(), &p[..])).collect();
        let query = QueryLexemes::of(&WordList::new(&lexemes)).unwrap();
        assert_eq!(query.len(), bounds_and_defaults::MAX_QUERY_LEXEMES);
        assert!(query.iter().any(|lexeme| lexeme == "w399"), "the first word of the text is kept");
        assert!(query.iter().all(|lexeme| lexeme != "w000"), "the last word of the text is not");
    }

    #[test]
    fn a_word_without_its_accents_counts_for_the_word_that_stands_where_it_stands() {
        let written = WordList::new(&[("café", &[(1, 0)]), ("tea", &[(2, 0)])]);
        let folded = WordList::new(&[("cafe", &[(1, 0)]), ("café", &[(1, 0)]), ("tea", &[(2, 0)])]);
        let query = QueryLexemes::of(&written).unwrap().with_folded(&folded).unwrap();
        assert_eq!(query.iter().collect::<Vec<_>>(), ["cafe", "café", "tea"]);
        let meanings: Vec<_> = query.meanings().map(|meaning| (meaning.word, meaning.weight)).collect();
        assert_eq!(meanings, [(0, FOLDED_WEIGHT), (0, 1.0), (1, 1.0)]);
        assert_eq!(query.words(), 2);
    }

    #[test]
    fn what_is_written_by_itself_stays_a_word_of_its_own() {
        let written = WordList::new(&[("cafe", &[(2, 0)]), ("café", &[(1, 0)])]);
        let folded = WordList::new(&[("cafe", &[(1, 0), (2, 0)]), ("café", &[(1, 0)])]);
        let query = QueryLexemes::of(&written).unwrap();
        assert_eq!(query.clone().with_folded(&folded).unwrap(), query);
    }
}
