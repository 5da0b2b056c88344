//! Words that dashes join: `long-term`, `ORA-00942`, `2024-05-03`.

use crate::characters::{DIGIT, LETTER, LOWER, UPPER, WIDE};
use crate::identifier::identifier;
use crate::output::{Flow, Output};
use crate::plain_word::plain_word;
use crate::token::{Kind, Token};

/// The whole, and each part. Behind the first part of a code (`PROJ-12-34`) the numbers come together, too.
pub fn hyphenated<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    start: usize,
    end: usize,
    depth: u8,
) -> Flow {
    let text = out.text;
    let bytes = text.as_bytes();
    let Some(dash) = dash_behind(bytes, start, end) else {
        return identifier(out, start, end, false, depth);
    };
    if let Some(date_end) = date_before_time(&bytes[start..end]).map(|length| start + length) {
        let depth = out.whole(Kind::NumHword, start, end, depth)?;
        hyphenated(out, start, date_end, depth)?;
        return identifier(out, date_end + 1, end, true, depth);
    }
    let mut depth = out.whole(kind_of(text, start, end), start, end, depth)?;
    let has_word_first = !bytes[start..dash].iter().all(u8::is_ascii_digit);
    let numbers = &bytes[dash + 1..end];
    let is_code = has_word_first
        && numbers.contains(&b'-')
        && numbers.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-')
        && out.may_be_whole(start, end);
    identifier(out, start, dash, true, depth)?;
    if is_code {
        depth = out.whole(Kind::NumHword, dash + 1, end, depth)?;
    }
    let mut from = dash + 1;
    while from < end {
        let part_end = dash_behind(bytes, from, end).unwrap_or(end);
        identifier(out, from, part_end, true, depth)?;
        from = part_end + 1;
    }
    Flow::Continue(())
}

/// The length of the date of `2024-05-03T10`, which has no other dashes.
fn date_before_time(bytes: &[u8]) -> Option<usize> {
    const DATE_AND_T: &[u8] = b"0000-00-00T";
    let fits = |(byte, sign): (&u8, &u8)| if *sign == b'0' { byte.is_ascii_digit() } else { byte == sign };
    let (date, time) = bytes.split_at_checked(DATE_AND_T.len())?;
    let is_time = !time.is_empty() && time.iter().all(u8::is_ascii_alphanumeric);
    (is_time && date.iter().zip(DATE_AND_T).all(fits)).then_some(date.len() - 1)
}

fn dash_behind(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    bytes[start..end].iter().position(|byte| *byte == b'-').map(|offset| start + offset)
}

/// The kind of the whole.
fn kind_of(text: &str, start: usize, end: usize) -> Kind {
    let (mut at, mut bits) = (start, 0);
    while at < end {
        let word = plain_word(text, at, end);
        bits |= word.bits;
        // There is a dash or `_`, one byte, between words.
        at = word.end.max(at) + 1;
    }
    match (bits & DIGIT != 0 || bits & (LOWER | UPPER | LETTER) == 0, bits & WIDE != 0) {
        (true, _) => Kind::NumHword,
        (_, true) => Kind::Hword,
        _ => Kind::AsciiHword,
    }
}
