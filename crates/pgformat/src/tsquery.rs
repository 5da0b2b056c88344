//! Writes a `tsquery` as text, as its input function reads it.

use memory_search_core::limits;
use memory_search_core::text::document::Document;
use memory_search_core::{Error, ErrorKind, Result};

/// The words of a text in their order, as a `tsquery` that matches them side by side; `None`
/// without any.
///
/// # Errors
/// [`ErrorKind::LimitExceeded`] (54000) for more than [`limits::MAX_QUERY_LEXEMES`] words: what a phrase demands is
/// not cut off in silence.
pub fn phrase(text: &impl Document) -> Result<Option<String>> {
    let mut words = Vec::new();
    let mut is_cut = false;
    for index in 0..text.lexeme_count() {
        let lexeme = String::from_utf8_lossy(text.lexeme(index)?).into_owned();
        let before = words.len();
        for position in text.positions(index)? {
            words.push((position, quote(&lexeme)));
        }
        is_cut |= words.len() - before >= MOST_POSITIONS;
    }
    words.sort();
    if is_cut || words.len() > limits::MAX_QUERY_LEXEMES {
        return Err(Error::new(
            ErrorKind::LimitExceeded,
            format!("a quoted phrase of the query has more than {} words", limits::MAX_QUERY_LEXEMES),
        )
        .hint("Quote a shorter passage."));
    }
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

/// Positions that a `tsvector` keeps of a lexeme (MAXNUMPOS - 1): of a word that has so many it may have left some out.
const MOST_POSITIONS: usize = 255;

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
    fn a_phrase_of_too_many_words_is_refused_and_not_cut() {
        let phrase_of = |count: u16| {
            let words: Vec<String> = (0..count).map(|at| format!("w{at:03}")).collect();
            let positions: Vec<[(u16, u16); 1]> = (1..=count).map(|at| [(at, 0)]).collect();
            let lexemes: Vec<(&str, &[(u16, u16)])> =
                words.iter().zip(&positions).map(|(word, at)| (word.as_str(), &at[..])).collect();
            phrase(&TsVector::new(&encode(&lexemes)).unwrap())
        };
        assert!(phrase_of(256).unwrap().unwrap().ends_with("'w255')"));
        let positions: Vec<(u16, u16)> = (1..=255).map(|at| (at, 0)).collect();
        let repeated = encode(&[("boat", &positions)]);
        let refusal = phrase(&TsVector::new(&repeated).unwrap()).unwrap_err();
        assert_eq!(refusal.kind, ErrorKind::LimitExceeded, "of one word the server may have left out the rest");
        assert_eq!(phrase_of(257).unwrap_err().kind, ErrorKind::LimitExceeded);
    }

    #[test]
    fn a_phrase_keeps_order_and_distance() {
        let bytes = encode(&[("hous", &[(4, 0)]), ("big", &[(1, 0)]), ("red", &[(2, 0)])]);
        let text = phrase(&TsVector::new(&bytes).unwrap()).unwrap();
        assert_eq!(text.as_deref(), Some("('big' <1> 'red' <2> 'hous')"));
        assert_eq!(phrase(&TsVector::new(&encode(&[])).unwrap()).unwrap(), None);
    }
}
