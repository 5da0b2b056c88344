//! Parses a query's text similar to `websearch_to_tsquery`: `"quoted phrases"` are required, `-word` and `-"a phrase"`
//! are excluded, and the other words are searched. Numbers (`-5 degrees`) and options of commands (`-m`, `--verbose`)
//! are no exclusions. A search parses its query only if the request asks for words explicitly (`strategy` `keyword`, or
//! `match`): otherwise a quoted title must not exclude an entry that names it in other words.

use std::collections::HashSet;

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
        let mut at_word_start = true;
        while let Some(first) = rest.chars().next() {
            let negated = at_word_start && first == '-' && starts_a_word(&rest[1..]);
            let from = if negated { &rest[1..] } else { rest };
            if let Some(phrase) = quoted(from) {
                rest = &from[phrase.len() + 2..];
                at_word_start = true;
                if phrase.trim().is_empty() {
                    continue;
                }
                if negated {
                    parsed.excluded.push(phrase.trim().to_owned());
                } else {
                    parsed.phrases.push(phrase.trim().to_owned());
                    parsed.wanted.push_str(&format!(" {phrase} "));
                }
            } else if negated {
                let end = from.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(from.len());
                parsed.excluded.push(from[..end].to_owned());
                rest = &from[end..];
            } else {
                parsed.wanted.push(first);
                at_word_start = first.is_whitespace();
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

fn starts_a_word(text: &str) -> bool {
    let mut characters = text.chars();
    let (first, second) = (characters.next(), characters.next());
    // One ideograph is a word; one Latin letter is an option of a command.
    let is_word = first
        .is_some_and(|first| first.is_alphabetic() && (!first.is_ascii() || second.is_some_and(char::is_alphanumeric)));
    let is_path = text
        .trim_start_matches(['.', '~'])
        .strip_prefix('/')
        .is_some_and(|name| name.starts_with(char::is_alphanumeric));
    is_word || is_path || quoted(text).is_some_and(|phrase| !phrase.trim().is_empty())
}

/// The inside of a quoted phrase at the start of `text`.
fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('"').and_then(|inside| inside.split_once('"')).map(|(phrase, _)| phrase)
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
        fn any_text_parses_and_nothing_is_invented(text in "[a-c \"é-]{0,20}") {
            let QueryText { wanted, phrases, excluded } = QueryText::parse(&text);
            for part in phrases.iter().chain(&excluded) {
                prop_assert!(text.contains(part.as_str()));
            }
            prop_assert!(wanted.chars().filter(|c| c.is_alphanumeric()).count() <= text.chars().count());
        }
    }
}
