//! A document as the record of a leaf of the tree: written once, and read in place, without allocations.
//!
//! ```text
//! flags u8            4 bits what is there, 4 bits the format
//! numbers, terms, lexemes [, long] [, length]    varints: how many; |d| only where it is not the number of lexemes
//! terms               8 bytes each, ascending
//! lexemes             8 bytes each, ascending
//! occurrences         1 byte a lexeme (see `occurrences`)
//! long                8 bytes for each lexeme whose byte does not hold its occurrences: u16 for D, C, B, A
//! widths              4 bits a number, the lower half of a byte first: its bytes (0 to 8), or 15: null
//! values              zigzag, as many bytes as the width says
//! code                the rest; of several codes each, after a varint with its length
//! ```
//!
//! Little-endian. The parts that a search reads come first, and the counts alone give the start of each part.

use memory_search_core::text::document::Occurrences;

use super::{Document, Wanted, occurrences};
use crate::fault::{Outcome, damaged_content};
use crate::place::Place;
use crate::varint;

const FORMAT: u8 = 1 << 4;
const HAS_CODE: u8 = 1;
const HAS_LENGTH: u8 = 2;
const HAS_LONG: u8 = 4;
/// The flag of a document with several codes, which then lacks [`HAS_CODE`].
const HAS_SEVERAL_CODES: u8 = 8;
const NULL: u8 = 15;

/// The record of a document; its place is in the key.
pub fn encode(document: &Document) -> Vec<u8> {
    let bytes: Vec<u8> = document.lexemes.iter().map(|&(_, found)| occurrences::to_byte(found)).collect();
    let long = bytes.iter().filter(|&&byte| byte == occurrences::ELSEWHERE).count();
    let has_length = document.length as usize != document.lexemes.len();
    let flag = |bit: u8, set: bool| if set { bit } else { 0 };
    let has_codes = match document.codes.len() {
        0 => 0,
        1 => HAS_CODE,
        _ => HAS_SEVERAL_CODES,
    };
    let flags = has_codes | flag(HAS_LENGTH, has_length) | flag(HAS_LONG, long > 0);

    let mut out = Vec::with_capacity(16 + 9 * (document.numbers.len() + document.terms.len() + document.lexemes.len()));
    out.push(FORMAT | flags);
    for count in [document.numbers.len(), document.terms.len(), document.lexemes.len()] {
        varint::put(&mut out, count as u64);
    }
    if long > 0 {
        varint::put(&mut out, long as u64);
    }
    if has_length {
        varint::put(&mut out, u64::from(document.length));
    }
    document.terms.iter().for_each(|term| out.extend_from_slice(&term.to_le_bytes()));
    document.lexemes.iter().for_each(|(hash, _)| out.extend_from_slice(&hash.to_le_bytes()));
    out.extend_from_slice(&bytes);
    for (&(_, found), _) in document.lexemes.iter().zip(&bytes).filter(|&(_, &byte)| byte == occurrences::ELSEWHERE) {
        found.by_weight.iter().for_each(|count| out.extend_from_slice(&count.to_le_bytes()));
    }
    put_numbers(&mut out, &document.numbers);
    put_codes(&mut out, &document.codes);
    out
}

fn put_codes(out: &mut Vec<u8>, codes: &[Vec<u8>]) {
    for code in codes {
        if codes.len() > 1 {
            varint::put(out, code.len() as u64);
        }
        out.extend_from_slice(code);
    }
}

fn put_numbers(out: &mut Vec<u8>, numbers: &[Option<i64>]) {
    let width = |value: u64| (64 - value.leading_zeros()).div_ceil(8) as u8;
    let half = |number: Option<&Option<i64>>| match number {
        Some(Some(value)) => width(varint::zigzag(*value)),
        Some(None) => NULL,
        None => 0,
    };
    out.extend(numbers.chunks(2).map(|pair| half(pair.first()) | half(pair.get(1)) << 4));
    for value in numbers.iter().flatten().map(|&number| varint::zigzag(number)) {
        out.extend_from_slice(&value.to_le_bytes()[..usize::from(width(value))]);
    }
}

/// Whether the document of a record has several codes. Reads only the flags of the record.
pub fn has_several_codes(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|flags| flags & HAS_SEVERAL_CODES != 0)
}

