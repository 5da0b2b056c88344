//! Parses a query's text similar to `websearch_to_tsquery`: `"quoted phrases"` are required, `-word` and `-"a phrase"`
//! are excluded, and the other words are searched. Numbers (`-5 degrees`) and options of commands (`-m`, `--verbose`)
//! are no exclusions. A quote inside or at the end of a word (`5" pipe`) is no quotation mark. A search parses its
//! query only if the request asks for words explicitly (`strategy` `keyword`, or `match`): otherwise a quoted title
//! must not exclude an entry that names it in other words.

use std::collections::HashSet;

use memory_search_analyzer::tokens;

use crate::{Error, ErrorKind, Result, bounds_and_defaults};

/// A query's text by the demands of its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryText {
    /// The text to search, including phrases: it is embedded, and its lexemes are used.
    pub wanted: String,
    /// Phrases that an entry must hold.
    pub phrases: Vec<String>,
    /// Words and phrases that an entry must not hold.
    pub excluded: Vec<String>,
}

impl QueryText {
    /// A text without demands.
    pub fn plain(text: &str) -> Self {
        QueryText { wanted: text.to_owned(), ..QueryText::default() }
    }

    /// Parses a query. A quote without its partner and a dash that is alone or doubled
    /// (`--verbose`) are plain text.
    pub fn parse(text: &str) -> Self {
        let mut parsed = QueryText::default();
        let mut rest = text;
        let mut before = ' ';
        let mut unclosed = Vec::new();
        while let Some(first) = rest.chars().next() {
            let negated = before.is_whitespace() && first == '-' && is_excluded(&rest[1..], &mut unclosed);
            let from = if negated { &rest[1..] } else { rest };
            let phrase = if negated || may_precede_quote(before) { quoted(from, &mut unclosed) } else { None };
            if let Some((phrase, behind)) = phrase {
                rest = behind;
                before = ' ';
                if phrase.is_empty() {
                    continue;
                }
                if negated {
                    parsed.excluded.push(phrase.to_owned());
                } else {
                    parsed.phrases.push(phrase.to_owned());
                    parsed.wanted.push_str(&format!(" {phrase} "));
                }
            } else if negated {
                let (piece, behind) = from.split_at(end_of_piece(from));
                parsed.excluded.push(piece.to_owned());
                rest = behind;
            } else {
                parsed.wanted.push(first);
                before = first;
                rest = &rest[first.len_utf8()..];
            }
        }
        parsed.wanted = parsed.wanted.trim().to_owned();
        parsed
    }

    /// The parsed query, with each phrase and each excluded text once.
    ///
    /// # Errors
    /// [`ErrorKind::LimitExceeded`] (54000) if more than [`bounds_and_defaults::MAX_QUERY_DEMANDS`] remain.
    pub fn bounded(mut self) -> Result<Self> {
        for demands in [&mut self.phrases, &mut self.excluded] {
            let mut seen = HashSet::new();
            demands.retain(|demand| seen.insert(demand.clone()));
        }
        let count = self.phrases.len() + self.excluded.len();
        if count > bounds_and_defaults::MAX_QUERY_DEMANDS {
            return Err(Error::new(
                ErrorKind::LimitExceeded,
                format!(
                    "query has {count} different quoted phrases and excluded words, more than {}",
                    bounds_and_defaults::MAX_QUERY_DEMANDS
                ),
            )
            .hint("Leave out quotes and dashes that are not meant as \"must be there\" and \"must not\"."));
        }
        Ok(self)
    }
}

/// Whether a dash excludes what follows it.
fn is_excluded(text: &str, unclosed: &mut Vec<char>) -> bool {
    if let Some((phrase, _)) = quoted(text, unclosed) {
        return !phrase.is_empty();
    }
    let piece = &text[..end_of_piece(text)];
    !is_option(piece) && !is_number(piece) && has_word(piece)
}

fn end_of_piece(text: &str) -> usize {
    text.find(char::is_whitespace).unwrap_or(text.len())
}

/// An option of a command behind its first dash: `-verbose`, `m`.
fn is_option(piece: &str) -> bool {
    let letters = piece.trim_end_matches([',', ';', ':', '.', '!', '?', ')']);
    piece.starts_with('-') || letters.len() == 1 && letters.as_bytes()[0].is_ascii_alphabetic()
}

/// A number with its signs: `5`, `3.5%`, `10:30`, `$5`, `5°C`.
fn is_number(piece: &str) -> bool {
    let number = piece.split('°').next().unwrap_or(piece);
    number.contains(char::is_numeric) && number.chars().all(|c| c.is_numeric() || ".,:;-+%$€£¥()!?".contains(c))
}

fn has_word(piece: &str) -> bool {
    let mut has_any = false;
    tokens(piece, |_| {
        has_any = true;
        false
    });
    has_any
}

/// Quotation marks that begin a phrase, each with those that end it.
const QUOTATION_MARKS: [(char, &[char]); 7] = [
    ('"', &['"']),
    ('“', &['”', '“']),
    ('„', &['“', '”']),
    ('”', &['”']),
    ('«', &['»']),
    ('»', &['«']),
    ('＂', &['＂']),
];

/// Whether a quotation mark behind this character may begin a phrase.
fn may_precede_quote(before: char) -> bool {
    !(before.is_alphanumeric() || before == '\'' || matches!(before, ')' | ']' | '}'))
}

