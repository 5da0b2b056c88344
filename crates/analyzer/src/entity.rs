//! The sign `&`: between two words (`AT&T`), and at the beginning of HTML's entities (`&amp;`).

use std::borrow::Cow;

use crate::characters::begins_word;
use crate::output::{Flow, Output};
use crate::plain_word::plain_word;
use crate::token::{Kind, Token};

/// Entities of HTML that are blanks to us.
const ENTITIES: [&[u8]; 6] = [b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&nbsp;", b"&apos;"];
/// Digits of the longest number of an entity.
const LONGEST_NUMBER: usize = 7;

/// The end of the entity that begins at `at`, if one does.
pub fn end(bytes: &[u8], at: usize, end: usize) -> Option<usize> {
    let rest = &bytes[at..end];
    if let Some(entity) = ENTITIES.into_iter().find(|entity| rest.starts_with(entity)) {
        return Some(at + entity.len());
    }
    let number = rest.strip_prefix(b"&#")?;
    let digits = number.strip_prefix(b"x").unwrap_or(number);
    let length = digits.iter().take(LONGEST_NUMBER).take_while(|byte| byte.is_ascii_hexdigit()).count();
    (length > 0 && digits.get(length) == Some(&b';')).then(|| at + rest.len() - digits.len() + length + 1)
}

/// The word `ATandT` of `AT&T`, where all from `start` to the sign at `sign` is one word. It comes before its parts.
pub fn and<'a, F: FnMut(Token<'a>) -> bool>(out: &mut Output<'a, F>, start: usize, sign: usize, limit: usize) -> Flow {
    let text = out.text;
    let bytes = text.as_bytes();
    let left = plain_word(text, start, sign);
    let is_joined = start > 0 && b"=?&/;.%#_@:-".contains(&bytes[start - 1]);
    let is_entity = end(bytes, sign, limit).is_some();
    if left.end != sign || is_joined || is_entity || !begins_word(text, sign + 1, limit) {
        return Flow::Continue(());
    }
    let right = plain_word(text, sign + 1, limit);
    if right.end < limit && matches!(bytes[right.end], b'=' | b'&') || !out.may_be_whole(start, right.end) {
        return Flow::Continue(());
    }
    let word = format!("{}and{}", &text[start..sign], &text[sign + 1..right.end]);
    let kind = plain_word(&word, 0, word.len()).kind();
    let word = crate::output::composed(&word).into_owned();
    out.token_as(if kind == Kind::UInt { Kind::NumWord } else { kind }, Cow::Owned(word), start, right.end)
}
