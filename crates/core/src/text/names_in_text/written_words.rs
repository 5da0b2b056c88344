//! The words of a text as they are written: their letters, and the signs before them.

use std::ops::Range;

use super::word_lists::COUNTED;
use crate::text::name_words::{NameWord, words};
use crate::text::named_author::ends_sentence;

const APOSTROPHES: [&str; 2] = ["'", "\u{2019}"];
/// Parts after an apostrophe in a contraction ("don't", "she'll").
const CONTRACTIONS: [&str; 6] = ["t", "m", "re", "ve", "ll", "d"];
/// Parts of names that a full stop may follow: "St. Moritz".
const ABBREVIATED: [&str; 4] = ["st", "ste", "mt", "ft"];
const HYPHENS: [&str; 3] = ["-", "\u{2010}", "\u{2011}"];

/// A word, including an apostrophe inside of it ("O'Brien"); a hyphen separates two words.
#[derive(Debug, Clone)]
pub struct WrittenWord {
    /// In lower case and composed, without the `'s` of a possessor.
    pub lower: String,
    /// The place, in bytes, without the `'s`.
    pub place: Range<usize>,
    /// The end of the `'s`, or else of the word.
    pub behind: usize,
    /// Whether it begins with a capital letter, or has one like "iPhone".
    pub is_capital: bool,
    /// Whether it has at least two letters, all of them capitals, except the s of a plural.
    pub is_all_capitals: bool,
    /// Whether it is one letter.
    pub is_letter: bool,
    /// Whether it has no letter; a number with dots is one word.
    pub is_number: bool,
    /// Whether a capital letter follows a small one: "YouTube".
    pub has_hump: bool,
    /// Whether an `'s` follows.
    pub is_possessor: bool,
    /// Whether it is a pronoun or a similar word with a verb ("I'm", "she'll", "don't").
    pub is_contraction: bool,
    /// Whether it is at a place where a sentence may begin.
    pub begins_sentence: bool,
    /// The signs between it and the word before it.
    pub joint: Joint,
}

/// The kind of signs before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// Only blanks: both words may belong to one name.
    Blank,
    /// Only a hyphen.
    Hyphen,
    /// The full stop of a letter ("J. R."), with or without a blank.
    Initial,
    /// Anything else.
    Other,
}

/// The words of a text, in order.
pub fn written_words(text: &str) -> Vec<WrittenWord> {
    let mut found: Vec<WrittenWord> = Vec::new();
    let mut all = words(text).into_iter().peekable();
    let mut last: Option<NameWord> = None;
    let mut is_behind_label = false;
    while let Some(word) = all.next() {
        let gap = &text[last.as_ref().map_or(0, |last| last.place.end)..word.place.start];
        // A number or a letter before a part of a list: "2. Then", "C) Then".
        let is_behind_part = is_behind_label && gap.starts_with(['.', ')']);
        let joint = last.as_ref().filter(|_| !is_behind_part).map_or(Joint::Other, |last| joint(text, last, &word));
        let is_break = |last: &NameWord| is_behind_part || ends_sentence(last, gap) || is_break(gap);
        let begins_sentence = joint != Joint::Hyphen && last.as_ref().is_none_or(is_break);
        let mut written = of(text, &word, joint, begins_sentence);
        let is_letter_of_list =
            written.is_letter && gap.contains('\n') && text[word.place.end..].starts_with(['.', ')']);
        // The "F" of "70 °F" and the "C" of "vitamin C" are no initials either.
        let is_counted = found.last().is_some_and(|before| COUNTED.holds(&before.lower)) && joint == Joint::Blank;
        let is_sign = written.is_letter && (gap.ends_with(is_symbol) || is_counted);
        written.is_capital &= !is_letter_of_list && !is_sign;
        // A sentence may end in "I", and few names begin with it.
        is_behind_label = is_letter_of_list || is_sign || written.is_number || written.lower == "i";
        let mut end = word;
        while written.is_number
            && let Some(next) = all.next_if(|next| &text[end.place.end..next.place.start] == "." && is_number(next))
        {
            written.place.end = next.place.end;
            written.behind = next.place.end;
            end = next;
        }
        while let Some(next) = all.next_if(|next| is_apostrophe(&text[end.place.end..next.place.start])) {
            let is_short = end.place.end - written.place.start == 1;
            match &*next.text {
                "s" => written.is_possessor = true,
                suffix if CONTRACTIONS.contains(&suffix) && !is_short || written.lower == "i" => {
                    written.is_contraction = true;
                }
                _ => {
                    written.lower = format!("{}'{}", written.lower, next.text);
                    written.place.end = next.place.end;
                    written.is_letter = false;
                }
            }
            written.behind = next.place.end;
            end = next;
            if written.is_possessor || written.is_contraction {
                break;
            }
        }
        last = Some(end);
        found.push(written);
    }
    found
}

