//! The characters that make words.

use unicode_normalization::char::is_combining_mark;
use unicode_properties::{EmojiStatus, UnicodeEmoji};

use crate::scripts::is_blankless;

/// Properties of the characters of words, as bits.
pub const LOWER: u8 = 1;
pub const UPPER: u8 = 2;
pub const LETTER: u8 = 4;
pub const DIGIT: u8 = 8;
/// A character that ASCII lacks.
pub const WIDE: u8 = 16;
const OF_WORDS: u8 = LOWER | UPPER | LETTER | DIGIT | WIDE;
/// Signs that names hold besides, and the one that parts the names of paths.
const IN_NAMES: u8 = 32;
const SLASH: u8 = 64;

const ASCII: [u8; 128] = {
    let mut bits = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        bits[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'.' | b'-' | b'_' | b'@' | b'+' | b'~' | b'%' => IN_NAMES,
            b'/' => SLASH,
            _ => 0,
        };
        byte += 1;
    }
    bits
};

/// Properties of a byte of ASCII that belongs to a word; 0 for others.
pub fn ascii(byte: u8) -> u8 {
    ASCII[usize::from(byte)] & OF_WORDS
}

/// Whether a byte of ASCII may be inside of names: letters, digits, dots, dashes.
pub fn is_in_names(byte: u8) -> bool {
    ASCII[usize::from(byte)] & !SLASH != 0
}

/// Selects the coloured form of an emoji, which is the same word.
pub const COLOURED: char = '\u{fe0f}';

/// Kinds of characters, as far as words are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A letter or a digit, with its properties.
    Word(u8),
    /// A mark, which belongs to the letter before it.
    Mark,
    /// A letter or a mark of a script that puts no blank between words.
    Blankless,
    /// A pictogram.
    Emoji,
    /// A blank, a sign, anything else.
    Other,
}

/// The class of `c`.
pub fn class(c: char) -> Class {
    if c.is_ascii() {
        return match ascii(c as u8) {
            0 => Class::Other,
            bits => Class::Word(bits),
        };
    }
    match c {
        _ if is_blankless(c) => Class::Blankless,
        _ if c.is_lowercase() => Class::Word(LOWER | WIDE),
        _ if c.is_uppercase() => Class::Word(UPPER | WIDE),
        _ if c.is_numeric() => Class::Word(DIGIT | WIDE),
        _ if c.is_alphabetic() => Class::Word(LETTER | WIDE),
        _ if is_combining_mark(c) => Class::Mark,
        // Most emoji before that block (arrows, signs of trade marks) are signs, unless a sign for the coloured form
        // follows.
        _ if c >= '\u{2600}' && c.is_emoji_char() || is_coloured_by_itself(c) => Class::Emoji,
        _ => Class::Other,
    }
}

/// Clocks, watches and the like.
fn is_coloured_by_itself(c: char) -> bool {
    ('\u{231a}'..'\u{2600}').contains(&c)
        && matches!(c.emoji_status(), EmojiStatus::EmojiPresentation | EmojiStatus::EmojiPresentationAndModifierBase)
}

/// Whether a sign is an emoji in its coloured form: `▶️`, `‼️`.
pub fn is_coloured(text: &str, at: usize) -> bool {
    let mut characters = text[at..].chars();
    let sign = characters.next();
    sign.is_some_and(|c| !c.is_ascii() && c.is_emoji_char()) && characters.next() == Some(COLOURED)
}

/// The character at `at`.
pub fn character_at(text: &str, at: usize) -> Option<char> {
    text[at..].chars().next()
}

/// Whether a word begins at `at`, before `end`.
pub fn begins_word(text: &str, at: usize, end: usize) -> bool {
    if at >= end {
        return false;
    }
    match text.as_bytes()[at] {
        byte if byte < 128 => ascii(byte) != 0,
        _ => character_at(text, at).is_some_and(|c| matches!(class(c), Class::Word(_))),
    }
}
