//! A query's lexemes, read from its text as a document: so query and entries go through the same
//! text search configuration.

use crate::error::Result;
use crate::request::limits;
use crate::text::document::Document;

/// Distinct lexemes of a query, bytewise sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryLexemes {
    lexemes: Vec<String>,
}

impl QueryLexemes {
    /// The lexemes of a query: the first [`limits::MAX_QUERY_LEXEMES`] by position.
    pub fn of(query: &impl Document) -> Result<Self> {
        let mut by_position = Vec::new();
        for index in 0..query.lexeme_count() {
            let lexeme = String::from_utf8_lossy(query.lexeme(index)?).into_owned();
            by_position.push((query.positions(index)?.min(), lexeme));
        }
        by_position.sort();
        by_position.truncate(limits::MAX_QUERY_LEXEMES);
        let mut lexemes: Vec<String> = by_position.into_iter().map(|(_, lexeme)| lexeme).collect();
        lexemes.sort();
        Ok(QueryLexemes { lexemes })
    }

    /// The lexemes, bytewise sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.lexemes.iter().map(String::as_str)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lexemes.len()
    }

    /// Whether the text held stop words only, or nothing.
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
        assert_eq!(query.len(), limits::MAX_QUERY_LEXEMES);
        assert!(query.iter().any(|lexeme| lexeme == "w399"), "the first word of the text is kept");
        assert!(query.iter().all(|lexeme| lexeme != "w000"), "the last word of the text is not");
    }
}
