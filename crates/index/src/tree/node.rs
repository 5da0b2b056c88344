//! The common parts of the tree's inner pages and leaves: the level, the link to the right, the high key.
//!
//! ```text
//! 24         46                        lower     upper                      8160
//! | high key | slots or order ...      |  free   | records or downlinks ... | special |
//! ```
//!
//! The bytes of the high key count only if there is a page to the right.

use super::key::{KEY_BYTES, Key};
use crate::fault::{Outcome, damaged};
use crate::page::{self, HEADER_BYTES, Kind, NO_BLOCK, Page, SPECIAL, Special};

/// The beginning of slots, or of the order of downlinks.
pub(super) const ITEMS: usize = HEADER_BYTES + KEY_BYTES;
/// Bytes for slots and records, or for downlinks.
pub(super) const CAPACITY: usize = SPECIAL - ITEMS;

/// More levels than a tree of 2^32 pages can have, even if each page is split again at once.
const MAX_LEVEL: u32 = 32;

/// The place of a page in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    /// From 0 for leaves.
    pub level: u32,
    /// The high key and the page to the right.
    pub right: Option<(Key, u32)>,
}

/// The frame of a page with the bounds of its free space, checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub frame: Frame,
    pub lower: usize,
    pub upper: usize,
}

impl Node {
    /// Reads a page that must be one of the tree.
    pub fn read(page: &Page, block: u32) -> Outcome<Node> {
        if page::is_new(page) {
            return Err(damaged(block, "it is empty"));
        }
        let special = page::special(page, block)?;
        match special.kind {
            Kind::Leaf if special.position == 0 => {}
            Kind::Inner if (1..=MAX_LEVEL).contains(&special.position) => {}
            Kind::Leaf | Kind::Inner => return Err(damaged(block, "its level is not one of its kind")),
            _ => return Err(damaged(block, "it is no page of the tree")),
        }
        let (lower, upper) = page::bounds(page, block)?;
        if lower < ITEMS {
            return Err(damaged(block, "it has no room for a high key"));
        }
        let right = match special.next {
            NO_BLOCK => None,
            next => Some((Key::read(page, HEADER_BYTES), next)),
        };
        Ok(Node { frame: Frame { level: special.position, right }, lower, upper })
    }

    /// Reads a page that must be on a level, and to the right of what lies below `low`.
    pub fn read_at(page: &Page, block: u32, level: u32, low: Option<Key>) -> Outcome<Node> {
        let node = Node::read(page, block)?;
        if node.frame.level != level {
            return Err(damaged(block, "its level differs from the level that the reference to it names"));
        }
        match (low, node.frame.right) {
            // High keys rise from page to page, so that no walk to the right lasts for ever.
            (Some(low), Some((high, _))) if high <= low => Err(damaged(block, "it lies left of its left sibling")),
            _ => Ok(node),
        }
    }

    /// The page to which a search goes for a key that is not below the high key.
    pub fn right_for(&self, key: &Key) -> Option<(Key, u32)> {
        self.frame.right.filter(|(high, _)| key >= high)
    }
}

/// Makes it an empty page of the tree.
pub(super) fn init(page: &mut Page, frame: Frame) {
    let kind = if frame.level == 0 { Kind::Leaf } else { Kind::Inner };
    let next = frame.right.map_or(NO_BLOCK, |(_, next)| next);
    page::init(page, Special { kind, next, position: frame.level, owner: 0, made_at: 0 });
    if let Some((high, _)) = frame.right {
        page[HEADER_BYTES..ITEMS].copy_from_slice(&high.to_bytes());
    }
    page::set_bounds(page, ITEMS, SPECIAL);
}

/// Changes only the right sibling of a page.
pub(super) fn set_right(page: &mut Page, high: &Key, next: u32) {
    page[HEADER_BYTES..ITEMS].copy_from_slice(&high.to_bytes());
    page[SPECIAL..SPECIAL + 4].copy_from_slice(&next.to_le_bytes());
}
