//! Leaves: slots in the order of keys, each with the offset of a record. Records are stored from the end of the page.
//!
//! A record is its key, its length u16 and its bytes. A removed record leaves a hole. It stays until an insertion finds
//! no other room, because a removal that moves no records adds little to the log.

use super::key::{KEY_BYTES, Key};
use super::node::{self, CAPACITY, Frame, ITEMS, Node};
use crate::fault::{Outcome, damaged};
use crate::page::{self, Page, SPECIAL};

/// Bytes of a record's key and length.
pub(super) const RECORD_HEADER: usize = KEY_BYTES + 2;
/// Bytes that a record takes beyond its own.
pub(super) const OVERHEAD: usize = RECORD_HEADER + SLOT_BYTES;
/// Bytes that a record may have.
pub const MAX_RECORD: usize = 2_600;

/// Bytes of a slot.
pub(super) const SLOT_BYTES: usize = 2;
// A page that is too full for one more record can be split only if a record takes at most a third of it.
const _: () = assert!(3 * (MAX_RECORD + OVERHEAD) <= CAPACITY);

/// A record with its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry<'r> {
    pub key: Key,
    pub record: &'r [u8],
}

impl Entry<'_> {
    /// Bytes that it takes of a page.
    pub fn size(&self) -> usize {
        self.record.len() + OVERHEAD
    }
}

/// A leaf to read from.
pub struct LeafView<'p> {
    page: &'p Page,
    block: u32,
    node: Node,
    count: usize,
    first: usize,
}

impl<'p> LeafView<'p> {
    /// A page whose frame was read.
    pub(super) fn new(page: &'p Page, block: u32, node: &Node) -> Outcome<LeafView<'p>> {
        let bytes = node.lower - ITEMS;
        match node.frame.level == 0 && bytes.is_multiple_of(SLOT_BYTES) {
            true => Ok(LeafView { page, block, node: *node, count: bytes / SLOT_BYTES, first: 0 }),
            false => Err(damaged(block, "its slots are cut off")),
        }
    }

    /// The same leaf, from the first slot at or above `key` on.
    pub(super) fn from(mut self, key: &Key) -> Outcome<LeafView<'p>> {
        self.first = match self.find(key)? {
            Ok(slot) | Err(slot) => slot,
        };
        Ok(self)
    }

    /// The block of the page.
    pub fn block(&self) -> u32 {
        self.block
    }

