//! Segments: many documents as columns, a dictionary of hashes, postings and codes. A segment is written once;
//! afterwards the only change is that a document is marked as dead.
//!
//! ```text
//! header        (see `header`)
//! places        6 bytes a document, so that the mark of a dead one changes one page
//! extents       9 bytes for each page of places (see `extents`)
//! columns       lengths, then the numbers of the index (see `column`)
//! lexemes       a dictionary (see `dictionary`)
//! terms         another
//! postings      the lists of both, in the order of their entries (see `postings`)
//! groups        the means, then the codes in two parts of each, then a table of the groups (see `groups`)
//! ```
//!
//! Documents are numbered from 0 in the order of their number columns. A segment reads only the parts that a query
//! needs: the header when it is opened, a column, a list of postings.

pub mod build;
pub mod bytes;
pub mod codes;
pub mod column;
mod contents;
mod dictionary;
pub mod extents;
#[cfg(test)]
mod golden;
pub mod groups;
mod header;
mod postings;
pub mod run;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

use std::ops::Range;

use memory_search_core::error::out_of_memory;
use memory_search_core::text::document::Occurrences;

use crate::bitset::Bitset;
use crate::blob::PagedBytes;
use crate::document::occurrences;
use crate::fault::{Fault, Outcome, damaged_content};
use crate::place::{PLACE_BYTES, Place};
use dictionary::Info;
use header::Header;
use run::Run;

pub use build::{SegmentDocument, build};
pub use bytes::InMemory;
use column::Descriptor;
pub use column::{Column, Range as NumberRange};
pub use contents::{documents_again, merge};
pub use groups::Group;

/// A segment that is read.
#[derive(Debug, Clone)]
pub struct Segment<B> {
    bytes: B,
    header: Header,
}

/// The documents of a segment that hold a lexeme.
#[derive(Debug, Clone)]
pub enum Postings {
    /// No document.
    None,
    /// One, and what its dictionary says of it.
    Single(u32, Occurrences),
    /// Several.
    List(postings::List<Vec<u8>>),
}

impl Postings {
    /// The number of documents, the dead included.
    pub fn count(&self) -> u32 {
        match self {
            Postings::None => 0,
            Postings::Single(..) => 1,
            Postings::List(list) => list.count(),
        }
    }
}

/// The places of documents in one page.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    first: u32,
    bytes: &'a [u8],
}

impl Places<'_> {
    /// The documents and their places; if [`Place::is_row`] is false for a place, the document is dead.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, Place)> {
        let first = self.first;
        let places = self.bytes.as_chunks().0.iter().enumerate();
        places.map(move |(index, bytes)| (first + index as u32, Place::from_bytes(*bytes)))
    }

    /// The documents.
    pub fn documents(&self) -> Range<u32> {
        self.first..self.first + (self.bytes.len() / PLACE_BYTES) as u32
    }

    /// The least and the greatest block of the rows; `None` if a document is dead, or there is none.
    pub fn blocks(&self) -> Option<(u32, u32)> {
        const PAIR: usize = 2 * PLACE_BYTES;
        const ONE: u64 = u64::MAX >> 16;
        // A place as a number: the block above the sixteen bits of the offset.
        let (mut least, mut greatest, mut is_any_dead) = (ONE, 0, self.bytes.is_empty());
        let mut look = |place: u64| {
            least = least.min(place);
            greatest = greatest.max(place);
            is_any_dead |= place & u64::from(u16::MAX) == 0;
        };
        let (pairs, rest) = self.bytes.as_chunks::<PAIR>();
        for pair in pairs {
            let eight = |from: usize| u64::from_be_bytes(std::array::from_fn(|byte| pair[from + byte]));
            look(eight(0) >> 16);
            look(eight(PAIR - 8) & ONE);
        }
        if let Some(&[a, b, c, d, e, f]) = rest.first_chunk() {
            look(u64::from_be_bytes([0, 0, a, b, c, d, e, f]));
        }
        let (least, greatest) = ((least >> 16) as u32, (greatest >> 16) as u32);
        (!is_any_dead).then_some((least, greatest))
    }
}

