//! Reads the tuples of an index (access/itup.h, access/nbtree.h), attribute by attribute.

use memory_search_core::place::Place;

use crate::bytes::{u16_at, u32_at};
use crate::varlena::Varlena;

const TUPLE_HEADER_BYTES: usize = 8;
/// Room for 32 null flags, and the padding to 8 bytes, behind the header of a tuple that has nulls.
const NULLS_BYTES: usize = 8;
const HAS_NULLS: u16 = 0x8000;
const IS_PIVOT: u16 = 0x2000;
const TUPLE_SIZE: u16 = 0x1fff;
const PIVOT_ATTRIBUTES: u16 = 0x0fff;

/// A tuple, with where it points: a row for one on a leaf, a page else.
#[derive(Debug, Clone, Copy)]
pub struct IndexTuple<'a> {
    bytes: &'a [u8],
    info: u16,
}

/// Where a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tid {
    /// The block.
    pub block: u32,
    /// The number of its line pointer there, from 1.
    pub offset: u16,
}

impl From<Tid> for Place {
    fn from(tid: Tid) -> Place {
        Place { block: tid.block, offset: tid.offset }
    }
}

/// The first attribute of a tuple, where that is a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstKey<'a> {
    /// A tuple that only bounds others has none, which stands for less than everything.
    MinusInfinity,
    /// A text.
    Text {
        /// Its varlena whole, as the server's functions take it.
        whole: &'a [u8],
        /// What it holds.
        value: Varlena<'a>,
    },
    /// Null stands behind all texts.
    Null,
}

impl<'a> IndexTuple<'a> {
    /// Checks the frame of a tuple that stands at the beginning of `bytes`.
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Option<Self> {
        let info = u16_at(bytes, 6)?;
        Some(IndexTuple { bytes: bytes.get(..usize::from(info & TUPLE_SIZE))?, info })
    }

    /// Where it points.
    #[inline]
    pub fn tid(&self) -> Option<Tid> {
        let block = u32::from(u16_at(self.bytes, 0)?) << 16 | u32::from(u16_at(self.bytes, 2)?);
        Some(Tid { block, offset: u16_at(self.bytes, 4)? })
    }

    /// The first attribute, a text. `None` when the tuple is damaged.
    #[inline]
    pub fn first_key(&self) -> Option<FirstKey<'a>> {
        if self.info & IS_PIVOT != 0 && u16_at(self.bytes, 4)? & PIVOT_ATTRIBUTES == 0 {
            return Some(FirstKey::MinusInfinity);
        }
        if self.info & HAS_NULLS != 0 && u32_at(self.bytes, TUPLE_HEADER_BYTES)? & 1 == 0 {
            return Some(FirstKey::Null);
        }
        self.attributes()?.varlena().map(|(whole, value)| FirstKey::Text { whole, value })
    }

    #[inline]
    fn data_start(&self) -> usize {
        TUPLE_HEADER_BYTES + if self.info & HAS_NULLS != 0 { NULLS_BYTES } else { 0 }
    }

    /// A reader of its attributes, in order.
    #[inline]
    pub fn attributes(&self) -> Option<Attributes<'a>> {
        // A flag that is set says that the attribute is there.
        let present = if self.info & HAS_NULLS != 0 { u32_at(self.bytes, TUPLE_HEADER_BYTES)? } else { u32::MAX };
        Some(Attributes { bytes: self.bytes, at: self.data_start(), present })
    }
}

/// The attributes of a tuple, one after the other: `None` where the tuple is damaged.
#[derive(Debug, Clone)]
pub struct Attributes<'a> {
    bytes: &'a [u8],
    at: usize,
    // The lowest bit says whether the next attribute is there.
    present: u32,
}

impl<'a> Attributes<'a> {
    #[inline]
    fn aligned(&mut self, bytes: usize) -> &mut Self {
        self.at = self.at.next_multiple_of(bytes);
        self
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let taken = self.bytes.get(self.at..self.at + N)?.try_into().ok()?;
        self.at += N;
        Some(taken)
    }

    /// Reads the next attribute where it is not null.
    #[inline]
    fn nullable<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        let is_there = self.present & 1 == 1;
        self.present >>= 1;
        if is_there { read(self).map(Some) } else { Some(None) }
    }

    /// The next attribute, an int8 or a timestamptz.
    #[inline]
    pub fn int8(&mut self) -> Option<Option<i64>> {
        self.nullable(|attributes| attributes.aligned(8).take().map(i64::from_ne_bytes))
    }

    /// The next attribute, an int2.
    #[inline]
    pub fn int2(&mut self) -> Option<Option<i16>> {
        self.nullable(|attributes| attributes.aligned(2).take().map(i16::from_ne_bytes))
    }

    /// The next attribute, a uuid.
    #[inline]
    pub fn uuid(&mut self) -> Option<Option<[u8; 16]>> {
        self.nullable(Self::take)
    }

    /// The next attribute, of a type of variable length.
    #[inline]
    pub fn varying(&mut self) -> Option<Option<Varlena<'a>>> {
        self.nullable(|attributes| attributes.varlena().map(|(_, value)| value))
    }

    /// The value with its header, and what it holds (varatt.h): a header of one byte has its lowest bit
    /// set and no padding before it; one of four bytes has its second lowest set when compressed.
    #[inline]
    fn varlena(&mut self) -> Option<(&'a [u8], Varlena<'a>)> {
        let first = *self.bytes.get(self.at)?;
        // A byte of padding is zero, a header is not.
        if first & 1 == 1 {
            let length = usize::from(first >> 1);
            let whole = self.bytes.get(self.at..self.at + length)?;
            self.at += length;
            return Some((whole, Varlena::Plain(whole.get(1..)?)));
        }
        if first == 0 {
            self.aligned(4);
        }
        let header = u32_at(self.bytes, self.at)?;
        let whole = self.bytes.get(self.at..self.at + (header >> 2) as usize)?;
        self.at += whole.len();
        let content = whole.get(4..)?;
        Some((whole, if header & 2 == 0 { Varlena::Plain(content) } else { Varlena::Compressed(whole) }))
    }
}

#[cfg(all(test, target_endian = "little"))]
mod tests {
    use super::*;

    #[test]
    fn a_compressed_value_is_given_whole() {
        let whole = [(12u32 << 2 | 2).to_ne_bytes().to_vec(), vec![1, 2, 3, 4, 5, 6, 7, 8]].concat();
        let mut attributes = Attributes { bytes: &whole, at: 0, present: 1 };
        assert_eq!(attributes.varlena().unwrap().1, Varlena::Compressed(&whole));
    }
}
