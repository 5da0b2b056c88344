//! Mail addresses: the whole, the person, the domain.

use std::ops::ControlFlow;

use crate::characters::begins_word;
use crate::dotted;
use crate::extent::{end_of_element, next_word};
use crate::output::Output;
use crate::token::{Kind, Token};

/// Bytes of the longest name before the `@`, by RFC 5321.
const LONGEST_PERSON: usize = 64;

/// Emits the tokens of the mail address that begins at `start`, if there is one, and returns its end.
pub fn mail<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    start: usize,
    end: usize,
    depth: u8,
) -> ControlFlow<(), Option<usize>> {
    let text = out.text;
    let Some(at) = at_sign(text, start, end) else { return ControlFlow::Continue(None) };
    if !begins_word(text, at + 1, end) {
        return ControlFlow::Continue(None);
    }
    let behind = end_of_element(text, at + 1, end);
    if !text[at + 1..behind].contains('.') {
        return ControlFlow::Continue(None);
    }
    let depth = out.whole(Kind::Email, start, behind, depth)?;
    let mut from = start;
    while let Some(first) = next_word(text, from, at) {
        from = end_of_element(text, first, at);
        dotted::element(out, first, from, depth)?;
    }
    dotted::element(out, at + 1, behind, depth)?;
    ControlFlow::Continue(Some(behind))
}

/// The place of the `@` behind a person's name, which is words with dots, dashes, `_` and `+` between them.
fn at_sign(text: &str, start: usize, end: usize) -> Option<usize> {
    let name = &text.as_bytes()[start..end.min(start + LONGEST_PERSON + 1)];
    let length = name.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b".-_+".contains(byte)))?;
    (name[length] == b'@' && length > 0).then_some(start + length)
}
