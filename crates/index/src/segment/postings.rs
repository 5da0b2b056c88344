//! Postings: the documents of one hash, for a lexeme with its occurrences in each.
//!
//! A list is `count << 2 | form` as a varint, then by the form:
//!
//! ```text
//! 0 gaps      the bytes that follow, a varint, and for each document the number of documents since the last, a varint;
//!             of a lexeme `gap << 1 | 1` and the occurrences where they are not the usual ones, else `gap << 1`
//! 1 bitmap    a bit for each document of the segment, lowest first        (terms only)
//! 2 all       nothing: every document of the segment                      (terms only)
//! ```

use memory_search_core::text::document::Occurrences;

use super::bytes;
use crate::bitset::Bitset;
use crate::blob::PagedBytes;
use crate::document::occurrences;
use crate::fault::{Fault, Outcome, damaged_content};
use crate::varint;

const GAPS: u64 = 0;
const BITMAP: u64 = 1;
const ALL: u64 = 2;
/// The greatest number of bytes for a list's count and length.
const HEAD_BYTES: u64 = 20;
/// The greatest number of bytes for a posting, and for half of a list's head.
pub const MAX_BYTES: usize = 18;

fn damaged_list() -> Fault {
    damaged_content("the postings of a segment contradict their own counts")
}

/// Appends the list of a lexeme: documents in ascending order, each once, with their occurrences. `gaps` is empty.
pub fn put_lexeme(
    out: &mut Vec<u8>,
    gaps: &mut Vec<u8>,
    found: impl ExactSizeIterator<Item = (u32, Occurrences)>,
    usual: Occurrences,
) {
    varint::put(out, (found.len() as u64) << 2 | GAPS);
    let mut next = 0;
    for (document, found) in found {
        let unusual = found != usual;
        varint::put(gaps, u64::from(document - next) << 1 | u64::from(unusual));
        if unusual {
            occurrences::put(gaps, found);
        }
        next = document + 1;
    }
    varint::put(out, gaps.len() as u64);
    out.extend_from_slice(gaps);
}

/// Appends the list of a term: documents of a segment of so many, in ascending order, each once. `gaps` is empty.
pub fn put_term(out: &mut Vec<u8>, gaps: &mut Vec<u8>, found: impl ExactSizeIterator<Item = u32>, documents: u32) {
    let count = (found.len() as u64) << 2;
    let bitmap_bytes = documents.div_ceil(8) as usize;
    if found.len() == documents as usize {
        varint::put(out, count | ALL);
    } else if found.len() >= bitmap_bytes {
        // A gap takes a byte at least.
        varint::put(out, count | BITMAP);
        let start = out.len();
        out.resize(start + bitmap_bytes, 0);
        found.for_each(|document| out[start + document as usize / 8] |= 1 << (document % 8));
    } else {
        varint::put(out, count | GAPS);
        let mut next = 0;
        for document in found {
            varint::put(gaps, u64::from(document - next));
            next = document + 1;
        }
        varint::put(out, gaps.len() as u64);
        out.extend_from_slice(gaps);
    }
}

/// A list, as contiguous bytes.
#[derive(Debug, Clone)]
pub struct List<Body> {
    count: u32,
    form: u64,
    body: Body,
}

/// The contents of a list's head: the number of documents, the form, the bytes of the body.
fn take_head(bytes: &mut &[u8], documents: u32) -> Option<List<usize>> {
    let head = varint::take(bytes)?;
    let (count, form) = (u32::try_from(head >> 2).ok()?, head & 3);
    let body = match form {
        GAPS => varint::take_usize(bytes)?,
        BITMAP => documents.div_ceil(8) as usize,
        ALL if count == documents => 0,
        _ => return None,
    };
    (count <= documents).then_some(List { count, form, body })
}

/// Takes a list from the front; `None` if the bytes end within it or are no list.
pub fn take<'a>(bytes: &mut &'a [u8], documents: u32) -> Option<List<&'a [u8]>> {
    let mut rest = *bytes;
    let List { count, form, body } = take_head(&mut rest, documents)?;
    let (body, rest) = rest.split_at_checked(body)?;
    *bytes = rest;
    Some(List { count, form, body })
}

