//! Reads a page of a PostgreSQL B-tree from its bytes (storage/bufpage.h, access/itup.h,
//! access/nbtree.h; version 4 of the index's format, which PostgreSQL 12 to 18 write), and the tuples of
//! `entries_scan` on it. Integers are in the machine's byte order; the bit fields are those of
//! little-endian machines, so other machines must not come here.
//!
//! Every offset is checked: bytes that are no such page give `None` and never a wrong read.

const ITEMS_START: usize = 24;
const ITEM_BYTES: usize = 4;
const TUPLE_HEADER_BYTES: usize = 8;
/// Room for 32 null flags, and the padding to 8 bytes, behind the header of a tuple that has nulls.
const NULLS_BYTES: usize = 8;
const IS_LEAF: u16 = 1;
/// A page that was deleted, or is about to be.
const IS_IGNORED: u16 = 4 | 16;
const HAS_NULLS: u16 = 0x8000;
const IS_PIVOT: u16 = 0x2000;
const TUPLE_SIZE: u16 = 0x1fff;
const PIVOT_ATTRIBUTES: u16 = 0x0fff;
/// The first page says where the root is.
const MAGIC: u32 = 0x0005_3162;
const VERSION: u32 = 4;

/// A page.
#[derive(Debug, Clone, Copy)]
pub struct IndexPage<'a> {
    bytes: &'a [u8],
    items: &'a [u8],
    special: &'a [u8],
}

/// A tuple, with where it points: a row for one on a leaf, a page else.
#[derive(Debug, Clone, Copy)]
pub struct IndexTuple<'a> {
    bytes: &'a [u8],
    info: u16,
}

/// Where a row is: its block, and its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tid {
    /// The block.
    pub block: u32,
    /// The line pointer in it, from 1.
    pub place: u16,
}

/// A value of variable length: what it holds, or where it stands in its page when it must be decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varlena<'a> {
    /// Its content.
    Plain(&'a [u8]),
    /// All of it, with its header.
    Compressed(&'a [u8]),
}

/// The first column of a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryId<'a> {
    /// A tuple that only bounds others has none, which stands for less than everything.
    BeforeAll,
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

/// What `entries_scan` says of an entry. Times are in PostgreSQL's microseconds, since 2000.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub struct ScanTuple<'a> {
    /// Null, as importance and order, only where somebody dropped the constraint.
    pub creation_time: Option<i64>,
    pub entry_order: Option<i64>,
    pub entry_id: Option<[u8; 16]>,
    pub importance: Option<i16>,
    pub deletion_scheduled_time: Option<i64>,
    pub expires_at: Option<i64>,
    pub superseded_time: Option<i64>,
    pub user_id: Option<Varlena<'a>>,
    pub embedding_signs: Option<Varlena<'a>>,
    pub search_vector: Option<Varlena<'a>>,
}

/// The root's block by the index's first page; 0 for an empty index. `None` when the index has another
/// format, or tuples that stand for several rows.
pub fn root(first_page: &[u8]) -> Option<u32> {
    let at = |place: usize| u32_at(first_page, ITEMS_START + place);
    let has_lists = *first_page.get(ITEMS_START + 40)? != 0;
    (at(0)? == MAGIC && at(4)? == VERSION && !has_lists).then(|| at(8)).flatten()
}

impl<'a> IndexPage<'a> {
    /// Checks the frame of a page.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let (lower, special) = (usize::from(u16_at(bytes, 12)?), usize::from(u16_at(bytes, 16)?));
        let (items, special) = (bytes.get(ITEMS_START..lower)?, bytes.get(special..)?);
        (special.len() >= 16).then_some(IndexPage { bytes, items, special })
    }

    /// The page to the right; `None` for the last one of its level.
    pub fn next(&self) -> Option<u32> {
        u32_at(self.special, 4).filter(|&block| block != 0)
    }

    /// Whether it holds rows.
    pub fn is_leaf(&self) -> bool {
        self.flags() & IS_LEAF != 0
    }

    /// Whether what it held has gone to the right.
    pub fn is_ignored(&self) -> bool {
        self.flags() & IS_IGNORED != 0
    }

    fn flags(&self) -> u16 {
        u16_at(self.special, 12).unwrap_or(IS_IGNORED)
    }

    /// The bound of its keys; `None` for the last page of a level.
    pub fn high_key(&self) -> Option<IndexTuple<'a>> {
        self.next().and_then(|_| self.tuple(0))
    }

    /// Its tuples, without the high key; `None` in the place of one that is damaged.
    #[inline]
    pub fn tuples(&self) -> impl Iterator<Item = Option<IndexTuple<'a>>> + use<'a> {
        let page = *self;
        let first = usize::from(page.next().is_some());
        (first..page.items.len() / ITEM_BYTES).map(move |place| page.tuple(place))
    }

    #[inline]
    fn tuple(&self, place: usize) -> Option<IndexTuple<'a>> {
        let item = u32_at(self.items, place * ITEM_BYTES)?;
        let (start, length) = ((item & 0x7fff) as usize, (item >> 17) as usize);
        let bytes = self.bytes.get(start..start + length)?;
        let info = u16_at(bytes, 6)?;
        Some(IndexTuple { bytes: bytes.get(..usize::from(info & TUPLE_SIZE))?, info })
    }
}

