//! A place in the pages of a search: the entries that were shown, and the instant of the first page. The cursor has
//! each entry, not a number of rows or a score, so that no entry is shown twice, even if others are written meanwhile.

use std::collections::BTreeMap;

use crate::bounds_and_defaults;
use crate::error::Result;
use crate::request::opaque::{decoded, encoded, fingerprint};
use crate::request::search_page::{SearchOf, no_cursor};
use crate::timestamp::Micros;

/// The version of the format of cursors, for later changes.
const FORM: u8 = 1;

/// A place after some pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchCursor {
    /// When the first page was requested: every page uses the ages of that instant.
    pub first_asked: Micros,
    /// The ids of the shown entries, by memory, in the order in which they were shown.
    pub shown: BTreeMap<String, Vec<String>>,
}

impl SearchCursor {
    /// The number of shown entries.
    pub fn count(&self) -> usize {
        self.shown.values().map(Vec::len).sum()
    }

    /// The cursor as text for callers.
    pub fn written(&self, of: &SearchOf) -> String {
        let mut body = Vec::new();
        put_text(&mut body, &of.written());
        body.extend(self.first_asked.to_be_bytes());
        put_number(&mut body, self.shown.len());
        for (memory, ids) in &self.shown {
            put_text(&mut body, memory);
            put_number(&mut body, ids.len());
            ids.iter().for_each(|id| put_id(&mut body, id));
        }
        let mut all = vec![FORM];
        all.extend(check_digits(&body).into_bytes());
        all.extend(body);
        encoded(&all)
    }

    /// Reads the text of [`SearchCursor::written`] for the same search.
    pub fn read(text: &str, of: &SearchOf) -> Result<Self> {
        let (written_of, cursor) = read(text).ok_or_else(|| no_cursor(text))?;
        of.check(&written_of)?;
        Ok(cursor)
    }
}

fn read(text: &str) -> Option<(String, SearchCursor)> {
    let bytes = decoded(text)?;
    let (form, rest) = bytes.split_first()?;
    let (digits, mut body) = rest.split_at_checked(8)?;
    // A text that was cut or changed is no cursor: it would leave out entries, or show them twice.
    if *form != FORM || digits != check_digits(body).as_bytes() {
        return None;
    }
    let written_of = take_text(&mut body)?;
    let first_asked = Micros::from_be_bytes(take(&mut body, 8)?.try_into().ok()?);
    let mut cursor = SearchCursor { first_asked, shown: BTreeMap::new() };
    for _ in 0..take_number(&mut body)? {
        let memory = take_text(&mut body)?;
        let ids = (0..take_number(&mut body)?).map(|_| take_id(&mut body)).collect::<Option<Vec<_>>>()?;
        cursor.shown.insert(memory, ids);
    }
    body.is_empty().then_some((written_of, cursor))
}

fn check_digits(body: &[u8]) -> String {
    fingerprint(&encoded(body))
}

/// A number in four bytes: no count here is larger.
fn put_number(out: &mut Vec<u8>, number: usize) {
    out.extend((number as u32).to_be_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len());
    out.extend(text.as_bytes());
}

/// An id: zero and the 16 bytes of a uuid, or one and the length and bytes of another text.
fn put_id(out: &mut Vec<u8>, id: &str) {
    match bytes_of_uuid(id) {
        Some(bytes) => {
            out.push(0);
            out.extend(bytes);
        }
        None => {
            out.push(1);
            put_text(out, id);
        }
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

fn take_number(bytes: &mut &[u8]) -> Option<usize> {
    let number = u32::from_be_bytes(take(bytes, 4)?.try_into().ok()?) as usize;
    // More than bytes are left, or than a search returns, is no count.
    (number <= bytes.len().max(bounds_and_defaults::HIGHEST_TOP as usize)).then_some(number)
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let length = take_number(bytes)?;
    String::from_utf8(take(bytes, length)?.to_vec()).ok()
}

fn take_id(bytes: &mut &[u8]) -> Option<String> {
    match take(bytes, 1)? {
        [0] => Some(uuid_of_bytes(take(bytes, 16)?)),
        [1] => take_text(bytes),
        _ => None,
    }
}

/// The bytes of a uuid in the server's notation.
fn bytes_of_uuid(id: &str) -> Option<Vec<u8>> {
    let digits: String = id.chars().filter(|character| *character != '-').collect();
    if digits.len() != 32 || !digits.is_ascii() {
        return None;
    }
    let bytes: Option<Vec<u8>> =
        (0..32).step_by(2).map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect();
    bytes.filter(|bytes| uuid_of_bytes(bytes) == id)
}

fn uuid_of_bytes(bytes: &[u8]) -> String {
    let mut id = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&at) {
            id.push('-');
        }
        id.push_str(&format!("{byte:02x}"));
    }
    id
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ErrorKind;

    const UUID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

    fn cursor(memories: &[(&str, &[&str])]) -> SearchCursor {
        let shown = memories
            .iter()
            .map(|(memory, ids)| ((*memory).to_owned(), ids.iter().map(|id| (*id).to_owned()).collect()));
        SearchCursor { first_asked: -5, shown: shown.collect() }
    }

    #[test]
    fn a_cursor_comes_back_as_it_went() {
        let of = SearchOf::default().and("query", "q");
        for went in [
            cursor(&[]),
            cursor(&[("m", &[UUID, "17", "", "ü\"\\"]), ("n", &[&UUID.to_uppercase(), &UUID.replace('-', "")])]),
        ] {
            assert_eq!(SearchCursor::read(&went.written(&of), &of), Ok(went));
        }
    }

    #[test]
    fn an_id_of_the_stores_takes_as_many_bytes_as_a_uuid_has() {
        let of = SearchOf::default();
        let length = |ids: &[&str]| cursor(&[("m", ids)]).written(&of).len();
        assert!(length(&[UUID; 301]) - length(&[UUID; 1]) <= 300 * 17 * 4 / 3 + 2);
    }

    proptest! {
        #[test]
        fn what_was_changed_on_its_way_is_refused(at in 0usize..200, to in "[A-Za-z0-9_-]", cut in 1usize..100) {
            let of = SearchOf::default().and("query", "q");
            let written = cursor(&[("m", &[UUID, "17", UUID])]).written(&of);
            let mut changed = written.clone();
            let at = at % written.len();
            changed.replace_range(at..=at, &to);
            prop_assert!(changed == written || SearchCursor::read(&changed, &of).is_err());
            let cut = &written[..written.len() - cut.min(written.len())];
            prop_assert_eq!(SearchCursor::read(cut, &of).unwrap_err().kind, ErrorKind::InvalidArgument);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[A-Za-z0-9_-]{0,200}") {
            prop_assert!(SearchCursor::read(&text, &SearchOf::default()).is_err());
        }
    }
}
