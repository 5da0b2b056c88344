//! A query's lexemes: read from the `tsvector` of its text, so that query and entries go through
//! the same text search configuration, and its phrases, written as a `tsquery`.

use crate::error::Result;
use crate::limits;
use crate::tsvector::TsVector;

/// Distinct lexemes of a query, bytewise sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryLexemes {
    lexemes: Vec<String>,
}

impl QueryLexemes {
    /// The lexemes of a query's tsvector: the first [`limits::MAX_QUERY_LEXEMES`] by position.
    pub fn from_tsvector(vector: TsVector<'_>) -> Result<Self> {
        let mut by_position = Vec::new();
        for index in 0..vector.len() {
            let lexeme = String::from_utf8_lossy(vector.lexeme(index)?).into_owned();
            by_position.push((vector.first_position(index)?, lexeme));
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

/// The words of `vector` in their order, as a `tsquery` that matches them side by side; `None`
/// without any.
pub fn phrase(vector: TsVector<'_>) -> Result<Option<String>> {
    let mut words = Vec::new();
    for index in 0..vector.len() {
        let lexeme = String::from_utf8_lossy(vector.lexeme(index)?).into_owned();
        for position in vector.all_positions(index)? {
            words.push((position, quote(&lexeme)));
        }
    }
    words.sort();
    words.truncate(limits::MAX_QUERY_LEXEMES);
    let mut text = String::new();
    let mut last = None;
    for (position, word) in words {
        if let Some(last) = last {
            text.push_str(&format!(" <{}> ", position - last));
        }
        last = Some(position);
        text.push_str(&word);
    }
    Ok((!text.is_empty()).then(|| format!("({text})")))
}

fn quote(lexeme: &str) -> String {
    format!("'{}'", lexeme.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsvector::encode;

    #[test]
    fn operators_and_quotes_inside_a_lexeme_are_plain_text() {
        let bytes = encode(&[("o'neil", &[(1, 0)]), ("a|b&!", &[(2, 0)]), (r"c:\x", &[(3, 0)])]);
        let text = phrase(TsVector::new(&bytes).unwrap()).unwrap();
        assert_eq!(text.as_deref(), Some(r"('o''neil' <1> 'a|b&!' <1> 'c:\\x')"));
    }

    #[test]
    fn a_phrase_keeps_order_and_distance() {
        let bytes = encode(&[("hous", &[(4, 0)]), ("big", &[(1, 0)]), ("red", &[(2, 0)])]);
        let text = phrase(TsVector::new(&bytes).unwrap()).unwrap();
        assert_eq!(text.as_deref(), Some("('big' <1> 'red' <2> 'hous')"));
        assert_eq!(phrase(TsVector::new(&encode(&[])).unwrap()).unwrap(), None);
    }

    #[test]
    fn a_long_query_keeps_its_first_lexemes() {
        let words: Vec<String> = (0..400).map(|n| format!("w{:03}", 399 - n)).collect();
        let positions: Vec<[(u16, u16); 1]> = (0..400).map(|n| [(n as u16 + 1, 0)]).collect();
        let lexemes: Vec<(&str, &[(u16, u16)])> =
            words.iter().zip(&positions).map(|(w, p)| (w.as_str(), &p[..])).collect();
        let bytes = encode(&lexemes);
        let query = QueryLexemes::from_tsvector(TsVector::new(&bytes).unwrap()).unwrap();
        assert_eq!(query.len(), limits::MAX_QUERY_LEXEMES);
        assert!(query.iter().any(|lexeme| lexeme == "w399"), "the first word of the text is kept");
        assert!(query.iter().all(|lexeme| lexeme != "w000"), "the last word of the text is not");
    }
}