impl<'a> IndexTuple<'a> {
    /// Where it points.
    #[inline]
    pub fn tid(&self) -> Option<Tid> {
        let block = u32::from(u16_at(self.bytes, 0)?) << 16 | u32::from(u16_at(self.bytes, 2)?);
        Some(Tid { block, place: u16_at(self.bytes, 4)? })
    }

    /// The first column, a text. `None` when the tuple is damaged.
    #[inline]
    pub fn memory_id(&self) -> Option<MemoryId<'a>> {
        if self.info & IS_PIVOT != 0 && u16_at(self.bytes, 4)? & PIVOT_ATTRIBUTES == 0 {
            return Some(MemoryId::BeforeAll);
        }
        if self.info & HAS_NULLS != 0 && u32_at(self.bytes, TUPLE_HEADER_BYTES)? & 1 == 0 {
            return Some(MemoryId::Null);
        }
        let mut columns = Columns { bytes: self.bytes, at: self.data_start() };
        columns.varlena().map(|(whole, value)| MemoryId::Text { whole, value })
    }

    #[inline]
    fn data_start(&self) -> usize {
        TUPLE_HEADER_BYTES + if self.info & HAS_NULLS != 0 { NULLS_BYTES } else { 0 }
    }

    /// The columns of `entries_scan`, of a tuple on a leaf. `None` when it is damaged.
    #[inline]
    pub fn columns(&self) -> Option<ScanTuple<'a>> {
        // A flag that is set says that the column is there.
        let present = if self.info & HAS_NULLS != 0 { u32_at(self.bytes, TUPLE_HEADER_BYTES)? } else { u32::MAX };
        let is_there = |column: u32| present >> (column - 1) & 1 == 1;
        let mut columns = Columns { bytes: self.bytes, at: self.data_start() };
        columns.nullable_varlena(is_there(1))?;
        Some(ScanTuple {
            creation_time: columns.nullable_integer(is_there(2))?,
            entry_order: columns.nullable_integer(is_there(3))?,
            entry_id: columns.nullable(is_there(4), Columns::take)?,
            importance: columns.nullable(is_there(5), |columns| columns.aligned(2)?.take().map(i16::from_ne_bytes))?,
            deletion_scheduled_time: columns.nullable_integer(is_there(6))?,
            expires_at: columns.nullable_integer(is_there(7))?,
            superseded_time: columns.nullable_integer(is_there(8))?,
            user_id: columns.nullable_varlena(is_there(9))?,
            embedding_signs: columns.nullable_varlena(is_there(10))?,
            search_vector: columns.nullable_varlena(is_there(11))?,
        })
    }
}

/// The columns of a tuple, one after the other.
struct Columns<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Columns<'a> {
    #[inline]
    fn aligned(&mut self, bytes: usize) -> Option<&mut Self> {
        self.at = self.at.next_multiple_of(bytes);
        Some(self)
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let taken = self.bytes.get(self.at..self.at + N)?.try_into().ok()?;
        self.at += N;
        Some(taken)
    }

    #[inline]
    fn integer(&mut self) -> Option<i64> {
        self.aligned(8)?.take().map(i64::from_ne_bytes)
    }

    #[inline]
    fn nullable<T>(&mut self, is_there: bool, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if is_there { read(self).map(Some) } else { Some(None) }
    }

    #[inline]
    fn nullable_integer(&mut self, is_there: bool) -> Option<Option<i64>> {
        self.nullable(is_there, Self::integer)
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
            self.aligned(4)?;
        }
        let header = u32_at(self.bytes, self.at)?;
        let whole = self.bytes.get(self.at..self.at + (header >> 2) as usize)?;
        self.at += whole.len();
        let content = whole.get(4..)?;
        Some((whole, if header & 2 == 0 { Varlena::Plain(content) } else { Varlena::Compressed(whole) }))
    }

    #[inline]
    fn nullable_varlena(&mut self, is_there: bool) -> Option<Option<Varlena<'a>>> {
        self.nullable(is_there, |columns| columns.varlena().map(|(_, value)| value))
    }
}