/// A document, read in place from its record.
#[derive(Debug, Clone, Copy)]
pub struct DocumentView<'a> {
    length: u32,
    numbers: usize,
    terms: &'a [[u8; 8]],
    hashes: &'a [[u8; 8]],
    occurrences: &'a [u8],
    long: &'a [[u8; 8]],
    widths: &'a [u8],
    /// The values and the bytes after them, because eight bytes at a time are read.
    values: &'a [u8],
    codes: Codes<'a>,
}

/// The codes of a document in its record, in no order.
#[derive(Debug, Clone, Copy)]
pub struct Codes<'a>(Left<'a>);

#[derive(Debug, Clone, Copy)]
enum Left<'a> {
    None,
    One(&'a [u8]),
    /// Each after its length. [`DocumentView::new`] checks them.
    Several(&'a [u8]),
}

impl<'a> Iterator for Codes<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        match std::mem::replace(&mut self.0, Left::None) {
            Left::None => None,
            Left::One(code) => Some(code),
            Left::Several(mut rest) => {
                let code = take_code(&mut rest)?;
                self.0 = Left::Several(rest);
                Some(code)
            }
        }
    }
}

/// Takes the next of several codes; `None` if the bytes end within it.
fn take_code<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = varint::take_usize(rest)?;
    split_off(rest, length)
}