/// Reads the list that starts at a byte and ends before another.
pub fn read(bytes: &impl PagedBytes, start: u64, end: u64, documents: u32) -> Outcome<List<Vec<u8>>> {
    read_up_to(documents, bytes, start, end, documents)?.ok_or_else(damaged_list)
}

/// Reads the list that starts at a byte and ends before another; `None` if it has more than `most` documents, whose
/// bytes are then not read.
pub fn read_up_to(
    most: u32,
    bytes: &impl PagedBytes,
    start: u64,
    end: u64,
    documents: u32,
) -> Outcome<Option<List<Vec<u8>>>> {
    let left = end.checked_sub(start).ok_or_else(damaged_list)?;
    let (page, offset) = bytes::page_of(start)?;
    // Most lists are in one page, and are read with one read of it.
    let whole = bytes.read_page(page, |page| {
        let mut rest = page.get(offset..).unwrap_or_default();
        if take_head(&mut &*rest, documents).is_some_and(|list| list.count > most) {
            return Ok(Some(None));
        }
        let list = take(&mut rest, documents);
        Ok(list.map(|list| Some(List { count: list.count, form: list.form, body: list.body.to_vec() })))
    })?;
    if let Some(list) = whole {
        return Ok(list);
    }
    let head = bytes::range(bytes, start, left.min(HEAD_BYTES))?;
    let mut rest = &head[..];
    let List { count, form, body } = take_head(&mut rest, documents).ok_or_else(damaged_list)?;
    let body_start = start + (head.len() - rest.len()) as u64;
    if body as u64 > end - body_start {
        return Err(damaged_list());
    }
    if count > most {
        return Ok(None);
    }
    Ok(Some(List { count, form, body: bytes::range(bytes, body_start, body as u64)? }))
}

impl<Body: AsRef<[u8]>> List<Body> {
    /// The number of its documents.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Calls `each` with the documents of a lexeme, ascending, below `documents`. May fail after some calls.
    #[inline]
    pub fn each_posting(
        &self,
        documents: u32,
        usual: Occurrences,
        mut each: impl FnMut(u32, Occurrences),
    ) -> Outcome<()> {
        if self.form != GAPS {
            return Err(damaged_list());
        }
        self.each_gap(
            documents,
            |gap, rest| {
                let found = if gap & 1 == 0 { usual } else { occurrences::take(rest)? };
                Some((gap >> 1, found))
            },
            &mut each,
        )
    }

    #[inline]
    fn each_gap<T>(
        &self,
        documents: u32,
        take: impl Fn(u64, &mut &[u8]) -> Option<(u64, T)>,
        each: &mut impl FnMut(u32, T),
    ) -> Outcome<()> {
        let mut rest = self.body.as_ref();
        let mut next = 0_u64;
        for _ in 0..self.count {
            let (gap, found) = varint::take(&mut rest).and_then(|gap| take(gap, &mut rest)).ok_or_else(damaged_list)?;
            let document = next.saturating_add(gap);
            if document >= u64::from(documents) {
                return Err(damaged_list());
            }
            each(document as u32, found);
            next = document + 1;
        }
        if rest.is_empty() { Ok(()) } else { Err(damaged_list()) }
    }

    /// Calls `each` with the documents of a term, ascending, below `documents`. May fail after some calls.
    pub fn each_document(&self, documents: u32, mut each: impl FnMut(u32)) -> Outcome<()> {
        match self.form {
            GAPS => self.each_gap(documents, |gap, _| Some((gap, ())), &mut |document, ()| each(document)),
            ALL => {
                (0..documents).for_each(each);
                Ok(())
            }
            _ => {
                let mut set = Bitset::empty(documents)?;
                self.insert_into(&mut set)?;
                set.iter().for_each(each);
                Ok(())
            }
        }
    }

    /// Puts the documents of a term into a set that is as large as the segment.
    pub fn insert_into(&self, set: &mut Bitset) -> Outcome<()> {
        match self.form {
            BITMAP => {
                for (index, chunk) in self.body.as_ref().chunks(8).enumerate() {
                    let mut word = [0; 8];
                    word[..chunk.len()].copy_from_slice(chunk);
                    set.insert_word(index, u64::from_le_bytes(word));
                }
                Ok(())
            }
            ALL => {
                (0..set.words().len()).for_each(|word| set.insert_word(word, u64::MAX));
                Ok(())
            }
            _ => self.each_document(set.size(), |document| set.insert(document)),
        }
    }
}
