//! Names with dots (`www.example.net`, `row.rs`), versions (`v3.2.10`), and names with a dash beside a version
//! (`postgresql-18.1`).

use crate::extent::next_word;
use crate::hyphenated::hyphenated;
use crate::identifier::identifier;
use crate::number::{dotted_number, number};
use crate::output::{Flow, Output};
use crate::token::{Kind, Token};

/// The greatest number of names at the end of a compound that are one token together, besides the whole: with tokens of
/// all beginnings, the total length would grow with the square of the compound's length.
pub const LAST_NAMES: usize = 3;

/// Words with dots, dashes and `_` between them. A dash beside a number with a dot (`postgresql-18.1`) separates names
/// that dots join; every other dash joins words inside of a name.
pub fn element<'a, F: FnMut(Token<'a>) -> bool>(out: &mut Output<'a, F>, start: usize, end: usize, depth: u8) -> Flow {
    let bytes = &out.text.as_bytes()[start..end];
    if let Some(kind) = number(bytes)
        && out.may_be_whole(start, end)
    {
        return out.token(kind, start, end);
    }
    let mut piece = end_of_piece(bytes);
    if piece == bytes.len() {
        return dotted(out, start, end, depth);
    }
    let depth = out.whole(Kind::NumHword, start, end, depth)?;
    let mut from = start;
    loop {
        dotted(out, from, from + piece, depth)?;
        from += piece + 1;
        if from > end {
            return Flow::Continue(());
        }
        piece = end_of_piece(&out.text.as_bytes()[from..end]);
    }
}

/// The first dash that has a number with a dot on one side, as far as the next dashes; the end, if there is none.
fn end_of_piece(bytes: &[u8]) -> usize {
    let (mut at, mut left_is_numbered, mut is_first) = (0, false, true);
    for word in bytes.split(|byte| *byte == b'-') {
        let is_numbered = word.windows(3).any(|three| is_inside_number(three, 1));
        if !is_first && (left_is_numbered || is_numbered) {
            return at - 1;
        }
        (left_is_numbered, is_first) = (is_numbered, false);
        at += word.len() + 1;
    }
    bytes.len()
}

/// Whether the dot at `at` is between two digits.
fn is_inside_number(bytes: &[u8], at: usize) -> bool {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    bytes[at] == b'.' && at > 0 && is_digit(at - 1) && is_digit(at + 1)
}

/// Names with dots between them. A number with dots is one name.
fn dotted<'a, F: FnMut(Token<'a>) -> bool>(out: &mut Output<'a, F>, start: usize, end: usize, depth: u8) -> Flow {
    let bytes = &out.text.as_bytes()[start..end];
    let is_short = out.may_be_whole(start, end);
    let parts = |at: &usize| bytes[*at] == b'.' && !(is_short && is_inside_number(bytes, *at));
    let names = 1 + (0..bytes.len()).filter(parts).count();
    if names == 1 {
        return numbered(out, start, end, depth);
    }
    let mut depth = out.whole(Kind::Host, start, end, depth)?;
    let mut from = start;
    for left in (1..=names).rev() {
        if is_short && left < names && (2..=LAST_NAMES).contains(&left) {
            depth = out.whole(Kind::Host, from, end, depth)?;
        }
        let name_end = (from - start..bytes.len()).find(parts).map_or(end, |at| start + at);
        numbered(out, from, name_end, depth)?;
        from = name_end + 1;
    }
    Flow::Continue(())
}

/// A name that may hold a number with dots: `v3.2.10`, `3.5mm`. Letters right before the number are found with it
/// alone.
fn numbered<'a, F: FnMut(Token<'a>) -> bool>(out: &mut Output<'a, F>, start: usize, end: usize, depth: u8) -> Flow {
    let text = out.text;
    let bytes = text.as_bytes();
    if !bytes[start..end].contains(&b'.') {
        return hyphenated(out, start, end, depth);
    }
    if let Some(kind) = number(&bytes[start..end]) {
        return out.token(kind, start, end);
    }
    let depth = out.whole(Kind::Version, start, end, depth)?;
    let mut from = start;
    while let Some(dot) = bytes[from..end].iter().position(|byte| *byte == b'.').map(|offset| from + offset) {
        let digits = bytes[from..dot].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let first = dot - digits;
        if let Some(line) = bytes[from..first].iter().rposition(|byte| *byte == b'_') {
            words(out, from, from + line, depth)?;
        }
        let number_end = end - dotted_number(&bytes[first..end]).1.len();
        out.token(number(&bytes[first..number_end]).unwrap_or(Kind::Version), first, number_end)?;
        from = number_end;
    }
    words(out, from, end, depth)
}

/// The words between `start` and `end`, with the signs around them.
fn words<'a, F: FnMut(Token<'a>) -> bool>(out: &mut Output<'a, F>, start: usize, end: usize, depth: u8) -> Flow {
    let bytes = out.text.as_bytes();
    let end = end - bytes[start..end].iter().rev().take_while(|byte| **byte == b'_').count();
    match next_word(out.text, start, end) {
        Some(first) => identifier(out, first, end, false, depth),
        None => Flow::Continue(()),
    }
}
