//! Where tokens go.

use std::borrow::Cow;
use std::ops::ControlFlow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::token::{Kind, Token};

/// Bytes of the longest word: PostgreSQL refuses longer lexemes. What is longer is left out.
pub const LONGEST_WORD: usize = 2046;
/// Characters of the longest compound that is a token as a whole; of longer ones the parts are.
pub const LONGEST_COMPOUND: usize = 200;
/// Wholes that may lie over the same character, besides an address. With the word itself and `Cplusplus` the tokens of a
/// text are in sum no longer than eight times it.
const MOST_WHOLES: u8 = 6;

/// Whether to go on.
pub type Flow = ControlFlow<()>;

/// The text, and who takes its tokens.
pub struct Output<'a, F> {
    pub text: &'a str,
    take: F,
    /// Where the last address ends: inside of it none begins.
    pub end_of_url: usize,
}

impl<'a, F: FnMut(Token<'a>) -> bool> Output<'a, F> {
    pub fn new(text: &'a str, take: F) -> Self {
        Output { text, take, end_of_url: 0 }
    }

    /// A token of the text between `start` and `end`, as it is there.
    pub fn token(&mut self, kind: Kind, start: usize, end: usize) -> Flow {
        if end - start > LONGEST_WORD {
            return Flow::Continue(());
        }
        let text = &self.text[start..end];
        self.token_as(kind, composed(text), start, end)
    }

    /// A token `text` that stands for what is between `start` and `end`.
    pub fn token_as(&mut self, kind: Kind, text: Cow<'a, str>, start: usize, end: usize) -> Flow {
        if text.len() > LONGEST_WORD || (self.take)(Token { kind, text, start, end }) {
            Flow::Continue(())
        } else {
            Flow::Break(())
        }
    }

    /// The token of a compound that lies in `depth` others. The depth of its parts.
    pub fn whole(&mut self, kind: Kind, start: usize, end: usize, depth: u8) -> ControlFlow<(), u8> {
        if depth >= MOST_WHOLES || !self.may_be_whole(start, end) {
            return ControlFlow::Continue(depth);
        }
        self.token(kind, start, end)?;
        ControlFlow::Continue(depth + 1)
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
