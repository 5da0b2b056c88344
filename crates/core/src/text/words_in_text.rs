//! Where the words of a query stand in a text. Which lexemes a word has only the text search configuration knows; it is
//! asked about many words at once, and again about halves of those only that hold one.

use std::collections::HashMap;

use unicode_segmentation::GraphemeCursor;

use crate::Tick;
use crate::error::Result;

/// Bytes of the longest word that is asked about as a whole; of what is longer its parts are words.
const LONGEST_WORD: usize = 256;
/// Words, and bytes of them, that are asked about at once.
const WORDS_AT_ONCE: usize = 128;
const BYTES_AT_ONCE: usize = 8 << 10;
/// Words whose answers are kept.
const KEPT_ANSWERS: usize = 100_000;

/// The numbers of the query's words that a text holds, each once.
pub type Held = Vec<u16>;

/// A word of the query in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The byte where it begins.
    pub from: usize,
    /// The byte behind it.
    pub to: usize,
    /// Which of the query's words it is.
    pub word: u16,
}

/// Finds the words of one query in one text after another.
pub struct WordsInText<'a> {
    /// Which of them a text holds, by the text search configuration.
    ask: &'a mut dyn FnMut(&str) -> Result<Held>,
    tick: Tick<'a>,
    known: HashMap<String, Held>,
}

impl<'a> WordsInText<'a> {
    /// By what `ask` says of a text.
    pub fn new(ask: &'a mut dyn FnMut(&str) -> Result<Held>, tick: Tick<'a>) -> Self {
        WordsInText { ask, tick, known: HashMap::new() }
    }

    /// The words of the query in a text, in its order; none is in another.
    pub fn hits(&mut self, text: &str) -> Result<Vec<Hit>> {
        let words = words(text);
        self.learn(words.iter().map(|&(from, to)| &text[from..to]))?;
        let mut hits: Vec<Hit> = Vec::new();
        for (from, to) in words {
            let whole = self.held(&text[from..to])?;
            let Some(&first) = whole.first() else { continue };
            let mut parts = Vec::new();
            for (start, end) in parts_of(&text[from..to]) {
                let held = self.held(&text[from + start..from + end])?;
                parts.push((from + start, from + end, held));
            }
            // A part alone is the word, but where the whole is one too: `well-known`, `C#`.
            let is_in_parts = whole.iter().all(|word| parts.iter().any(|(.., held)| held.contains(word)));
            match is_in_parts {
                true => hits.extend(
                    parts.into_iter().filter_map(|(from, to, held)| Some(Hit { from, to, word: *held.first()? })),
                ),
                false => hits.push(Hit { from, to, word: first }),
            }
        }
        let mut whole: Vec<Hit> = Vec::with_capacity(hits.len());
        for hit in hits {
            let hit = Hit { from: grapheme_start(text, hit.from), to: grapheme_end(text, hit.to), ..hit };
            if whole.last().is_none_or(|last| last.to <= hit.from) {
                whole.push(hit);
            }
        }
        Ok(whole)
    }

    fn held(&mut self, word: &str) -> Result<Held> {
        if let Some(held) = self.known.get(word) {
            return Ok(held.clone());
        }
        let held = (self.ask)(word)?;
        self.known.insert(word.to_owned(), held.clone());
        Ok(held)
    }

