//! The header of a segment, with the addresses of all its parts.
//!
//! ```text
//! 0   format u8, usual occurrences u8 (see `document::occurrences`), number columns u16
//! 4   documents u32, lexemes u32, terms u32, groups u32, number columns that order the documents u32
//! 24  bytes of the segment u64
//! 32  places u64, lexemes u64, terms u64, postings u64, bytes of postings u64, groups u64: where they start
//! 80  the descriptor of the lengths, then the descriptors of the number columns (see `column`)
//! ```
//!
//! Little-endian. The header is in the first page.

use super::bytes::ends_early;
use super::column::{DESCRIPTOR_BYTES, Descriptor};
use super::dictionary::ENTRY_BYTES;
use super::run::Run;
use crate::blob::{BLOB_PAGE_BYTES, PagedBytes};
use crate::fault::{Outcome, damaged_content};
use crate::place::PLACE_BYTES;

const FORMAT: u8 = 1;
const FIXED_BYTES: usize = 80;
/// Bytes of a group in the table of groups.
pub const GROUP_BYTES: usize = 40;
/// Bytes of an extent (see `extents`).
pub const EXTENT_BYTES: usize = 9;
/// The number of number columns for which the header has room.
pub const MAX_NUMBERS: usize = 128;

/// The addresses of all parts.
#[derive(Debug, Clone)]
pub struct Header {
    /// The byte of the occurrences that most postings have.
    pub usual: u8,
    /// The number of documents.
    pub documents: u32,
    /// The number of first number columns in which no two documents are the same without a null; 0 if not even all
    /// columns distinguish the documents.
    pub ordered_by: u32,
    /// The place of each document.
    pub places: Run,
    /// The extents of the places.
    pub extents: Run,
    /// The dictionary of lexemes.
    pub lexemes: Run,
    /// The dictionary of terms.
    pub terms: Run,
    /// The start of the postings, and the bytes after them.
    pub postings: (u64, u64),
    /// The number of groups, and the start of their table.
    pub groups: (u32, u64),
    /// Bytes of the segment.
    pub length: u64,
    /// The lengths of documents.
    pub lengths: Descriptor,
    /// The number columns.
    pub numbers: Vec<Descriptor>,
}

/// The run of the extents of some places, which follows them.
pub fn extents_after(places: Run) -> Option<Run> {
    Run::new(places.end(), EXTENT_BYTES, places.parts_count())
}

/// Bytes of the header of a segment with so many number columns.
pub fn header_bytes(numbers: usize) -> usize {
    FIXED_BYTES + (1 + numbers) * DESCRIPTOR_BYTES
}

impl Header {
    /// The header as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(header_bytes(self.numbers.len()));
        out.extend_from_slice(&[FORMAT, self.usual]);
        out.extend_from_slice(&(self.numbers.len() as u16).to_le_bytes());
        for count in [self.documents, self.lexemes.items(), self.terms.items(), self.groups.0, self.ordered_by] {
            out.extend_from_slice(&count.to_le_bytes());
        }
        let (postings, end) = self.postings;
        let starts = [self.places.start(), self.lexemes.start(), self.terms.start()];
        for at in [&[self.length], &starts[..], &[postings, end - postings, self.groups.1]].concat() {
            out.extend_from_slice(&at.to_le_bytes());
        }
        [self.lengths].iter().chain(&self.numbers).for_each(|descriptor| descriptor.put(&mut out));
        out
    }

    /// Reads it. All its addresses are within the bytes.
    pub fn read(bytes: &impl PagedBytes) -> Outcome<Header> {
        bytes.read_page(0, |page| Header::parse(page, bytes.len()))
    }

    fn parse(page: &[u8], length: u64) -> Outcome<Header> {
        let fixed: &[u8; FIXED_BYTES] = page.first_chunk().ok_or_else(ends_early)?;
        let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| fixed[at + byte]));
        let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| fixed[at + byte]));
        if fixed[0] != FORMAT {
            return Err(damaged_content("a segment is of no known format"));
        }
        if u64_at(24) > length {
            return Err(ends_early());
        }
        let (length, documents) = (u64_at(24), u32_at(4));
        let numbers = usize::from(u16::from_le_bytes([fixed[2], fixed[3]]));
        let descriptors = page.get(FIXED_BYTES..header_bytes(numbers)).ok_or_else(ends_early)?.as_chunks().0;
        let descriptor = |bytes| Descriptor::read(bytes, documents, length);
        let [lengths, numbers @ ..] = descriptors else { return Err(ends_early()) };
        let end_of =
            |start: u64, bytes: u64| start.checked_add(bytes).filter(|&end| end <= length).ok_or_else(ends_early);
        let (postings, groups, ordered_by) = (u64_at(56), u32_at(16), u32_at(20));
        if ordered_by as usize > numbers.len() {
            return Err(damaged_content("a segment is ordered by columns that it does not have"));
        }
        end_of(u64_at(72), u64::from(groups) * GROUP_BYTES as u64)?;
        let places = Run::checked(u64_at(32), PLACE_BYTES, documents, length)?;
        let extents = extents_after(places).filter(|extents| extents.end() <= length).ok_or_else(ends_early)?;
        Ok(Header {
            usual: fixed[1],
            documents,
            ordered_by,
            places,
            extents,
            lexemes: Run::checked(u64_at(40), ENTRY_BYTES, u32_at(8), length)?,
            terms: Run::checked(u64_at(48), ENTRY_BYTES, u32_at(12), length)?,
            postings: (postings, end_of(postings, u64_at(64))?),
            groups: (groups, u64_at(72)),
            length,
            lengths: descriptor(lengths)?,
            numbers: numbers.iter().map(descriptor).collect::<Outcome<_>>()?,
        })
    }
}

const _: () = assert!(FIXED_BYTES + (1 + MAX_NUMBERS) * DESCRIPTOR_BYTES <= BLOB_PAGE_BYTES);