impl<B: PagedBytes> Segment<B> {
    /// Reads the header. All its addresses are within the bytes.
    pub fn open(bytes: B) -> Outcome<Segment<B>> {
        let header = Header::read(&bytes)?;
        Ok(Segment { bytes, header })
    }

    /// The number of documents that it was built from, including dead ones.
    pub fn documents(&self) -> u32 {
        self.header.documents
    }

    /// The number of its number columns.
    pub fn number_columns(&self) -> usize {
        self.header.numbers.len()
    }

    /// Bytes of the segment.
    pub fn length(&self) -> u64 {
        self.header.length
    }

    /// Calls `each` with the places of a page's documents while the page is held, in the order of the documents.
    pub fn places(&self, mut each: impl FnMut(Places) -> Outcome<()>) -> Outcome<()> {
        let places = &self.header.places;
        let mut parts = places.parts().peekable();
        while let Some(part) = parts.next() {
            if let Some(next) = parts.peek() {
                self.bytes.expect_page(next.page);
                self.bytes.prefetch(next.page, places.bytes_of(*next));
            }
            places.read(&self.bytes, part, |bytes| each(Places { first: part.first, bytes }))?;
        }
        Ok(())
    }

    /// The place of a document; `None` if there is no such document.
    pub fn place(&self, document: u32) -> Outcome<Option<Place>> {
        let places = &self.header.places;
        if document >= self.documents() {
            return Ok(None);
        }
        let part = places.part_of(document);
        places.read(&self.bytes, part, |bytes| {
            let at = (document - part.first) as usize;
            Ok(bytes.as_chunks().0.get(at).map(|bytes| Place::from_bytes(*bytes)))
        })
    }

    /// A number column, from 0.
    pub fn numbers(&self, column: usize) -> Outcome<Column> {
        let descriptor = self.header.numbers.get(column);
        let descriptor = descriptor.ok_or_else(no_column)?;
        Column::read(&self.bytes, descriptor, self.documents())
    }

    /// The range of a column's numbers, which the header has.
    pub fn range(&self, column: usize) -> Outcome<NumberRange> {
        let descriptor = self.header.numbers.get(column);
        descriptor.map(Descriptor::range).ok_or_else(no_column)
    }

    /// The least number of columns, from the first on, that distinguish all documents, including dead ones, and have no
    /// nulls: then no two documents have the same numbers there, and each has greater ones than the one before. `None`
    /// if there is no such number.
    pub fn ordered_by(&self) -> Option<usize> {
        Some(self.header.ordered_by as usize).filter(|&columns| columns > 0)
    }

    /// Calls `each` with the numbers of some documents in a column, in their order, and reads only the pages that hold
    /// them: for few documents, which mostly ascend. `None` if a number is null. Fails if there is no such document.
    pub fn some_numbers(&self, column: usize, documents: &[u32], each: impl FnMut(Option<i64>)) -> Outcome<()> {
        let descriptor = self.header.numbers.get(column).ok_or_else(no_column)?;
        column::read_some(&self.bytes, descriptor, self.documents(), documents, each)
    }

    /// The lengths of the documents, none of which is null: distinct lexemes.
    pub fn lengths(&self) -> Outcome<Column> {
        Column::read(&self.bytes, &self.header.lengths, self.documents())
    }

    /// Calls `each` with the documents that hold a lexeme, ascending, and returns their number, the dead included. No
    /// page is held. If the postings are damaged it fails after some calls.
    #[inline]
    pub fn postings(&self, lexeme: u64, each: impl FnMut(u32, Occurrences)) -> Outcome<u32> {
        let postings = self.postings_of(lexeme)?;
        self.each_posting(&postings, each)?;
        Ok(postings.count())
    }

    /// The documents that hold a lexeme.
    pub fn postings_of(&self, lexeme: u64) -> Outcome<Postings> {
        Ok(match dictionary::find(&self.header.lexemes, &self.bytes, lexeme)? {
            None => Postings::None,
            Some(Info::Single(document, found)) => {
                self.check_document(document)?;
                Postings::Single(document, found)
            }
            Some(Info::List(start)) => Postings::List(self.list(start)?),
        })
    }

