//! Scripts that put no blank between words, and emoji. In Chinese and Japanese, each character is a token. In Thai,
//! Lao, Khmer and Burmese, each consonant is a token together with its vowels and marks. Each emoji, as people see it,
//! is a token.

use std::borrow::Cow;
use std::ops::ControlFlow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use crate::characters::{COLOURED, Class, character_at, class};
use crate::output::Output;
use crate::token::{Kind, Token};

/// Selects the form of an emoji that looks like a letter.
const PLAIN: char = '\u{fe0e}';

/// Emits the token that begins at `start`; returns its end.
pub fn unit<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    start: usize,
    end: usize,
) -> ControlFlow<(), usize> {
    let text = out.text;
    let mut at = start;
    let mut has_letter = false;
    let mut takes_base = true;
    while at < end
        && let Some(c) = character_at(text, at)
    {
        let is_mark = is_combining_mark(c);
        let is_blankless = class(c) == Class::Blankless;
        let belongs = if is_vowel_before(c) {
            at == start
        } else if is_mark || is_vowel_behind(c) {
            true
        } else {
            takes_base && is_blankless
        };
        if !(is_blankless || is_mark) || !belongs && at > start {
            break;
        }
        has_letter |= c.is_alphabetic();
        // A vowel before its consonant waits for it, and so does the sign that joins two consonants.
        takes_base = is_vowel_before(c) || joins_consonants(c);
        at += c.len_utf8();
    }
    if has_letter {
        out.token(Kind::Word, start, at)?;
    }
    ControlFlow::Continue(at)
}

/// Whether a text has characters of such scripts.
pub fn has_blankless(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(|c| class(c) == Class::Blankless)
}

/// Whether a token is one of these characters, with its vowels and marks: other tokens begin with none.
pub fn is_blankless(token: &Token<'_>) -> bool {
    token.kind == Kind::Word && token.text.chars().next().is_some_and(|c| class(c) == Class::Blankless)
}

/// Vowels of Thai and Lao that are written before the consonant.
fn is_vowel_before(c: char) -> bool {
    matches!(c, '\u{0e40}'..='\u{0e44}' | '\u{0ec0}'..='\u{0ec4}')
}

/// Vowels of Thai and Lao that are written behind the consonant, as letters by themselves.
fn is_vowel_behind(c: char) -> bool {
    matches!(c, '\u{0e30}' | '\u{0e32}' | '\u{0e33}' | '\u{0e45}' | '\u{0eb0}' | '\u{0eb2}' | '\u{0eb3}' | '\u{0ebd}')
}

/// Khmer's coeng and Burmese's virama.
fn joins_consonants(c: char) -> bool {
    matches!(c, '\u{17d2}' | '\u{1039}')
}

/// Emits the emoji that begins at `start`, with skin tones and all joined parts; returns its end.
pub fn emoji<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    start: usize,
    end: usize,
) -> ControlFlow<(), usize> {
    let cluster = out.text[start..end].graphemes(true).next().unwrap_or_default();
    let behind = start + cluster.len();
    if cluster.contains([COLOURED, PLAIN]) {
        let plain = cluster.chars().filter(|c| ![COLOURED, PLAIN].contains(c)).nfc().collect();
        out.token_as(Kind::Word, Cow::Owned(plain), start, behind)?;
    } else {
        out.token(Kind::Word, start, behind)?;
    }
    ControlFlow::Continue(behind.max(start + 1))
}