fn of(text: &str, word: &NameWord, joint: Joint, begins_sentence: bool) -> WrittenWord {
    let written = &text[word.place.clone()];
    // "RPGs", and not "As".
    let acronym = written.strip_suffix('s').filter(|acronym| acronym.len() > 1).unwrap_or(written);
    let letters = written.chars().filter(|c| c.is_alphabetic()).count();
    WrittenWord {
        lower: word.text.clone(),
        place: word.place.clone(),
        behind: word.place.end,
        is_capital: (word.is_capital || has_hump(written) && written.starts_with(char::is_alphabetic))
            && word.script.is_none(),
        is_all_capitals: letters >= 2 && word.is_capital && !acronym.contains(char::is_lowercase),
        is_letter: word.script.is_none() && letters == 1 && written.chars().nth(1).is_none(),
        is_number: letters == 0,
        has_hump: has_hump(written),
        is_possessor: false,
        is_contraction: false,
        begins_sentence,
        joint,
    }
}

fn is_number(word: &NameWord) -> bool {
    word.text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a sign does not occur between the words of a sentence.
fn is_symbol(c: char) -> bool {
    !c.is_whitespace() && !c.is_ascii_punctuation() && !('\u{2010}'..='\u{201f}').contains(&c)
}

/// Whether a capital letter follows a small one.
fn has_hump(written: &str) -> bool {
    written.chars().zip(written.chars().skip(1)).any(|(before, after)| before.is_lowercase() && after.is_uppercase())
}

fn joint(text: &str, before: &NameWord, word: &NameWord) -> Joint {
    let gap = &text[before.place.end..word.place.start];
    let is_saint = || ABBREVIATED.contains(&&*before.text);
    let is_initial = before.is_capital && (before.text.chars().nth(1).is_none() || is_saint());
    // "CS:GO"
    let is_shouted = |word: &NameWord| !text[word.place.clone()].contains(char::is_lowercase) && word.is_capital;
    let is_blank = |gap: &str| gap.chars().all(|c| matches!(c, ' ' | '\u{a0}'));
    match gap {
        _ if !gap.is_empty() && is_blank(gap) => Joint::Blank,
        _ if HYPHENS.contains(&gap) => Joint::Hyphen,
        ":" if is_shouted(before) && is_shouted(word) => Joint::Hyphen,
        _ if is_initial && gap.strip_prefix('.').is_some_and(is_blank) => Joint::Initial,
        _ => Joint::Other,
    }
}

fn is_apostrophe(gap: &str) -> bool {
    APOSTROPHES.contains(&gap)
}

/// Whether a sentence may begin after the signs between two words, in addition to [`ends_sentence`]: after a dash, an
/// opening quotation mark, an emoji, a sign of Markdown.
fn is_break(gap: &str) -> bool {
    let may_stand_inside = |c: char| matches!(c, ' ' | '\u{a0}' | ',' | ';' | '(' | ')' | '/' | '&' | '+' | '.' | '-');
    let is_closing = |at: usize, c: char| at == 0 && matches!(c, '\'' | '\u{2019}' | '"' | '\u{201d}');
    gap.contains(" -") || !gap.char_indices().all(|(at, c)| may_stand_inside(c) || is_closing(at, c))
}

/// Whether a word in capitals abbreviates ordinary words before it: "replacement cost value (RCV)".
pub fn is_abbreviation(text: &str, words: &[WrittenWord], at: usize) -> bool {
    let word = &words[at];
    let is_in_brackets = text[..word.place.start].ends_with('(') && text[word.behind..].starts_with(')');
    let is_ordinary = |at: usize| !words[at].is_capital && !words[at].is_number;
    word.is_all_capitals && is_in_brackets && at.checked_sub(1).is_some_and(is_ordinary)
}