    /// Like [`Segment::postings`], for the result of [`Segment::postings_of`] on this segment.
    #[inline]
    pub fn each_posting(&self, postings: &Postings, mut each: impl FnMut(u32, Occurrences)) -> Outcome<()> {
        match postings {
            Postings::None => Ok(()),
            Postings::Single(document, found) => {
                each(*document, *found);
                Ok(())
            }
            Postings::List(list) => list.each_posting(self.documents(), self.usual(), each),
        }
    }

    /// Adds the documents that have a term to a set as large as the segment, and returns their number, including dead
    /// ones.
    pub fn documents_with(&self, term: u64, set: &mut Bitset) -> Outcome<u32> {
        match dictionary::find(&self.header.terms, &self.bytes, term)? {
            None => Ok(0),
            Some(Info::Single(document, _)) => {
                self.check_document(document)?;
                set.insert(document);
                Ok(1)
            }
            Some(Info::List(start)) => {
                let list = self.list(start)?;
                list.insert_into(set)?;
                Ok(list.count())
            }
        }
    }

    /// Calls `each` with the number of each lexeme that a document holds, and with these documents, the dead included;
    /// with `None` if they are more than `most`. The lexemes ascend.
    pub fn documents_of_lexemes(
        &self,
        lexemes: &[u64],
        most: u32,
        each: impl FnMut(usize, Option<&[u32]>),
    ) -> Outcome<()> {
        let usual = self.usual();
        self.documents_of_each(&self.header.lexemes, lexemes, most, each, |list, documents| {
            list.each_posting(self.documents(), usual, |document, _| documents.push(document))
        })
    }

    /// Does the same as [`Segment::documents_of_lexemes`] for terms.
    pub fn documents_of_terms(&self, terms: &[u64], most: u32, each: impl FnMut(usize, Option<&[u32]>)) -> Outcome<()> {
        self.documents_of_each(&self.header.terms, terms, most, each, |list, documents| {
            list.each_document(self.documents(), |document| documents.push(document))
        })
    }

    fn documents_of_each(
        &self,
        dictionary: &Run,
        hashes: &[u64],
        most: u32,
        mut each: impl FnMut(usize, Option<&[u32]>),
        read: impl Fn(&postings::List<Vec<u8>>, &mut Vec<u32>) -> Outcome<()>,
    ) -> Outcome<()> {
        let mut lists = Vec::new();
        dictionary::find_each(dictionary, &self.bytes, hashes, |which, info| lists.push((which, info)))?;
        let mut documents = Vec::new();
        for (which, info) in lists {
            documents.clear();
            match info {
                Info::Single(document, _) => {
                    self.check_document(document)?;
                    documents.push(document);
                }
                Info::List(start) => {
                    let (postings, end) = self.header.postings;
                    let start = postings + u64::from(start);
                    let Some(list) = postings::read_up_to(most, &self.bytes, start, end, self.documents())? else {
                        each(which, None);
                        continue;
                    };
                    documents.try_reserve(list.count() as usize).map_err(|_| out_of_memory())?;
                    read(&list, &mut documents)?;
                }
            }
            each(which, (documents.len() <= most as usize).then_some(&documents));
        }
        Ok(())
    }

    fn list(&self, start: u32) -> Outcome<postings::List<Vec<u8>>> {
        let (postings, end) = self.header.postings;
        postings::read(&self.bytes, postings + u64::from(start), end, self.documents())
    }

    fn usual(&self) -> Occurrences {
        occurrences::of_byte(self.header.usual)
    }

    fn check_document(&self, document: u32) -> Outcome<()> {
        match document < self.documents() {
            true => Ok(()),
            false => Err(damaged_content("a dictionary names a document that its segment does not have")),
        }
    }
}

fn no_column() -> Fault {
    damaged_content("a segment has fewer number columns than the index")
}

/// Marks the document as dead whose place is at an offset of a page. `false` if it was marked before.
fn mark_dead(page: &mut [u8], offset: usize) -> Outcome<bool> {
    let bytes: &mut [u8; PLACE_BYTES] =
        page.get_mut(offset..).and_then(|rest| rest.first_chunk_mut()).ok_or_else(bytes::ends_early)?;
    let place = Place::from_bytes(*bytes);
    *bytes = Place { offset: 0, ..place }.to_bytes();
    Ok(place.is_row())
}