    /// Asks about all words that are not known yet.
    fn learn<'t>(&mut self, words: impl Iterator<Item = &'t str>) -> Result<()> {
        if self.known.len() > KEPT_ANSWERS {
            self.known.clear();
        }
        let (mut unknown, mut bytes): (Vec<&str>, usize) = (Vec::new(), 0);
        for word in words {
            // A parser may take what follows it for a part of it, as of a tag.
            if word.contains('<') || self.known.contains_key(word) {
                continue;
            }
            self.known.insert(word.to_owned(), Held::new());
            bytes += word.len();
            unknown.push(word);
            if unknown.len() == WORDS_AT_ONCE || bytes > BYTES_AT_ONCE {
                self.learn_of(&unknown)?;
                (unknown, bytes) = (Vec::new(), 0);
            }
        }
        self.learn_of(&unknown)
    }

    /// Asks about some at once, and then about the halves of them, as long as one of them is a word of the query.
    fn learn_of(&mut self, words: &[&str]) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        (self.tick)();
        let held = (self.ask)(&words.join("\n"))?;
        match words {
            [word] => {
                self.known.insert((*word).to_owned(), held);
            }
            _ if held.is_empty() => {}
            _ => {
                let (first, second) = words.split_at(words.len() / 2);
                self.learn_of(first)?;
                self.learn_of(second)?;
            }
        }
        Ok(())
    }
}

/// The words of a text as bytes from and to: what stands between spaces, without the punctuation around it. Characters of
/// scripts without spaces are words by themselves.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    let mut end = |start: &mut Option<usize>, to: usize| {
        if let Some(from) = start.take() {
            add(text, from, to, &mut words);
        }
    };
    for (at, character) in text.char_indices() {
        let is_alone = is_written_without_spaces(character);
        if character.is_whitespace() || is_alone {
            end(&mut start, at);
        }
        if is_alone {
            start = Some(at);
            end(&mut start, at + character.len_utf8());
        } else if !character.is_whitespace() {
            start.get_or_insert(at);
        }
    }
    end(&mut start, text.len());
    words
}

fn add(text: &str, from: usize, to: usize, words: &mut Vec<(usize, usize)>) {
    let word = text[from..to].trim_start_matches(is_around_words);
    let from = to - word.len();
    let to = from + word.trim_end_matches(is_around_words).len();
    match to - from {
        0 => {}
        1..=LONGEST_WORD => words.push((from, to)),
        _ => words.extend(
            parts_of(&text[from..to])
                .into_iter()
                .filter(|(start, end)| end - start <= LONGEST_WORD)
                .map(|(start, end)| (from + start, from + end)),
        ),
    }
}

