//! Names without slashes, one after the other, with the signs that may follow a name (`@`, `++`, `#`).

use std::borrow::Cow;

use crate::characters::{Class, DIGIT, begins_word, character_at, class};
use crate::extent::{end_of_element, next_word};
use crate::output::{Flow, LONGEST_WORD, Output, composed};
use crate::plain_word::plain_word;
use crate::token::Token;
use crate::{dotted, mail};

/// The tokens of a run that holds no slash.
pub fn elements<'a, F: FnMut(Token<'a>) -> bool>(out: &mut Output<'a, F>, start: usize, end: usize, depth: u8) -> Flow {
    let text = out.text;
    let mut at = start;
    while let Some(first) = next_word(text, at, end) {
        if let Some(behind) = mail::mail(out, first, end, depth)? {
            at = behind;
            continue;
        }
        at = end_of_element(text, first, end);
        dotted::element(out, first, at, depth)?;
        suffixed(out, first, at)?;
    }
    Flow::Continue(())
}

/// The token `Cplusplus` or `Csharp`, if `++` or `#` follows letters and is not followed by a word.
fn suffixed<'a, F: FnMut(Token<'a>) -> bool>(out: &mut Output<'a, F>, start: usize, at: usize) -> Flow {
    let text = out.text;
    let (sign, name) = match &text.as_bytes()[at..] {
        [b'+', b'+', ..] => (2, "plusplus"),
        [b'#', ..] => (1, "sharp"),
        _ => return Flow::Continue(()),
    };
    // In an address these signs are no part of a name.
    if at < out.end_of_url || begins_word(text, at + sign, text.len()) {
        return Flow::Continue(());
    }
    let letters = text[start..at].char_indices().rev().take_while(|(_, c)| match class(*c) {
        Class::Word(bits) => bits & DIGIT == 0,
        class => class != Class::Other,
    });
    let Some(first) = letters.last().map(|(offset, _)| start + offset) else { return Flow::Continue(()) };
    if at - first > LONGEST_WORD || !character_at(text, first).is_some_and(|c| matches!(class(c), Class::Word(_))) {
        return Flow::Continue(());
    }
    let word = format!("{}{name}", composed(&text[first..at]));
    let kind = plain_word(&word, 0, word.len()).kind();
    out.token_as(kind, Cow::Owned(word), first, at + sign)
}
