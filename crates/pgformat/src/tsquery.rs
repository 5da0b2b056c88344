//! Writes a `tsquery` as text, as its input function reads it.

use memory_search_core::Result;
use memory_search_core::request::limits;
use memory_search_core::text::document::Document;

/// The words of a text in their order, as a `tsquery` that matches them side by side; `None`
/// without any.
pub fn phrase(text: &impl Document) -> Result<Option<String>> {
    let mut words = Vec::new();
    for index in 0..text.lexeme_count() {
        let lexeme = String::from_utf8_lossy(text.lexeme(index)?).into_owned();
        for position in text.positions(index)? {
            words.push((position, quote(&lexeme)));
        }
    }
    words.sort();
    words.truncate(limits::MAX_QUERY_LEXEMES);
    let mut query = String::new();
    let mut last = None;
    for (position, word) in words {
        if let Some(last) = last {
            query.push_str(&format!(" <{}> ", position - last));
        }
        last = Some(position);
        query.push_str(&word);
    }
    Ok((!query.is_empty()).then(|| format!("({query})")))
}

fn quote(lexeme: &str) -> String {
    format!("'{}'", lexeme.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsvector::{TsVector, encode};

    #[test]
    fn operators_and_quotes_inside_a_lexeme_are_plain_text() {
        let bytes = encode(&[("o'neil", &[(1, 0)]), ("a|b&!", &[(2, 0)]), (r"c:\x", &[(3, 0)])]);
        let text = phrase(&TsVector::new(&bytes).unwrap()).unwrap();
        assert_eq!(text.as_deref(), Some(r"('o''neil' <1> 'a|b&!' <1> 'c:\\x')"));
    }

    #[test]
    fn a_phrase_keeps_order_and_distance() {
        let bytes = encode(&[("hous", &[(4, 0)]), ("big", &[(1, 0)]), ("red", &[(2, 0)])]);
        let text = phrase(&TsVector::new(&bytes).unwrap()).unwrap();
        assert_eq!(text.as_deref(), Some("('big' <1> 'red' <2> 'hous')"));
        assert_eq!(phrase(&TsVector::new(&encode(&[])).unwrap()).unwrap(), None);
    }
}
