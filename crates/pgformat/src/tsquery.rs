//! Writes a `tsquery` as text, as its input function reads it.

use memory_search_core::text::phrase::Phrase;

/// A phrase as a `tsquery` that matches its words side by side.
pub fn written(phrase: &Phrase) -> String {
    let mut query = String::new();
    let mut last = None;
    for (position, word) in phrase.words() {
        if let Some(last) = last {
            query.push_str(&format!(" <{}> ", position - last));
        }
        last = Some(position);
        query.push_str(&quote(word));
    }
    format!("({query})")
}

fn quote(lexeme: &str) -> String {
    format!("'{}'", lexeme.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsvector::{TsVector, encode};

    fn phrase(lexemes: &[(&str, &[(u16, u16)])]) -> String {
        written(&Phrase::of(&TsVector::new(&encode(lexemes)).unwrap()).unwrap().unwrap())
    }

    #[test]
    fn operators_and_quotes_inside_a_lexeme_are_plain_text() {
        let text = phrase(&[("o'neil", &[(1, 0)]), ("a|b&!", &[(2, 0)]), (r"c:\x", &[(3, 0)])]);
        assert_eq!(text, r"('o''neil' <1> 'a|b&!' <1> 'c:\\x')");
    }

    #[test]
    fn a_phrase_keeps_order_and_distance() {
        let text = phrase(&[("hous", &[(4, 0)]), ("big", &[(1, 0)]), ("red", &[(2, 0)])]);
        assert_eq!(text, "('big' <1> 'red' <2> 'hous')");
    }
}
