//! The ends of words, names and runs of names.

use crate::characters::{Class, begins_word, class, is_in_names};
use crate::plain_word::plain_word;

/// The signs between the names of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separators {
    /// `/`.
    Slash,
    /// `\` and `/`, behind a drive.
    Windows,
}

impl Separators {
    /// Whether a byte is one of them.
    pub fn contain(self, byte: u8) -> bool {
        byte == b'/' || byte == b'\\' && self == Separators::Windows
    }
}

/// The beginning of the next word from `at` on.
pub fn next_word(text: &str, at: usize, end: usize) -> Option<usize> {
    let rest = text[at..end].char_indices().find(|(_, c)| matches!(class(*c), Class::Word(_)));
    rest.map(|(offset, _)| at + offset)
}

/// The end of the element that begins at `start`: words with a dot, a dash or any number of `_` between them.
pub fn end_of_element(text: &str, start: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    loop {
        at = plain_word(text, at, end).end;
        let joint = match bytes.get(at) {
            Some(b'.' | b'-') => 1,
            Some(b'_') => bytes[at..end].iter().take_while(|byte| **byte == b'_').count(),
            _ => return at,
        };
        if !begins_word(text, at + joint, end) {
            return at;
        }
        at += joint;
    }
}

/// The beginning of the first word of a piece, and the end of its last one.
pub fn words_of(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let first = next_word(text, start, end)?;
    let mut last = plain_word(text, first, end).end;
    while let Some(next) = if begins_word(text, last, end) { Some(last) } else { next_word(text, last, end) } {
        last = plain_word(text, next, end).end;
    }
    Some((first, last))
}

/// The end of a run of names with separators between them, and whether it contains a separator.
pub fn end_of_run(text: &str, start: usize, end: usize, separators: Separators) -> (usize, bool) {
    let bytes = text.as_bytes();
    let (mut at, mut has_separator) = (start, false);
    while at < end {
        let byte = bytes[at];
        if begins_word(text, at, end) {
            at = plain_word(text, at, end).end;
        } else if separators.contain(byte) {
            has_separator = true;
            at += 1;
        } else if byte < 128 && is_in_names(byte) {
            at += 1;
        } else {
            break;
        }
    }
    (at, has_separator)
}