/// The quoted phrase at the start of `text`, and the text behind it. A quotation mark between two letters is part of a
/// word (`ארה"ב`), unless there is no other one. Marks that no other one ends are `unclosed` in the rest of the text, too.
fn quoted<'t>(text: &'t str, unclosed: &mut Vec<char>) -> Option<(&'t str, &'t str)> {
    let first = text.chars().next()?;
    let (_, ends) = QUOTATION_MARKS.iter().find(|(mark, _)| *mark == first && !unclosed.contains(mark))?;
    let inside = &text[first.len_utf8()..];
    let is_apart = |(at, mark): &(usize, &str)| {
        let is_of_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !(is_of_word(inside[..*at].chars().next_back()) && is_of_word(inside[at + mark.len()..].chars().next()))
    };
    let end = inside.match_indices(*ends).find(is_apart).or_else(|| inside.match_indices(*ends).next());
    let Some((at, mark)) = end else {
        unclosed.push(first);
        return None;
    };
    Some((inside[..at].trim(), &inside[at + mark.len()..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> (String, Vec<String>, Vec<String>) {
        let QueryText { wanted, phrases, excluded } = QueryText::parse(text);
        (wanted.split_whitespace().collect::<Vec<_>>().join(" "), phrases, excluded)
    }

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn phrases_are_wanted_and_demanded_and_dashes_exclude() {
        let expected = ("green tea hot".to_owned(), owned(&["green tea"]), owned(&["milk", "black tea"]));
        assert_eq!(parsed(r#""green tea" hot -milk -"black tea""#), expected);
    }

    #[test]
    fn what_is_no_operator_stays_text() {
        for text in
            ["well-known C++ x-y", "--verbose", "at -5 degrees", "git commit -m fix", "a - b", "5\" pipe", "-", "\""]
        {
            let (wanted, phrases, excluded) = parsed(text);
            assert_eq!(wanted, text);
            assert!(phrases.is_empty() && excluded.is_empty(), "{text}");
        }
    }

    #[test]
    fn a_path_can_be_excluded() {
        assert_eq!(parsed("run -../x/y.z -~/bin -/etc").2, owned(&["../x/y.z", "~/bin", "/etc"]));
        assert_eq!(parsed("-/ -... -/- -~").2, owned(&[]));
    }

    #[test]
    fn all_words_but_numbers_and_options_can_be_excluded() {
        for word in [
            "C++", "C#", "R&D", "Q&A", "I/O", "e-mail", "x-ray", "T-shirt", "a_b", "3D", "5G", ".NET", "u.s.", "#todo",
            "@ann", "😀", "(red)", "5th", "µ", "ф", "0x1f", "1e5",
        ] {
            assert_eq!(parsed(&format!("zebra -{word} x")), ("zebra x".to_owned(), vec![], owned(&[word])));
        }
        for text in ["-5", "-3.5%", "-10:30", "-$5", "-5°C", "-5, -2", "-m,", "-x", "-v)", "---", "-°", "->", "-."] {
            assert_eq!(parsed(&format!("zebra {text} x")), (format!("zebra {text} x"), vec![], vec![]));
        }
    }

    #[test]
    fn a_quote_in_a_word_is_no_quotation_mark() {
        for text in [r#"צה"ל ארה"ב"#, r#"5" hose 6" pipe"#, r#"f(x)" and g(x)""#] {
            assert_eq!(parsed(text), (text.to_owned(), vec![], vec![]));
        }
        assert_eq!(parsed(r#"x -ארה"ב"#).2, owned(&[r#"ארה"ב"#]));
        assert_eq!(parsed(r#""ארה"ב תומכת" -"צה"ל""#).1, owned(&[r#"ארה"ב תומכת"#]));
        assert_eq!(parsed(r#"("green tea") +"hot" a,"b c""#).1, owned(&["green tea", "hot", "b c"]));
        assert_eq!(parsed(r#""green tea"hot"#), ("green tea hot".to_owned(), owned(&["green tea"]), vec![]));
    }

    #[test]
    fn typographic_quotation_marks_are_quotation_marks() {
        for text in
            ["“green tea”", "„green tea“", "„green tea”", "«green tea»", "« green tea »", "»green tea«", "”green tea”"]
        {
            assert_eq!(parsed(text).1, owned(&["green tea"]), "{text}");
            assert_eq!(parsed(&format!("x -{text}")).2, owned(&["green tea"]), "{text}");
        }
        assert_eq!(parsed("“green tea").1, owned(&[]));
    }

    #[test]
    fn one_ideograph_can_be_excluded() {
        assert_eq!(parsed("東京 -駅").2, owned(&["駅"]));
    }

    #[test]
    fn empty_quotes_demand_nothing() {
        assert_eq!(parsed(r#"tea "" -"""#).1, owned(&[]));
    }

    #[test]
    fn a_demand_counts_once_and_too_many_are_refused() {
        let repeated = QueryText::parse(&r#""green tea" -milk "#.repeat(1_000)).bounded().unwrap();
        assert_eq!((repeated.phrases, repeated.excluded), (owned(&["green tea"]), owned(&["milk"])));
        let demands = |count: usize| (0..count).map(|at| format!(r#""tea {at}" -milk{at} "#)).collect::<String>();
        assert!(QueryText::parse(&demands(32)).bounded().is_ok());
        assert_eq!(QueryText::parse(&demands(33)).bounded().unwrap_err().kind, ErrorKind::LimitExceeded);
    }

    proptest! {
        #[test]
        fn any_text_parses_and_nothing_is_invented(text in "[a-c \"é“”1.#-]{0,20}") {
            let QueryText { wanted, phrases, excluded } = QueryText::parse(&text);
            for part in phrases.iter().chain(&excluded) {
                prop_assert!(text.contains(part.as_str()));
            }
            prop_assert!(wanted.chars().filter(|c| c.is_alphanumeric()).count() <= text.chars().count());
        }
    }
}