#[inline]
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_ne_bytes)
}

#[inline]
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes)
}

#[cfg(all(test, target_endian = "little"))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PAGE_BYTES: usize = 8192;

    /// A value as the server puts it into a tuple: a short header where it fits, else one of four bytes.
    fn push_varlena(bytes: &mut Vec<u8>, content: &[u8]) {
        if content.len() < 126 {
            bytes.push(((content.len() + 1) << 1 | 1) as u8);
        } else {
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes.extend_from_slice(&(((content.len() + 4) << 2) as u32).to_ne_bytes());
        }
        bytes.extend_from_slice(content);
    }

    fn push_integer(bytes: &mut Vec<u8>, value: i64) {
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes.extend_from_slice(&value.to_ne_bytes());
    }

    #[derive(Debug, Clone)]
    struct Written {
        memory_id: Option<Vec<u8>>,
        numbers: (Option<i64>, Option<i64>, Option<[u8; 16]>, Option<i16>),
        times: [Option<i64>; 3],
        texts: [Option<Vec<u8>>; 3],
        tid: Tid,
    }

    fn tuple(row: &Written) -> Vec<u8> {
        let Written { memory_id, numbers, times, texts, tid } = row;
        let is_there = |place: usize| match place {
            0 => memory_id.is_some(),
            1 => numbers.0.is_some(),
            2 => numbers.1.is_some(),
            3 => numbers.2.is_some(),
            4 => numbers.3.is_some(),
            5..=7 => times[place - 5].is_some(),
            8..=10 => texts[place - 8].is_some(),
            _ => unreachable!("entries_scan has 11 columns"),
        };
        let flags = (0..11).fold(0u32, |flags, place| flags | u32::from(is_there(place)) << place);
        let has_nulls = flags != 0x7ff;
        let mut bytes = vec![0; 8];
        if has_nulls {
            bytes.extend_from_slice(&flags.to_ne_bytes());
            bytes.extend_from_slice(&[0; 4]);
        }
        memory_id.iter().for_each(|id| push_varlena(&mut bytes, id));
        [numbers.0, numbers.1].into_iter().flatten().for_each(|number| push_integer(&mut bytes, number));
        numbers.2.iter().for_each(|id| bytes.extend_from_slice(id));
        if let Some(importance) = numbers.3 {
            bytes.resize(bytes.len().next_multiple_of(2), 0);
            bytes.extend_from_slice(&importance.to_ne_bytes());
        }
        times.iter().flatten().for_each(|time| push_integer(&mut bytes, *time));
        texts.iter().flatten().for_each(|text| push_varlena(&mut bytes, text));
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes[0..2].copy_from_slice(&((tid.block >> 16) as u16).to_ne_bytes());
        bytes[2..4].copy_from_slice(&(tid.block as u16).to_ne_bytes());
        bytes[4..6].copy_from_slice(&tid.place.to_ne_bytes());
        let info = bytes.len() as u16 | if has_nulls { HAS_NULLS } else { 0 };
        bytes[6..8].copy_from_slice(&info.to_ne_bytes());
        bytes
    }

    /// A leaf; with a page to the right its first tuple is the high key.
    fn leaf(tuples: &[Vec<u8>], next: u32) -> Vec<u8> {
        let mut page = vec![0; PAGE_BYTES];
        let special = PAGE_BYTES - 16;
        let (mut lower, mut upper) = (ITEMS_START, special);
        for tuple in tuples {
            upper -= tuple.len();
            page[upper..upper + tuple.len()].copy_from_slice(tuple);
            let item = upper as u32 | 1 << 15 | (tuple.len() as u32) << 17;
            page[lower..lower + 4].copy_from_slice(&item.to_ne_bytes());
            lower += 4;
        }
        page[12..14].copy_from_slice(&(lower as u16).to_ne_bytes());
        page[14..16].copy_from_slice(&(upper as u16).to_ne_bytes());
        page[16..18].copy_from_slice(&(special as u16).to_ne_bytes());
        page[special + 4..special + 8].copy_from_slice(&next.to_ne_bytes());
        page[special + 12..special + 14].copy_from_slice(&IS_LEAF.to_ne_bytes());
        page
    }

    fn rows() -> impl Strategy<Value = Written> {
        let text = || proptest::option::of(proptest::collection::vec(any::<u8>(), 0..200));
        let time = || proptest::option::of(any::<i64>());
        (
            proptest::option::weighted(0.9, proptest::collection::vec(any::<u8>(), 1..140)),
            any::<(Option<i64>, Option<i64>, Option<[u8; 16]>, Option<i16>)>(),
            [time(), time(), time()],
            [text(), text(), text()],
            any::<(u32, u16)>(),
        )
            .prop_map(|(memory_id, numbers, times, texts, (block, place))| Written {
                memory_id,
                numbers,
                times,
                texts,
                tid: Tid { block, place },
            })
    }

    proptest! {
        #[test]
        fn tuples_come_back_as_they_were_written(rows in proptest::collection::vec(rows(), 1..8), is_last in any::<bool>()) {
            let tuples: Vec<Vec<u8>> = rows.iter().map(tuple).collect();
            let bytes = leaf(&tuples, if is_last { 0 } else { 7 });
            let page = IndexPage::new(&bytes).unwrap();
            prop_assert!(page.is_leaf() && !page.is_ignored());
            prop_assert_eq!(page.next(), (!is_last).then_some(7));
            prop_assert_eq!(page.high_key().is_some(), !is_last);
            let found: Vec<_> = page.tuples().map(Option::unwrap).collect();
            let expected = &rows[usize::from(!is_last)..];
            prop_assert_eq!(found.len(), expected.len());
            for (found, row) in found.iter().zip(expected) {
                match (found.memory_id().unwrap(), &row.memory_id) {
                    (MemoryId::Text { value, .. }, Some(id)) => prop_assert_eq!(value, Varlena::Plain(id)),
                    (found, id) => prop_assert_eq!((found, id.is_some()), (MemoryId::Null, false)),
                }
                prop_assert_eq!(found.tid(), Some(row.tid));
                let columns = found.columns().unwrap();
                prop_assert_eq!((columns.creation_time, columns.entry_order, columns.entry_id, columns.importance), row.numbers);
                prop_assert_eq!([columns.deletion_scheduled_time, columns.expires_at, columns.superseded_time], row.times);
                for (found, text) in [columns.user_id, columns.embedding_signs, columns.search_vector].into_iter().zip(&row.texts) {
                    prop_assert_eq!(found, text.as_deref().map(Varlena::Plain));
                }
            }
        }

        #[test]
        fn a_damaged_page_is_an_error_or_reads_within_its_bytes(
            rows in proptest::collection::vec(rows(), 1..8),
            damage in proptest::collection::vec((0..PAGE_BYTES, any::<u8>()), 0..200),
            length in 0..=PAGE_BYTES,
        ) {
            let mut bytes = leaf(&rows.iter().map(tuple).collect::<Vec<_>>(), 7);
            damage.into_iter().for_each(|(at, byte)| bytes[at] = byte);
            for bytes in [&bytes[..], &bytes[..length]] {
                let _ = root(bytes);
                if let Some(page) = IndexPage::new(bytes) {
                    for tuple in page.tuples().flatten().chain(page.high_key()) {
                        let _ = (tuple.tid(), tuple.memory_id(), tuple.columns());
                    }
                }
            }
        }
    }

    #[test]
    fn a_compressed_value_is_given_whole() {
        let whole = [(12u32 << 2 | 2).to_ne_bytes().to_vec(), vec![1, 2, 3, 4, 5, 6, 7, 8]].concat();
        let mut columns = Columns { bytes: &whole, at: 0 };
        assert_eq!(columns.varlena().unwrap().1, Varlena::Compressed(&whole));
    }

    #[test]
    fn only_the_format_that_is_known_has_a_root() {
        let mut page = vec![0; PAGE_BYTES];
        page[24..28].copy_from_slice(&MAGIC.to_ne_bytes());
        page[28..32].copy_from_slice(&VERSION.to_ne_bytes());
        page[32..36].copy_from_slice(&3u32.to_ne_bytes());
        assert_eq!(root(&page), Some(3));
        page[64] = 1;
        assert_eq!(root(&page), None, "tuples may stand for several rows");
        page[64] = 0;
        page[28] = 5;
        assert_eq!(root(&page), None, "another version");
    }
}
