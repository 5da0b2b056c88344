//! What the search index `entries_scan` holds of an entry: its columns, and how a tuple of them is read.
//! The statement that creates the index, the look at the catalogs that recognises it, and the reader of
//! its pages are all made from what is here.

use crate::index_tuple::IndexTuple;
use crate::varlena::Varlena;

/// The type of a column, with its OID (catalog/pg_type.dat: the same in every server).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
#[repr(u32)]
pub enum ColumnType {
    Int8 = 20,
    Int2 = 21,
    Text = 25,
    Timestamptz = 1184,
    Varbit = 1562,
    Uuid = 2950,
    Tsvector = 3614,
}

/// The columns of `entries_scan`, in order; the first [`KEY_COLUMNS`] are its key.
pub const COLUMNS: [(&str, ColumnType); 11] = [
    ("memory_id", ColumnType::Text),
    ("creation_time", ColumnType::Timestamptz),
    ("entry_order", ColumnType::Int8),
    ("entry_id", ColumnType::Uuid),
    ("importance", ColumnType::Int2),
    ("deletion_scheduled_time", ColumnType::Timestamptz),
    ("expires_at", ColumnType::Timestamptz),
    ("superseded_time", ColumnType::Timestamptz),
    ("user_id", ColumnType::Text),
    ("embedding_signs", ColumnType::Varbit),
    ("search_vector", ColumnType::Tsvector),
];

/// Columns that order the index; the others are included.
pub const KEY_COLUMNS: usize = 3;

/// The columns of `entries_scan_long`, which lists the entries that are too long for `entries_scan`.
pub const LONG_COLUMNS: [(&str, ColumnType); 3] =
    [("memory_id", ColumnType::Text), ("creation_time", ColumnType::Timestamptz), ("user_id", ColumnType::Text)];

/// Columns that order `entries_scan_long`.
pub const LONG_KEY_COLUMNS: usize = 2;

/// What `entries_scan` says of an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub struct ScanTuple<'a> {
    /// In PostgreSQL's microseconds, since 2000, as all times. Null, as importance and order, only where
    /// somebody dropped the constraint.
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

impl<'a> ScanTuple<'a> {
    /// Reads a tuple on a leaf. `None` when it is damaged.
    #[inline]
    pub fn of(tuple: &IndexTuple<'a>) -> Option<Self> {
        let mut attributes = tuple.attributes()?;
        let _memory_id = attributes.varying()?;
        Some(ScanTuple {
            creation_time: attributes.int8()?,
            entry_order: attributes.int8()?,
            entry_id: attributes.uuid()?,
            importance: attributes.int2()?,
            deletion_scheduled_time: attributes.int8()?,
            expires_at: attributes.int8()?,
            superseded_time: attributes.int8()?,
            user_id: attributes.varying()?,
            embedding_signs: attributes.varying()?,
            search_vector: attributes.varying()?,
        })
    }
}

#[cfg(all(test, target_endian = "little"))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::btree_page::{IndexPage, root};
    use crate::index_tuple::{FirstKey, Tid};

    const PAGE_BYTES: usize = 8192;
    const LINE_POINTERS_START: usize = 24;
    const HAS_NULLS: u16 = 0x8000;
    const IS_LEAF: u16 = 1;

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
        let is_there = |column: usize| match column {
            0 => memory_id.is_some(),
            1 => numbers.0.is_some(),
            2 => numbers.1.is_some(),
            3 => numbers.2.is_some(),
            4 => numbers.3.is_some(),
            5..=7 => times[column - 5].is_some(),
            8..=10 => texts[column - 8].is_some(),
            _ => unreachable!("entries_scan has 11 columns"),
        };
        let flags = (0..11).fold(0u32, |flags, column| flags | u32::from(is_there(column)) << column);
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
        bytes[4..6].copy_from_slice(&tid.offset.to_ne_bytes());
        let info = bytes.len() as u16 | if has_nulls { HAS_NULLS } else { 0 };
        bytes[6..8].copy_from_slice(&info.to_ne_bytes());
        bytes
    }

    /// A leaf; with a page to the right its first tuple is the high key.
    fn leaf(tuples: &[Vec<u8>], next: u32) -> Vec<u8> {
        let mut page = vec![0; PAGE_BYTES];
        let special = PAGE_BYTES - 16;
        let (mut lower, mut upper) = (LINE_POINTERS_START, special);
        for tuple in tuples {
            upper -= tuple.len();
            page[upper..upper + tuple.len()].copy_from_slice(tuple);
            let line_pointer = upper as u32 | 1 << 15 | (tuple.len() as u32) << 17;
            page[lower..lower + 4].copy_from_slice(&line_pointer.to_ne_bytes());
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
            .prop_map(|(memory_id, numbers, times, texts, (block, offset))| Written {
                memory_id,
                numbers,
                times,
                texts,
                tid: Tid { block, offset },
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
                match (found.first_key().unwrap(), &row.memory_id) {
                    (FirstKey::Text { value, .. }, Some(id)) => prop_assert_eq!(value, Varlena::Plain(id)),
                    (found, id) => prop_assert_eq!((found, id.is_some()), (FirstKey::Null, false)),
                }
                prop_assert_eq!(found.tid(), Some(row.tid));
                let columns = ScanTuple::of(found).unwrap();
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
                        let _ = (tuple.tid(), tuple.first_key(), ScanTuple::of(&tuple));
                    }
                }
            }
        }
    }
}