    /// The bytes of the page.
    pub fn page(&self) -> &'p Page {
        self.page
    }

    /// The least key that is for the leaf right of it; `None` if there is none.
    pub fn high(&self) -> Option<Key> {
        self.node.frame.right.map(|(high, _)| high)
    }

    /// The number of its slots.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The first slot of the walk: the slots before it are below the key at which it started.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The key of a slot below [`LeafView::count`].
    pub fn key(&self, slot: usize) -> Outcome<Key> {
        Ok(Key::read(self.page, self.offset(slot)?))
    }

    /// The record of a slot below [`LeafView::count`].
    pub fn record(&self, slot: usize) -> Outcome<&'p [u8]> {
        let (start, end) = self.extent(slot)?;
        Ok(&self.page[start + RECORD_HEADER..end])
    }

    /// The slots from [`LeafView::first`] on: slot, key and record.
    pub fn entries(&self) -> impl Iterator<Item = Outcome<(usize, Key, &'p [u8])>> + '_ {
        (self.first..self.count).map(|slot| Ok((slot, self.key(slot)?, self.record(slot)?)))
    }

    /// The slot of a key, or the slot that it would have.
    pub fn find(&self, key: &Key) -> Outcome<Result<usize, usize>> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.key(middle)?.cmp(key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Ok(Ok(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(Err(low))
    }

    /// All records, with room for one more.
    pub(super) fn to_entries(&self) -> Outcome<Vec<Entry<'p>>> {
        let mut entries = Vec::with_capacity(self.count + 1);
        for slot in 0..self.count {
            entries.push(Entry { key: self.key(slot)?, record: self.record(slot)? });
        }
        Ok(entries)
    }

    /// The start and the end of a record with its key on the page.
    pub(super) fn extent(&self, slot: usize) -> Outcome<(usize, usize)> {
        let start = self.offset(slot)?;
        let length = usize::from(u16_at(self.page, start + KEY_BYTES));
        let end = start + RECORD_HEADER + length;
        match end <= SPECIAL {
            true => Ok((start, end)),
            false => Err(damaged(self.block, "a record runs past its end")),
        }
    }

    fn offset(&self, slot: usize) -> Outcome<usize> {
        if slot >= self.count {
            return Err(damaged(self.block, "a slot is missing"));
        }
        let offset = usize::from(u16_at(self.page, ITEMS + slot * SLOT_BYTES));
        match self.node.upper <= offset && offset + RECORD_HEADER <= SPECIAL {
            true => Ok(offset),
            false => Err(damaged(self.block, "a record lies outside of its records")),
        }
    }
}

/// Makes it a page of these entries, which must fit.
pub(super) fn write(page: &mut Page, frame: Frame, entries: &[Entry<'_>]) {
    node::init(page, frame);
    let mut upper = SPECIAL;
    for (slot, entry) in entries.iter().enumerate() {
        upper -= RECORD_HEADER + entry.record.len();
        put_record(page, upper, entry);
        put_slot(page, slot, upper);
    }
    page::set_bounds(page, ITEMS + entries.len() * SLOT_BYTES, upper);
}

/// Whether an entry may be written over the record in these bytes of a page.
pub(super) fn fits_over((start, end): (usize, usize), entry: &Entry<'_>) -> bool {
    RECORD_HEADER + entry.record.len() <= end - start
}

/// Whether an entry fits between slots and records of a page with these bounds, before a slot or in the place of one.
pub(super) fn has_room(node: &Node, at: Result<usize, usize>, entry: &Entry<'_>) -> bool {
    let slot = if at.is_err() { SLOT_BYTES } else { 0 };
    node.upper - node.lower >= RECORD_HEADER + entry.record.len() + slot
}

/// Puts an entry for which there is room before a slot, or replaces the one in the slot.
pub(super) fn put_in_free_space(page: &mut Page, node: &Node, at: Result<usize, usize>, entry: &Entry<'_>) {
    let upper = node.upper - RECORD_HEADER - entry.record.len();
    put(page, node, at, upper, upper, entry);
}

/// Puts an entry at a free offset, before a slot, or replaces the one in the slot; then records begin at `upper`.
pub(super) fn put(
    page: &mut Page,
    node: &Node,
    at: Result<usize, usize>,
    offset: usize,
    upper: usize,
    entry: &Entry<'_>,
) {
    put_record(page, offset, entry);
    match at {
        Ok(slot) => {
            put_slot(page, slot, offset);
            page::set_bounds(page, node.lower, upper);
        }
        Err(slot) => {
            let start = ITEMS + slot * SLOT_BYTES;
            page.copy_within(start..node.lower, start + SLOT_BYTES);
            put_slot(page, slot, offset);
            page::set_bounds(page, node.lower + SLOT_BYTES, upper);
        }
    }
}

/// Writes an entry over one that is not shorter.
pub(super) fn put_over(page: &mut Page, offset: usize, entry: &Entry<'_>) {
    put_record(page, offset, entry);
}

/// Removes slots, in rising order, of a page with these bounds.
pub(super) fn remove(page: &mut Page, node: &Node, slots: &[usize]) {
    let count = (node.lower - ITEMS) / SLOT_BYTES;
    let (mut kept, mut gone) = (0, slots.iter().peekable());
    for slot in 0..count {
        if gone.next_if_eq(&&slot).is_some() {
            continue;
        }
        let offset = usize::from(u16_at(page, ITEMS + slot * SLOT_BYTES));
        put_slot(page, kept, offset);
        kept += 1;
    }
    let upper = if kept == 0 { SPECIAL } else { node.upper };
    page::set_bounds(page, ITEMS + kept * SLOT_BYTES, upper);
}

fn put_record(page: &mut Page, at: usize, entry: &Entry<'_>) {
    page[at..at + KEY_BYTES].copy_from_slice(&entry.key.to_bytes());
    page[at + KEY_BYTES..at + RECORD_HEADER].copy_from_slice(&(entry.record.len() as u16).to_le_bytes());
    page[at + RECORD_HEADER..at + RECORD_HEADER + entry.record.len()].copy_from_slice(entry.record);
}

pub(super) fn put_slot(page: &mut Page, slot: usize, offset: usize) {
    let at = ITEMS + slot * SLOT_BYTES;
    page[at..at + SLOT_BYTES].copy_from_slice(&(offset as u16).to_le_bytes());
}

fn u16_at(page: &Page, at: usize) -> u16 {
    u16::from_le_bytes([page[at], page[at + 1]])
}