/// The letters and digits of a word that stand together.
fn parts_of(word: &str) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut start = None;
    for (at, character) in word.char_indices() {
        match (character.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                parts.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    parts.extend(start.map(|from| (from, word.len())));
    parts
}

/// Punctuation that belongs to no word beside it. Signs, slashes and the like may be a part of one.
fn is_around_words(character: char) -> bool {
    matches!(
        character,
        '.' | ',' | ';' | ':' | '!' | '?' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '`' | '*' | '|'
    ) || matches!(character, '\u{2010}'..='\u{2027}' | '«' | '»' | '¿' | '¡' | '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff0f}')
}

/// Ideographs and kana.
fn is_written_without_spaces(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Bytes before a place that are looked at, to see what is one character: of flags in a row their number decides.
const LONGEST_ROW: usize = 4 << 10;

/// Whether a place in a text is between two characters as people see them.
pub fn is_between_graphemes(text: &str, at: usize) -> bool {
    if !text.is_char_boundary(at) {
        return false;
    }
    let mut from = at.saturating_sub(LONGEST_ROW);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let near = &text[from..];
    let at = at + near.len() - text.len();
    GraphemeCursor::new(at, near.len(), true).is_boundary(near, 0) == Ok(true)
}

fn grapheme_start(text: &str, mut at: usize) -> usize {
    while at > 0 && !is_between_graphemes(text, at) {
        at -= 1;
    }
    at
}

fn grapheme_end(text: &str, mut at: usize) -> usize {
    while at < text.len() && !is_between_graphemes(text, at) {
        at += 1;
    }
    at
}

#[cfg(test)]
#[allow(missing_docs)]
pub mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a configuration might say: letters and digits in lower case, whole and without a last `s`.
    pub fn held(text: &str, query: &[&str]) -> Held {
        let mut held = Held::new();
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            let word = word.to_lowercase();
            let lexeme = word.strip_suffix('s').unwrap_or(&word);
            if let Some(number) = query.iter().position(|known| *known == lexeme)
                && !held.contains(&(number as u16))
            {
                held.push(number as u16);
            }
        }
        held
    }

    fn found(text: &str, query: &[&str]) -> Vec<(String, u16)> {
        let mut ask = |text: &str| Ok(held(text, query));
        let hits = WordsInText::new(&mut ask, &|| {}).hits(text).unwrap();
        hits.into_iter().map(|hit| (text[hit.from..hit.to].to_owned(), hit.word)).collect()
    }

    fn owned(hits: &[(&str, u16)]) -> Vec<(String, u16)> {
        hits.iter().map(|(text, word)| ((*text).to_owned(), *word)).collect()
    }

    #[test]
    fn a_word_is_found_in_its_forms_and_without_what_stands_around_it() {
        let text = "Kites, a “kite” (KITE), kit-kites; unkite.";
        assert_eq!(found(text, &["kite"]), owned(&[("Kites", 0), ("kite", 0), ("KITE", 0), ("kites", 0)]));
    }

    #[test]
    fn what_is_a_word_as_a_whole_only_is_marked_whole() {
        let mut ask = |text: &str| Ok(if text.contains("C#") || text.contains("a@b.org") { vec![0] } else { vec![] });
        let text = "in C#, by a@b.org.";
        let hits = WordsInText::new(&mut ask, &|| {}).hits(text).unwrap();
        assert_eq!(hits.iter().map(|hit| &text[hit.from..hit.to]).collect::<Vec<_>>(), ["C#", "a@b.org"]);
    }

    #[test]
    fn scripts_without_spaces_are_found_character_by_character() {
        let mut ask = |text: &str| Ok(if text.contains('京') { vec![0] } else { vec![] });
        let hits = WordsInText::new(&mut ask, &|| {}).hits("東京の京都").unwrap();
        assert_eq!(hits.iter().map(|hit| hit.from).collect::<Vec<_>>(), [3, 9]);
    }

    #[test]
    fn a_hit_ends_between_graphemes() {
        assert_eq!(found("the cafe\u{301} here", &["cafe"]), owned(&[("cafe\u{301}", 0)]));
    }

    #[test]
    fn few_questions_are_asked_of_many_words() {
        let text: String = (0..20_000).map(|n| format!("w{} ", n % 9_000)).collect::<String>() + "kite";
        let mut questions = 0;
        let mut ask = |text: &str| {
            questions += 1;
            Ok(held(text, &["kite"]))
        };
        assert_eq!(WordsInText::new(&mut ask, &|| {}).hits(&text).unwrap().len(), 1);
        assert!(questions < 100, "{questions}");
    }

    #[test]
    fn one_long_word_is_no_word() {
        let text = format!("{} kite {}kite{}", "x".repeat(5_000), "-".repeat(5_000), "/".repeat(5_000));
        assert_eq!(found(&text, &["kite"]), owned(&[("kite", 0), ("kite", 0)]));
    }

    proptest! {
        #[test]
        fn the_words_found_are_those_that_every_word_by_itself_would_give(
            text in proptest::collection::vec("kites?|tea|Tea-kite|[a-e]{1,3}|[ .,<>#\n\"é字-]{1,2}", 0..60),
        ) {
            let text = text.concat();
            let query = ["kite", "tea"];
            let mut expected = Vec::new();
            for (from, to) in parts_of(&text) {
                // A part may hold ideographs, which stand alone.
                for (start, end) in words(&text[from..to]) {
                    if let Some(&word) = held(&text[from + start..from + end], &query).first() {
                        expected.push((text[from + start..from + end].to_owned(), word));
                    }
                }
            }
            prop_assert_eq!(found(&text, &query), expected);
        }
    }
}
