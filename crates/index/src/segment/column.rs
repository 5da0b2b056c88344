//! Columns of numbers: each value as a multiple of a scale above the least of the column, in as few bytes as the
//! greatest needs (frame of reference).
//!
//! The descriptor in the header, little-endian: base i64, scale u64, values u32 (those that are not null), kind u8 (0:
//! all are null, 1: none is, 2: some are), width u8 (0 to 8 bytes), u16 of zero, offset u64, greatest i64. At the
//! offset: for kind 2 a bit for each document that has a value, lowest first, then the values.

use memory_search_core::error::out_of_memory;

use super::bytes;
use crate::bitset::Bitset;
use crate::blob::{BLOB_PAGE_BYTES, PagedBytes};
use crate::fault::{Outcome, damaged_content};

/// Bytes of a descriptor.
pub const DESCRIPTOR_BYTES: usize = 40;

const ALL_NULL: u8 = 0;
const NO_NULL: u8 = 1;
const SOME_NULL: u8 = 2;

/// The description of a column in the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    base: i64,
    scale: u64,
    values: u32,
    kind: u8,
    width: u8,
    offset: u64,
    greatest: i64,
}

/// The least and the greatest number of a column, if it has any, and whether documents have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Both.
    pub numbers: Option<(i64, i64)>,
    /// Whether some are null.
    pub has_null: bool,
}

impl Descriptor {
    /// The least and the greatest number of the column.
    pub fn range(&self) -> Range {
        let numbers = (self.kind != ALL_NULL).then_some((self.base, self.greatest));
        Range { numbers, has_null: self.kind != NO_NULL }
    }

    /// Appends it.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.base.to_le_bytes());
        out.extend_from_slice(&self.scale.to_le_bytes());
        out.extend_from_slice(&self.values.to_le_bytes());
        out.extend_from_slice(&[self.kind, self.width, 0, 0]);
        out.extend_from_slice(&self.offset.to_le_bytes());
        out.extend_from_slice(&self.greatest.to_le_bytes());
    }

    /// Reads the descriptor of a column of `documents` values within `length` bytes.
    pub fn read(bytes: &[u8; DESCRIPTOR_BYTES], documents: u32, length: u64) -> Outcome<Descriptor> {
        let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let descriptor = Descriptor {
            base: u64_at(0).cast_signed(),
            scale: u64_at(8),
            values: u64_at(16) as u32,
            kind: bytes[20],
            width: bytes[21],
            offset: u64_at(24),
            greatest: u64_at(32).cast_signed(),
        };
        let counted = match descriptor.kind {
            ALL_NULL => descriptor.values == 0,
            NO_NULL => descriptor.values == documents,
            SOME_NULL => descriptor.values <= documents,
            _ => false,
        };
        let end = descriptor.offset.checked_add(descriptor.bitmap_bytes(documents) + descriptor.value_bytes());
        let rises = descriptor.base <= descriptor.greatest;
        match counted && rises && descriptor.width <= 8 && end.is_some_and(|end| end <= length) {
            true => Ok(descriptor),
            false => Err(damaged_content("a column of a segment does not match its header")),
        }
    }

    fn bitmap_bytes(&self, documents: u32) -> u64 {
        if self.kind == SOME_NULL { u64::from(documents.div_ceil(8)) } else { 0 }
    }

    fn value_bytes(&self) -> u64 {
        u64::from(self.values) * u64::from(self.width)
    }
}

