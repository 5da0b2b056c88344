//! Titles in quotation marks and in emphasis: "The Night Circus", *Dune*.

use std::ops::Range;

use super::word_lists::NO_NAMES;
use super::written_words::{Joint, WrittenWord};

/// The most characters of a title.
const LONGEST_TITLE: usize = 80;
/// Words of a title that need no capital letter.
const SMALL: [&str; 23] = [
    "a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "vs",
    "with", "de", "la", "del", "le", "is",
];

/// The places of titles, in bytes, without the signs around them.
///
/// `is_ordinary`: whether a word is written without a capital letter elsewhere. A single such word is no title: "Save".
pub fn titles(text: &str, words: &[WrittenWord], is_ordinary: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut behind = 0;
    let mut first = 0;
    for (at, sign) in text.char_indices() {
        let Some(closing) = closing(sign).filter(|_| at >= behind && may_open(text, at, sign)) else { continue };
        let start = at + sign.len_utf8();
        let Some(length) = end(&text[start..], closing) else { continue };
        // Text within one pair of signs is no title of another pair.
        behind = start + length + closing.len_utf8();
        first += words[first..].partition_point(|word| word.place.start < start);
        let count = words[first..].partition_point(|word| word.place.start < start + length);
        let inside = &words[first..first + count];
        let is_title = match sign {
            '*' | '_' => is_emphasized_title(text, inside, start..start + length, closing),
            // One word in these may be a part of a sentence that is left out: rock 'n' roll.
            '\'' | '\u{2018}' => inside.len() > 1 && is_title(text, inside, start, start + length),
            _ => is_title(text, inside, start, start + length) && !matches!(inside, [word] if is_ordinary(&word.lower)),
        };
        if let (true, Some(first), Some(last)) = (is_title, inside.first(), inside.last()) {
            found.push(first.place.start..last.behind);
        }
    }
    found
}

fn closing(opening: char) -> Option<char> {
    match opening {
        '"' | '*' | '_' | '\'' => Some(opening),
        '\u{2018}' => Some('\u{2019}'),
        '\u{201c}' => Some('\u{201d}'),
        '\u{201e}' => Some('\u{201c}'),
        '«' => Some('»'),
        '《' => Some('》'),
        _ => None,
    }
}

/// Whether a sign opens, by the characters around it.
fn may_open(text: &str, at: usize, sign: char) -> bool {
    let before = text[..at].chars().next_back();
    let behind = text[at + sign.len_utf8()..].chars().next();
    before.is_none_or(|c| !c.is_alphanumeric() && c != sign || matches!(sign, '*' | '_') && c == sign)
        && behind.is_some_and(|c| c.is_alphanumeric())
}

/// The end of the enclosed text: before the closing sign, on the same line. Apostrophes inside of words close nothing.
fn end(text: &str, closing: char) -> Option<usize> {
    let is_closing = |at: usize| !text[at + closing.len_utf8()..].starts_with(char::is_alphanumeric);
    let mut signs = text.char_indices().take(LONGEST_TITLE);
    let (at, found) = signs.find(|(at, c)| *c == '\n' || *c == closing && is_closing(*at))?;
    (found == closing).then_some(at)
}

/// Whether the words of a quotation are a title: each has a capital letter, except the small ones, and they are no
/// sentence.
fn is_title(text: &str, words: &[WrittenWord], start: usize, end: usize) -> bool {
    let is_sentence = text[start..end].ends_with(['.', '!', '?', '\u{2026}', ':', ';', '-']);
    let ends_in_comma = text[start..end].ends_with(',');
    !is_sentence && has_capitals(words) && (!ends_in_comma || words.len() > 1)
}

/// Whether emphasized words are a title: the sentence continues in lower case. Otherwise they are a heading.
fn is_emphasized_title(text: &str, words: &[WrittenWord], place: Range<usize>, sign: char) -> bool {
    let rest = text[place.end..].trim_start_matches(sign);
    let goes_on = rest.strip_prefix(' ').is_some_and(|rest| rest.starts_with(char::is_lowercase));
    let capital = words.iter().filter(|word| word.is_capital).count();
    goes_on && capital > 1 && is_title(text, words, place.start, place.end)
}

fn has_capitals(words: &[WrittenWord]) -> bool {
    let is_small = |word: &WrittenWord| SMALL.contains(&&*word.lower) || word.is_number || word.joint == Joint::Hyphen;
    let is_named = |word: &WrittenWord| word.is_capital && !word.is_contraction && !NO_NAMES.holds(&word.lower);
    words.first().is_some_and(|first| first.is_capital)
        && words.iter().all(|word| word.is_capital || is_small(word))
        && words.iter().any(is_named)
}
