//! Identifiers: words that `_` joins (`memory_search`), and names whose case shows several words (`getUserName`).

use crate::characters::{Class, LOWER, UPPER, begins_word, character_at, class};
use crate::number::number;
use crate::output::{Flow, Output};
use crate::plain_word::{PlainWord, plain_word};
use crate::token::{Kind, Token};

/// Letters that the first part of a name in camel case has at least, and each other one. `McDonald`, `iPhone` and
/// `macOS` are one word each by the first or the second.
const FIRST_PART: usize = 3;
const OTHER_PART: usize = 2;

/// Words, and `_` between them, from `start` to `end`.
pub fn identifier<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    start: usize,
    end: usize,
    in_hyphens: bool,
    depth: u8,
) -> Flow {
    let first = plain_word(out.text, start, end);
    if first.end == end {
        return cased(out, start, first, in_hyphens, depth);
    }
    let kind = if in_hyphens { Kind::HwordNumPart } else { Kind::NumWord };
    let depth = out.whole(kind, start, end, depth)?;
    let mut at = start;
    while at < end {
        if begins_word(out.text, at, end) {
            let word = plain_word(out.text, at, end);
            cased(out, at, word, in_hyphens, depth)?;
            at = word.end;
        } else {
            at += 1;
        }
    }
    Flow::Continue(())
}

/// A word, and its parts by case.
pub fn cased<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    start: usize,
    word: PlainWord,
    in_hyphens: bool,
    depth: u8,
) -> Flow {
    let text = out.text;
    // The whole is always a token: in another case the word has no others.
    let may_have_parts = out.may_be_whole(start, word.end) && out.has_room(depth);
    if !word.has_hump || !is_camel_case(&text[start..word.end]) || !may_have_parts {
        return leaf(out, start, word, in_hyphens);
    }
    out.whole(word_kind(word, in_hyphens), start, word.end, depth)?;
    out.by_case = true;
    let mut from = start;
    for part in humps(&text[start..word.end]) {
        leaf(out, from, plain_word(text, from, from + part.len()), in_hyphens)?;
        from += part.len();
    }
    out.by_case = false;
    Flow::Continue(())
}

/// A word without parts.
fn leaf<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    start: usize,
    word: PlainWord,
    in_hyphens: bool,
) -> Flow {
    let kind = match word_kind(word, in_hyphens) {
        // `1e5`, unlike `5th`.
        kind @ (Kind::NumWord | Kind::HwordNumPart) => number(&out.text.as_bytes()[start..word.end]).unwrap_or(kind),
        kind => kind,
    };
    out.token(kind, start, word.end)
}

fn word_kind(word: PlainWord, in_hyphens: bool) -> Kind {
    match word.kind() {
        Kind::AsciiWord if in_hyphens => Kind::HwordAsciiPart,
        Kind::Word if in_hyphens => Kind::HwordPart,
        Kind::NumWord if in_hyphens => Kind::HwordNumPart,
        kind => kind,
    }
}

/// Whether each part of a word is long enough to be one.
fn is_camel_case(word: &str) -> bool {
    let letters = |part: &str| part.chars().filter(|c| matches!(class(*c), Class::Word(_))).count();
    letters(humps(word).next().unwrap_or_default()) >= FIRST_PART && humps(word).all(|part| letters(part) >= OTHER_PART)
}

/// The parts of a word, each of which begins with an upper-case letter behind a lower-case one.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, behind) = rest.split_at(end_of_hump(rest));
        rest = behind;
        Some(part)
    })
}

fn end_of_hump(word: &str) -> usize {
    let (mut at, mut before) = (0, 0);
    while let Some(c) = character_at(word, at) {
        if let Class::Word(own) = class(c) {
            if before & LOWER != 0 && own & UPPER != 0 {
                return at;
            }
            before = own;
        }
        at += c.len_utf8();
    }
    at
}