/// Appends a column's bytes, and returns their descriptor.
pub fn write(numbers: impl Iterator<Item = Option<i64>> + Clone, out: &mut Vec<u8>) -> Descriptor {
    let (mut documents, mut values, mut least, mut greatest) = (0_u32, 0_u32, i64::MAX, i64::MIN);
    for number in numbers.clone() {
        documents += 1;
        if let Some(number) = number {
            values += 1;
            (least, greatest) = (least.min(number), greatest.max(number));
        }
    }
    let offset = out.len() as u64;
    if values == 0 {
        return Descriptor { base: 0, scale: 1, values, kind: ALL_NULL, width: 0, offset, greatest: 0 };
    }
    let above = |number: i64| number.wrapping_sub(least).cast_unsigned();
    let scale = numbers.clone().flatten().map(above).fold(0, greatest_common_divisor).max(1);
    let width = (64 - (above(greatest) / scale).leading_zeros()).div_ceil(8) as u8;
    let kind = if values == documents { NO_NULL } else { SOME_NULL };
    if kind == SOME_NULL {
        out.resize(out.len() + documents.div_ceil(8) as usize, 0);
        for (document, _) in numbers.clone().enumerate().filter(|(_, number)| number.is_some()) {
            out[offset as usize + document / 8] |= 1 << (document % 8);
        }
    }
    for number in numbers.flatten() {
        out.extend_from_slice(&(above(number) / scale).to_le_bytes()[..usize::from(width)]);
    }
    Descriptor { base: least, scale, values, kind, width, offset, greatest }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    // Most values are multiples of the divisor found so far.
    if a == 1 {
        return 1;
    }
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The numbers of a column, packed as they are stored.
#[derive(Debug, Clone)]
pub struct Column {
    documents: u32,
    base: i64,
    scale: u64,
    width: usize,
    mask: u64,
    /// The values and eight bytes more, so that eight can be read from each.
    values: Vec<u8>,
    present: Present,
}

#[derive(Debug, Clone)]
enum Present {
    None,
    All,
    /// Bits of the documents that have a value, and the number of such documents before each word of bits.
    Some(Vec<(u64, u32)>),
}

impl Column {
    /// Reads a column of `documents` numbers.
    pub fn read(bytes: &impl PagedBytes, descriptor: &Descriptor, documents: u32) -> Outcome<Column> {
        let bitmap_bytes = descriptor.bitmap_bytes(documents);
        let present = match descriptor.kind {
            ALL_NULL => Present::None,
            NO_NULL => Present::All,
            _ => Present::Some(ranked(&bytes::range(bytes, descriptor.offset, bitmap_bytes)?, descriptor.values)?),
        };
        let mut values = Vec::new();
        values.try_reserve_exact(descriptor.value_bytes() as usize + 8).map_err(|_| out_of_memory())?;
        bytes::append_range(bytes, descriptor.offset + bitmap_bytes, descriptor.value_bytes(), &mut values)?;
        values.extend_from_slice(&[0; 8]);
        let mask = u64::MAX.checked_shr(64 - 8 * u32::from(descriptor.width)).unwrap_or(0);
        let (base, scale, width) = (descriptor.base, descriptor.scale, usize::from(descriptor.width));
        Ok(Column { documents, base, scale, width, mask, values, present })
    }

    /// The number of documents for which it has a number or a null.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// The number of a document; `None` if it is null, or there is no such document.
    #[inline]
    pub fn get(&self, document: u32) -> Option<i64> {
        match &self.present {
            Present::All => (document < self.documents).then(|| self.value(document as usize)),
            Present::None => None,
            Present::Some(words) => {
                let &(word, before) = words.get(document as usize / 64)?;
                let bit = document % 64;
                (word >> bit & 1 == 1).then(|| self.value((before + (word & ((1 << bit) - 1)).count_ones()) as usize))
            }
        }
    }

    /// The number that all documents have, null included, if the column shows it without a look at each.
    pub fn constant(&self) -> Option<Option<i64>> {
        match self.present {
            Present::None => Some(None),
            Present::All if self.width == 0 => Some(Some(self.base)),
            _ => None,
        }
    }

    /// All of them, in the order of the documents.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<i64>> {
        (0..self.documents).map(|document| self.get(document))
    }

    /// Calls `each` with the numbers of some documents, in their order; for a missing document with `None`.
    #[inline]
    pub fn each_of(&self, documents: impl Iterator<Item = u32>, mut each: impl FnMut(Option<i64>)) {
        match self.present {
            // The kind of the column is tested once for all documents.
            Present::All if self.width > 0 => documents.for_each(|document| {
                each((document < self.documents).then(|| self.value(document as usize)));
            }),
            _ => documents.for_each(|document| each(self.get(document))),
        }
    }

    /// The sum of the numbers of a set of documents, as large as the segment; nulls count as zero. A sum that 64 bits
    /// do not hold is wrapped.
    pub fn sum(&self, documents: &Bitset) -> u64 {
        let (Present::All, 1..=2) = (&self.present, self.width) else {
            let numbers = documents.iter().map(|document| self.get(document).unwrap_or(0).cast_unsigned());
            return numbers.fold(0, u64::wrapping_add);
        };
        let (mut count, mut multiples) = (0_u64, 0_u64);
        for (word, values) in documents.words().iter().zip(self.values.chunks(64 * self.width)) {
            count += u64::from(word.count_ones());
            multiples += match (*word, self.width) {
                (u64::MAX, 1) => values.iter().map(|&value| u64::from(value)).sum::<u64>(),
                (u64::MAX, _) => {
                    values.as_chunks().0.iter().map(|&value| u64::from(u16::from_le_bytes(value))).sum::<u64>()
                }
                (mut left, width) => {
                    let mut sum = 0;
                    while left != 0 {
                        let at = left.trailing_zeros() as usize * width;
                        sum += u64::from(values[at]) + if width == 2 { u64::from(values[at + 1]) << 8 } else { 0 };
                        left &= left - 1;
                    }
                    sum
                }
            };
        }
        let base = self.base.cast_unsigned().wrapping_mul(count);
        base.wrapping_add(multiples.wrapping_mul(self.scale))
    }

    #[inline]
    fn value(&self, index: usize) -> i64 {
        let bytes = self.values.get(index * self.width..).and_then(|rest| rest.first_chunk()).unwrap_or(&[0; 8]);
        let multiple = u64::from_le_bytes(*bytes) & self.mask;
        self.base.wrapping_add(multiple.wrapping_mul(self.scale).cast_signed())
    }
}

