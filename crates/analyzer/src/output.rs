//! The receiver of tokens.

use std::borrow::Cow;
use std::ops::ControlFlow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::token::{Kind, Token};

/// Bytes of the longest word. Longer words are left out, because PostgreSQL refuses longer lexemes.
pub const LONGEST_WORD: usize = 2046;
/// Characters of the longest compound that is a token as a whole. A longer one only has tokens of its parts.
pub const LONGEST_COMPOUND: usize = 200;
/// The most tokens of whole compounds that may contain the same character, besides an address. With the word itself and
/// `Cplusplus`, all tokens of a text together are at most eight times as long as the text.
const MOST_WHOLES: u8 = 6;

/// Whether to go on.
pub type Flow = ControlFlow<()>;

/// The text, and the receiver of its tokens.
pub struct Output<'a, F> {
    pub text: &'a str,
    take: F,
    /// The end of the last address: no address begins inside of another one.
    pub end_of_url: usize,
    /// Whether the tokens are parts of a word by case.
    pub by_case: bool,
}

impl<'a, F: FnMut(Token<'a>) -> bool> Output<'a, F> {
    pub fn new(text: &'a str, take: F) -> Self {
        Output { text, take, end_of_url: 0, by_case: false }
    }

    /// Emits a token of the text between `start` and `end`, unchanged.
    pub fn token(&mut self, kind: Kind, start: usize, end: usize) -> Flow {
        if end - start > LONGEST_WORD {
            return Flow::Continue(());
        }
        let text = &self.text[start..end];
        self.token_as(kind, composed(text), start, end)
    }

    /// Emits a token `text` that stands for the source between `start` and `end`.
    pub fn token_as(&mut self, kind: Kind, text: Cow<'a, str>, start: usize, end: usize) -> Flow {
        if text.len() > LONGEST_WORD || (self.take)(Token { kind, text, start, end, by_case: self.by_case }) {
            Flow::Continue(())
        } else {
            Flow::Break(())
        }
    }

    /// Emits the token of a compound within `depth` others. Returns the depth of its parts.
    pub fn whole(&mut self, kind: Kind, start: usize, end: usize, depth: u8) -> ControlFlow<(), u8> {
        if !self.has_room(depth) || !self.may_be_whole(start, end) {
            return ControlFlow::Continue(depth);
        }
        self.token(kind, start, end)?;
        ControlFlow::Continue(depth + 1)
    }

    /// Whether a compound within `depth` others may be a token.
    pub fn has_room(&self, depth: u8) -> bool {
        depth < MOST_WHOLES
    }

    /// Whether a compound is short enough to be a token.
    pub fn may_be_whole(&self, start: usize, end: usize) -> bool {
        end - start <= LONGEST_COMPOUND
            || end - start <= 4 * LONGEST_COMPOUND && self.text[start..end].chars().nth(LONGEST_COMPOUND).is_none()
    }
}

/// A text in the normal form NFC.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfc().collect())
}
