//! Words of letters, digits and marks alone, and their ends.

use crate::characters::{Class, DIGIT, LETTER, LOWER, UPPER, WIDE, ascii, character_at, class};
use crate::token::Kind;

/// A run of letters, digits and marks.
#[derive(Debug, Clone, Copy)]
pub struct PlainWord {
    /// Its end.
    pub end: usize,
    /// Properties of all of its characters.
    pub bits: u8,
    /// Whether an upper-case letter follows a lower-case one.
    pub has_hump: bool,
}

impl PlainWord {
    /// Whether it has only digits.
    pub fn is_number(self) -> bool {
        self.bits & (LOWER | UPPER | LETTER) == 0
    }

    /// Its kind, if it is no part of a compound.
    pub fn kind(self) -> Kind {
        match (self.is_number(), self.bits & DIGIT != 0, self.bits & WIDE != 0) {
            (true, ..) => Kind::UInt,
            (_, true, _) => Kind::NumWord,
            (_, _, true) => Kind::Word,
            _ => Kind::AsciiWord,
        }
    }
}

/// The word that begins at `start`, as far as `end`.
pub fn plain_word(text: &str, start: usize, end: usize) -> PlainWord {
    let bytes = text.as_bytes();
    let (mut at, mut bits, mut before, mut has_hump) = (start, 0, 0, false);
    while at < end {
        let (own, length) = match bytes[at] {
            byte if byte < 128 => match ascii(byte) {
                0 => break,
                own => (own, 1),
            },
            _ => {
                let Some(c) = character_at(text, at) else { break };
                match class(c) {
                    Class::Word(own) => (own, c.len_utf8()),
                    Class::Mark => (before | WIDE, c.len_utf8()),
                    _ => break,
                }
            }
        };
        has_hump |= before & LOWER != 0 && own & UPPER != 0;
        bits |= own;
        before = own;
        at += length;
    }
    PlainWord { end: at, bits, has_hump }
}