/// Calls `each` with the numbers of some documents of `documents`, in their order. Values of one page are read
/// together, if they follow each other among the documents of the call.
pub fn read_some<B: PagedBytes>(
    bytes: &B,
    descriptor: &Descriptor,
    documents: u32,
    some: &[u32],
    mut each: impl FnMut(Option<i64>),
) -> Outcome<()> {
    let width = usize::from(descriptor.width);
    if descriptor.kind != NO_NULL || width == 0 {
        let column = Column::read(bytes, descriptor, documents)?;
        some.iter().for_each(|&document| each(column.get(document)));
        return Ok(());
    }
    let value = |stored: &[u8]| {
        let mut multiple = [0; 8];
        multiple[..width].copy_from_slice(stored);
        descriptor.base.wrapping_add(u64::from_le_bytes(multiple).wrapping_mul(descriptor.scale).cast_signed())
    };
    let position = |document: u32| {
        if document >= documents {
            return Err(damaged_content("a segment has fewer documents than it was asked for"));
        }
        bytes::page_of(descriptor.offset + u64::from(document) * width as u64)
    };
    let mut rest = some;
    while let Some(&first) = rest.first() {
        let (page, offset) = position(first)?;
        if offset + width > BLOB_PAGE_BYTES {
            let at = u64::from(page) * BLOB_PAGE_BYTES as u64 + offset as u64;
            each(Some(value(&bytes::range(bytes, at, width as u64)?)));
            rest = &rest[1..];
            continue;
        }
        let read = bytes.read_page(page, |held| {
            let mut read = 0;
            for &document in rest {
                let (its_page, offset) = position(document)?;
                let stored = held.get(offset..offset + width).filter(|_| its_page == page);
                let Some(stored) = stored else { break };
                each(Some(value(stored)));
                read += 1;
            }
            Ok(read)
        })?;
        if read == 0 {
            return Err(bytes::ends_early());
        }
        rest = &rest[read..];
    }
    Ok(())
}