impl<'a> DocumentView<'a> {
    /// The document in a record. Every count in it is checked, so that reading cannot fail.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Outcome<DocumentView<'a>> {
        DocumentView::read(bytes).ok_or_else(|| damaged_content("the record of a document contradicts its own counts"))
    }

    #[inline]
    fn read(mut rest: &'a [u8]) -> Option<DocumentView<'a>> {
        let (&flags, after) = rest.split_first()?;
        if flags & !(HAS_CODE | HAS_LENGTH | HAS_LONG | HAS_SEVERAL_CODES) != FORMAT {
            return None;
        }
        rest = after;
        let (numbers, terms, lexemes) =
            (varint::take_usize(&mut rest)?, varint::take_usize(&mut rest)?, varint::take_usize(&mut rest)?);
        let long = if flags & HAS_LONG == 0 { 0 } else { varint::take_usize(&mut rest)? };
        let length = if flags & HAS_LENGTH == 0 { lexemes } else { varint::take_usize(&mut rest)? };
        let length = u32::try_from(length).ok()?;
        let terms = split_off(&mut rest, terms.checked_mul(8)?)?.as_chunks().0;
        let hashes = split_off(&mut rest, lexemes.checked_mul(8)?)?.as_chunks().0;
        let occurrences = split_off(&mut rest, lexemes)?;
        let long = split_off(&mut rest, long.checked_mul(8)?)?.as_chunks().0;
        let widths = split_off(&mut rest, numbers.div_ceil(2))?;
        let mut bytes = 0;
        for half in widths.iter().flat_map(|byte| [byte & 15, byte >> 4]) {
            match half {
                0..=8 => bytes += usize::from(half),
                NULL => {}
                _ => return None,
            }
        }
        let values = rest;
        split_off(&mut rest, bytes)?;
        let codes = Codes(match flags & (HAS_CODE | HAS_SEVERAL_CODES) {
            0 if rest.is_empty() => Left::None,
            HAS_CODE => Left::One(rest),
            HAS_SEVERAL_CODES => several(rest)?,
            _ => return None,
        });
        Some(DocumentView { length, numbers, terms, hashes, occurrences, long, widths, values, codes })
    }

    /// The number of its numbers, nulls included.
    pub fn numbers(&self) -> usize {
        self.numbers
    }

    /// A number; `None` if it is null, or there are not so many.
    #[inline]
    pub fn number(&self, index: usize) -> Option<i64> {
        let width = |index: usize| self.widths[index / 2] >> (index % 2 * 4) & 15;
        if index >= self.numbers || width(index) == NULL {
            return None;
        }
        let start = (0..index).map(width).filter(|&width| width != NULL).map(usize::from).sum::<usize>();
        let bytes = self.values.get(start..)?;
        let (value, width) = match bytes.first_chunk() {
            Some(chunk) => (u64::from_le_bytes(*chunk), usize::from(width(index))),
            None => {
                let mut chunk = [0; 8];
                chunk[..bytes.len()].copy_from_slice(bytes);
                (u64::from_le_bytes(chunk), usize::from(width(index)))
            }
        };
        Some(varint::unzigzag(value & u64::MAX.checked_shr(64 - 8 * width as u32).unwrap_or(0)))
    }

    /// Distinct lexemes of the row.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Whether it has a term.
    #[inline]
    pub fn has_term(&self, term: u64) -> bool {
        self.terms.binary_search_by_key(&term, |bytes| u64::from_le_bytes(*bytes)).is_ok()
    }

    /// Its terms, ascending.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = u64> + use<'a> {
        self.terms.iter().map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// Its lexemes with their occurrences, ascending by hash.
    pub fn lexemes(&self) -> impl ExactSizeIterator<Item = (u64, Occurrences)> + use<'a> {
        let mut long = self.long.iter();
        self.hashes.iter().zip(self.occurrences).map(move |(hash, &byte)| {
            let found = match byte {
                occurrences::ELSEWHERE => long.next().map_or_else(Occurrences::default, long_occurrences),
                byte => occurrences::of_byte(byte),
            };
            (u64::from_le_bytes(*hash), found)
        })
    }

    /// Calls `each` for every lexeme that is wanted, in order, with its place among the hashes that are wanted.
    #[inline]
    pub fn find(&self, wanted: &Wanted, mut each: impl FnMut(usize, Occurrences)) {
        let mut start = 0;
        for hashes in self.hashes.chunks(64) {
            // First the filter is tested for all, without branches; then the few that pass it are looked up.
            let mut candidates = 0_u64;
            for (bit, hash) in hashes.iter().enumerate() {
                candidates |= wanted.maybe(u64::from_le_bytes(*hash)) << bit;
            }
            while candidates != 0 {
                let bit = candidates.trailing_zeros() as usize;
                candidates &= candidates - 1;
                if let Some(which) = wanted.which(u64::from_le_bytes(hashes[bit])) {
                    each(which, self.occurrences_of(start + bit));
                }
            }
            start += hashes.len();
        }
    }

    #[inline]
    fn occurrences_of(&self, lexeme: usize) -> Occurrences {
        match self.occurrences[lexeme] {
            occurrences::ELSEWHERE => self.long_of(lexeme),
            byte => occurrences::of_byte(byte),
        }
    }

    #[cold]
    fn long_of(&self, lexeme: usize) -> Occurrences {
        let before = self.occurrences[..lexeme].iter().filter(|&&byte| byte == occurrences::ELSEWHERE).count();
        self.long.get(before).map_or_else(Occurrences::default, long_occurrences)
    }

    /// The codes of its embedding and of its passages.
    #[inline]
    pub fn codes(&self) -> Codes<'a> {
        self.codes
    }

    /// All of it.
    pub fn to_document(&self, place: Place) -> Document {
        Document {
            place,
            numbers: (0..self.numbers).map(|index| self.number(index)).collect(),
            length: self.length,
            terms: self.terms().collect(),
            lexemes: self.lexemes().collect(),
            codes: self.codes.map(<[u8]>::to_vec).collect(),
        }
    }
}

/// Several codes, of which each ends within the bytes, and the last where they end. `None` for others.
#[cold]
fn several(bytes: &[u8]) -> Option<Left<'_>> {
    let (mut rest, mut codes) = (bytes, 0_usize);
    while !rest.is_empty() {
        take_code(&mut rest)?;
        codes += 1;
    }
    (codes > 1).then_some(Left::Several(bytes))
}

#[inline]
fn split_off<'a>(rest: &mut &'a [u8], bytes: usize) -> Option<&'a [u8]> {
    let (front, back) = rest.split_at_checked(bytes)?;
    *rest = back;
    Some(front)
}

fn long_occurrences(bytes: &[u8; 8]) -> Occurrences {
    let count = |weight: usize| u16::from_le_bytes([bytes[2 * weight], bytes[2 * weight + 1]]);
    Occurrences { by_weight: [count(0), count(1), count(2), count(3)] }
}
