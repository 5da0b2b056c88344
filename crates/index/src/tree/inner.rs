//! Inner pages: keys in rising order, each with the child that holds what lies from it up to the next. The first key
//! of a page is the least that the page is for.

use super::key::{KEY_BYTES, Key};
use super::node::{self, CAPACITY, Frame, ITEMS, Node};
use crate::fault::{Outcome, damaged};
use crate::page::{self, Page, SPECIAL, u32_at};

/// Bytes of a downlink.
pub(super) const DOWNLINK_BYTES: usize = KEY_BYTES + 4;
/// Downlinks that a page has room for.
pub(super) const MAX_DOWNLINKS: usize = CAPACITY / DOWNLINK_BYTES;

/// A child, and the least key that it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Downlink {
    pub key: Key,
    pub child: u32,
}

/// An inner page to read from.
pub(super) struct InnerView<'p> {
    page: &'p Page,
    block: u32,
    count: usize,
}

impl<'p> InnerView<'p> {
    /// A page whose frame was read.
    pub fn new(page: &'p Page, block: u32, node: &Node) -> Outcome<InnerView<'p>> {
        let bytes = node.lower - ITEMS;
        match node.frame.level > 0 && bytes > 0 && bytes.is_multiple_of(DOWNLINK_BYTES) {
            true => Ok(InnerView { page, block, count: bytes / DOWNLINK_BYTES }),
            false => Err(damaged(block, "its downlinks are cut off")),
        }
    }

    /// How many downlinks it has, at least one.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A downlink below [`InnerView::count`].
    pub fn downlink(&self, index: usize) -> Downlink {
        let at = ITEMS + index * DOWNLINK_BYTES;
        Downlink { key: Key::read(self.page, at), child: u32_at(self.page, at + KEY_BYTES) }
    }

    /// All of them.
    pub fn downlinks(&self) -> impl Iterator<Item = Downlink> + '_ {
        (0..self.count).map(|index| self.downlink(index))
    }

    /// How many keys are at or below `key`, at least one.
    pub fn upto(&self, key: &Key) -> Outcome<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.downlink(middle).key <= *key {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        match low {
            0 => Err(damaged(self.block, "a key below its first one leads to it")),
            upto => Ok(upto),
        }
    }
}

/// Makes it a page of these downlinks, at most [`MAX_DOWNLINKS`].
pub(super) fn write(page: &mut Page, frame: Frame, downlinks: &[Downlink]) {
    node::init(page, frame);
    for (index, downlink) in downlinks.iter().enumerate() {
        put(page, index, downlink);
    }
    page::set_bounds(page, ITEMS + downlinks.len() * DOWNLINK_BYTES, SPECIAL);
}

/// Adds a downlink before the `index`th of `count`, which must be fewer than [`MAX_DOWNLINKS`].
pub(super) fn insert(page: &mut Page, count: usize, index: usize, downlink: &Downlink) {
    let at = ITEMS + index * DOWNLINK_BYTES;
    let end = ITEMS + count * DOWNLINK_BYTES;
    page.copy_within(at..end, at + DOWNLINK_BYTES);
    put(page, index, downlink);
    page::set_bounds(page, end + DOWNLINK_BYTES, SPECIAL);
}

/// Keeps the first `count` downlinks.
pub(super) fn truncate(page: &mut Page, count: usize) {
    page::set_bounds(page, ITEMS + count * DOWNLINK_BYTES, SPECIAL);
}

fn put(page: &mut Page, index: usize, downlink: &Downlink) {
    let at = ITEMS + index * DOWNLINK_BYTES;
    page[at..at + KEY_BYTES].copy_from_slice(&downlink.key.to_bytes());
    page[at + KEY_BYTES..at + DOWNLINK_BYTES].copy_from_slice(&downlink.child.to_le_bytes());
}