fn ranked(bitmap: &[u8], values: u32) -> Outcome<Vec<(u64, u32)>> {
    let mut words = Vec::new();
    words.try_reserve_exact(bitmap.len().div_ceil(8)).map_err(|_| out_of_memory())?;
    let mut before = 0;
    for chunk in bitmap.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        words.push((word, before));
        before += word.count_ones();
    }
    match before == values {
        true => Ok(words),
        false => Err(damaged_content("a column of a segment has another number of values than its header says")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::samples::number;
    use crate::segment::bytes::InMemory;

    fn read(numbers: &[Option<i64>]) -> (Column, usize) {
        let mut out = vec![9; 3];
        let descriptor = write(numbers.iter().copied(), &mut out);
        let mut bytes = Vec::new();
        descriptor.put(&mut bytes);
        let documents = numbers.len() as u32;
        let read = Descriptor::read(bytes[..].try_into().unwrap(), documents, out.len() as u64).unwrap();
        assert_eq!(read, descriptor);
        (Column::read(&InMemory(&out), &read, documents).unwrap(), out.len() - 3)
    }

    /// Numbers of a column that begins a few bytes after the start, read from pages.
    fn some_of(numbers: &[Option<i64>], documents: &[u32]) -> Outcome<Vec<Option<i64>>> {
        let mut out = vec![9; 3];
        let descriptor = write(numbers.iter().copied(), &mut out);
        let mut found = Vec::new();
        read_some(&InMemory(&out), &descriptor, numbers.len() as u32, documents, |number| found.push(number))?;
        Ok(found)
    }

    #[test]
    fn some_numbers_are_read_in_any_order_also_if_a_value_is_in_two_pages() {
        let numbers = Vec::from_iter((0..9_000_i64).map(|document| Some(document * document * 7 - 40)));
        let documents = Vec::from_iter((0..9_000_u32).step_by(13).chain([8_999, 0, 2_728, 2_727, 2_729]));
        let expected = Vec::from_iter(documents.iter().map(|&document| numbers[document as usize]));
        assert_eq!(some_of(&numbers, &documents).unwrap(), expected);
        assert_eq!(some_of(&numbers, &Vec::from_iter(0..9_000)).unwrap(), numbers);
        assert!(some_of(&numbers, &[9_000]).is_err());
    }

    proptest! {
        #[test]
        fn a_column_gives_the_numbers_that_it_was_made_of(
            numbers in prop::collection::vec(number(), 0..300), few in prop::collection::vec(any::<i64>(), 0..5),
        ) {
            for numbers in [numbers, few.into_iter().map(Some).collect()] {
                let (column, _) = read(&numbers);
                prop_assert_eq!(some_of(&numbers, &Vec::from_iter(0..numbers.len() as u32)).unwrap(), numbers.clone());
                prop_assert_eq!(Vec::from_iter(column.iter()), numbers.clone());
                prop_assert_eq!(column.get(numbers.len() as u32), None);
                prop_assert!(column.constant().is_none_or(|all| numbers.iter().all(|number| *number == all)));
            }
        }
    }

    proptest! {
        #[test]
        fn the_sum_of_a_set_is_the_sum_of_its_numbers(
            wide in prop::collection::vec(number(), 0..200),
            narrow in prop::collection::vec(0_i64..70_000, 0..300),
            few: Vec<u8>, out in prop::collection::btree_set(0_u32..300, 0..80),
        ) {
            let few = few.into_iter().map(|value| Some(i64::from(value) * 3 - 7)).collect();
            for numbers in [wide, narrow.into_iter().map(Some).collect(), few] {
                let mut set = Bitset::full(numbers.len() as u32).unwrap();
                for leave_out in [false, true] {
                    if leave_out {
                        out.iter().for_each(|&document| set.remove(document));
                    }
                    let naive = set.iter().map(|document| numbers[document as usize].unwrap_or(0).cast_unsigned());
                    prop_assert_eq!(read(&numbers).0.sum(&set), naive.fold(0, u64::wrapping_add));
                }
            }
        }
    }

    #[test]
    fn a_column_takes_as_few_bytes_as_its_values_need() {
        let day = 86_400_000_000;
        assert_eq!(read(&[Some(5); 100]).1, 0);
        assert_eq!(read(&[None; 100]).1, 0);
        assert_eq!(read(&Vec::from_iter((0..100).map(|n| Some(1_700_000_000_000_000 + n * day)))).1, 100);
        assert_eq!(read(&Vec::from_iter((0..96).map(|n| (n % 32 == 0).then_some(n * day + 1)))).1, 12 + 3);
        assert_eq!(read(&[Some(i64::MIN), Some(i64::MIN + 1), Some(i64::MAX)]).1, 24);
        assert_eq!(read(&[Some(i64::MIN), Some(i64::MAX)]).1, 2, "multiples of their difference");
    }
}
