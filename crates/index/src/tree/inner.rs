//! Inner pages: keys, each with the child for the keys from it up to the next key. The least key of a page is the least
//! that the page is for.
//!
//! Downlinks are stored from the end of the page in the order of their insertion. A byte for each gives the order by
//! keys. So a new one moves some bytes of that order and no downlinks, and adds little to the log.

use super::key::{KEY_BYTES, Key};
use super::node::{self, CAPACITY, Frame, ITEMS, Node};
use crate::fault::{Outcome, damaged};
use crate::page::{self, Page, SPECIAL, u32_at};

const LINK_BYTES: usize = KEY_BYTES + 4;
/// Bytes of a downlink, including its byte in the order.
pub(super) const DOWNLINK_BYTES: usize = LINK_BYTES + 1;
/// The number of downlinks that a page may have: as many as a byte can number.
pub(super) const MAX_DOWNLINKS: usize = 256;
// Every byte of an order therefore names a downlink within the page, also on a page that is damaged.
const _: () = assert!(MAX_DOWNLINKS * DOWNLINK_BYTES <= CAPACITY);

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
        let count = node.lower - ITEMS;
        let is_sound = (1..=MAX_DOWNLINKS).contains(&count) && node.upper == upper(count);
        match node.frame.level > 0 && is_sound {
            true => Ok(InnerView { page, block, count }),
            false => Err(damaged(block, "its downlinks are cut off")),
        }
    }

    /// The number of its downlinks, at least one.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A downlink below [`InnerView::count`].
    pub fn downlink(&self, index: usize) -> Downlink {
        let at = upper(usize::from(self.page[ITEMS + index]) + 1);
        Downlink { key: Key::read(self.page, at), child: u32_at(self.page, at + KEY_BYTES) }
    }

    /// All of them.
    pub fn downlinks(&self) -> impl Iterator<Item = Downlink> + '_ {
        (0..self.count).map(|index| self.downlink(index))
    }

    /// The number of keys at or below `key`, at least one.
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
        page[ITEMS + index] = index as u8;
        put(page, index, downlink);
    }
    page::set_bounds(page, ITEMS + downlinks.len(), upper(downlinks.len()));
}

/// Adds a downlink before the `index`th of `count`, which must be fewer than [`MAX_DOWNLINKS`].
pub(super) fn insert(page: &mut Page, count: usize, index: usize, downlink: &Downlink) {
    let (at, end) = (ITEMS + index, ITEMS + count);
    page.copy_within(at..end, at + 1);
    page[at] = count as u8;
    put(page, count, downlink);
    page::set_bounds(page, end + 1, upper(count + 1));
}

/// The beginning of this many downlinks.
fn upper(count: usize) -> usize {
    SPECIAL - count * LINK_BYTES
}

fn put(page: &mut Page, number: usize, downlink: &Downlink) {
    let at = upper(number + 1);
    page[at..at + KEY_BYTES].copy_from_slice(&downlink.key.to_bytes());
    page[at + KEY_BYTES..at + LINK_BYTES].copy_from_slice(&downlink.child.to_le_bytes());
}
