//! A text from its beginning to its end. This file handles words that are no part of a compound, as most are; words
//! before a joining sign go to the file of the compound's kind.

use std::ops::ControlFlow;

use std::borrow::Cow;

use crate::characters::{Class, ascii, begins_word, character_at, class, is_coloured, is_in_names};
use crate::extent::{Separators, end_of_run};
use crate::output::{Flow, Output};
use crate::plain_word::{PlainWord, plain_word};
use crate::spelling::respelt;
use crate::token::{Kind, Token};
use crate::{blankless, element, entity, identifier, path, url};

/// Calls `take` with each token of `text` in order, until it returns false.
///
/// A compound comes before its parts, `ATandT` before `AT` and `T`, and `Cplusplus` behind `C`. A compound of more than
/// [`LONGEST_COMPOUND`](crate::LONGEST_COMPOUND) characters has parts alone, and a word of more than
/// [`LONGEST_WORD`](crate::LONGEST_WORD) bytes is left out. So are protocols, entities of HTML and marks without a
/// letter. An emoji is a word, whether or not it is written with the sign for its coloured form. In sum the tokens are
/// no longer than eight times the text.
///
/// The tokens of `a`, a blank and `b` are the tokens of `a` and the tokens of `b`.
pub fn tokens<'a>(text: &'a str, mut take: impl FnMut(Token<'a>) -> bool) {
    // Nothing is left to do if `take` has returned false.
    let _ = match respelt(text) {
        None => region(&mut Output::new(text, take), 0, text.len()),
        Some(respelt) => {
            let take = |token: Token<'_>| {
                let (start, end) = respelt.place(token.start, token.end);
                take(Token { text: Cow::Owned(token.text.into_owned()), start, end, ..token })
            };
            region(&mut Output::new(&respelt.text, take), 0, respelt.text.len())
        }
    };
}

/// The tokens of a piece of the text.
pub fn region<'a, F: FnMut(Token<'a>) -> bool>(out: &mut Output<'a, F>, start: usize, end: usize) -> Flow {
    let text = out.text;
    let bytes = text.as_bytes();
    let mut at = start;
    while at < end {
        let byte = bytes[at];
        if byte < 128 {
            if ascii(byte) != 0 {
                at = word(out, at, end)?;
            } else if begins_path(bytes, at, end) {
                at = run(out, at, end, Kind::File)?;
            } else if byte == b'&' {
                at = entity::end(bytes, at, end).unwrap_or(at + 1);
            } else {
                at += 1;
            }
            continue;
        }
        let Some(c) = character_at(text, at) else { break };
        at = match class(c) {
            Class::Word(_) => word(out, at, end)?,
            Class::Blankless => blankless::unit(out, at, end)?,
            Class::Emoji => blankless::emoji(out, at, end)?,
            Class::Other if is_coloured(text, at) => blankless::emoji(out, at, end)?,
            Class::Mark | Class::Other => at + c.len_utf8(),
        };
    }
    Flow::Continue(())
}

/// Emits the word that begins at `at`, or the compound that joining signs make of it; returns its end.
fn word<'a, F: FnMut(Token<'a>) -> bool>(out: &mut Output<'a, F>, at: usize, end: usize) -> ControlFlow<(), usize> {
    let first = plain_word(out.text, at, end);
    if stands_by_itself(out.text.as_bytes(), first, end) {
        identifier::cased(out, at, first, false, 0)?;
        return ControlFlow::Continue(first.end);
    }
    if let Some(address) = url::url(out, at, first, end)? {
        region(out, address.host, address.host_end)?;
        return match out.text.as_bytes()[address.host_end..address.end].first() {
            Some(b'/') => run(out, address.host_end, address.end, Kind::UrlPath),
            _ => ControlFlow::Continue(address.host_end),
        };
    }
    if let Some(end) = path::with_drive(out, at, first, end)? {
        return ControlFlow::Continue(end);
    }
    run(out, at, end, Kind::File)
}

/// Whether no sign follows a word that could join it to another word.
fn stands_by_itself(bytes: &[u8], word: PlainWord, end: usize) -> bool {
    let sign = |at: usize| if at < end { bytes[at] } else { b' ' };
    match sign(word.end) {
        // A dot or a colon ends a sentence more often than it joins.
        b'.' => {
            let next = sign(word.end + 1);
            next < 128 && !is_in_names(next) && next != b'/'
        }
        b':' => !matches!(sign(word.end + 1), b'/' | b'\\'),
        b'/' | b'&' | b'#' => false,
        next => next >= 128 || !is_in_names(next),
    }
}

/// Whether `/`, `./`, `../` or `~/` is here.
fn begins_path(bytes: &[u8], at: usize, end: usize) -> bool {
    let rest = &bytes[at..end];
    rest[0] == b'/' || [&b"./"[..], b"../", b"~/"].into_iter().any(|beginning| rest.starts_with(beginning))
}

/// Emits the run of names and slashes at `at`, and its parts; returns its end.
pub fn run<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    at: usize,
    end: usize,
    kind: Kind,
) -> ControlFlow<(), usize> {
    let (run_end, has_slash) = end_of_run(out.text, at, end, Separators::Slash);
    if has_slash {
        path::path(out, kind, at, run_end, Separators::Slash, 0)?;
        return ControlFlow::Continue(run_end);
    }
    if out.text.as_bytes().get(run_end) == Some(&b'&') && run_end < end && begins_word(out.text, at, run_end) {
        entity::and(out, at, run_end, end)?;
    }
    element::elements(out, at, run_end, 0)?;
    ControlFlow::Continue(run_end)
}
