//! Checks that a tree is sound.
//!
//! Level by level from the root: pages by their links from left to right, each with rising keys between the high key of
//! its left sibling and its own; each downlink of the level above leads to one of them, in their order, with the least
//! key that it is for. Then all blocks: every page of kind tree belongs to the tree.

use std::collections::TryReserveError;

use memory_search_core::error::out_of_memory;

use super::Tree;
use super::inner::{Downlink, InnerView};
use super::key::Key;
use super::leaf::LeafView;
use super::node::Node;
use crate::fault::{Fault, Outcome, damaged};
use crate::page::{self, Kind, Page, SPECIAL};
use crate::pages::Pages;

/// A level of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LevelStatistics {
    /// The number of its pages.
    pub pages: u64,
    /// Their records or downlinks.
    pub items: u64,
    /// Their bytes without records and downlinks.
    pub free_bytes: u64,
}

/// The contents of an index, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The levels of the tree, the leaves first.
    pub levels: Vec<LevelStatistics>,
    /// Records in the tree.
    pub records: u64,
    /// Bytes of records, without their keys.
    pub record_bytes: u64,
    /// Pages of the tree that are found only through their left sibling, because of a crash in a split: no damage.
    pub missing_downlinks: u64,
    /// Pages of blobs, and their lists.
    pub blob_pages: u64,
    /// Free pages.
    pub free_pages: u64,
    /// Pages that nothing was ever written to.
    pub empty_pages: u64,
}

/// Checks the tree and every page; damage is an error (XX002). No process may change the index meanwhile.
pub fn check(pages: &impl Pages) -> Outcome<Statistics> {
    let root = Tree::open(pages)?.refresh_root()?;
    let mut found = Statistics::default();
    let mut downlinks = vec![Downlink { key: Key::MIN, child: root.block }];
    for level in (0..=root.level).rev() {
        downlinks = check_level(pages, level, &downlinks, &mut found)?;
    }
    found.levels.reverse();
    check_blocks(pages, &mut found)?;
    Ok(found)
}

/// Walks over a level, and returns its downlinks.
fn check_level(
    pages: &impl Pages,
    level: u32,
    downlinks: &[Downlink],
    found: &mut Statistics,
) -> Outcome<Vec<Downlink>> {
    let mut statistics = LevelStatistics::default();
    let mut below = Vec::new();
    let mut expected = downlinks.iter().peekable();
    let Some(first) = downlinks.first() else { return Ok(below) };
    let (mut block, mut low) = (first.child, Key::MIN);
    loop {
        pages.tick()?;
        let at_left_end = statistics.pages == 0;
        let right = pages.read(block, |page| {
            let node = Node::read_at(page, block, level, (!at_left_end).then_some(low))?;
            let keys = Range { block, low, high: node.frame.right.map(|(high, _)| high) };
            match level {
                0 => check_leaf(page, &node, &keys, found, &mut statistics)?,
                _ => check_inner(page, &node, &keys, &mut below, &mut statistics)?,
            }
            Ok(node.frame.right)
        })?;
        statistics.pages += 1;
        match expected.next_if(|downlink| downlink.child == block) {
            Some(downlink) if downlink.key != low => return Err(damaged(block, "its parent has another key for it")),
            Some(_) => {}
            None => found.missing_downlinks += 1,
        }
        match right {
            Some(right) => (low, block) = right,
            None => break,
        }
    }
    if let Some(downlink) = expected.next() {
        return Err(damaged(downlink.child, "its siblings do not lead to it, or not in the order of their parents"));
    }
    found.levels.push(statistics);
    Ok(below)
}

/// The keys that a page may hold.
struct Range {
    block: u32,
    low: Key,
    high: Option<Key>,
}

impl Range {
    /// Checks that keys rise and are the page's.
    fn check(&self, last: &mut Option<Key>, key: Key) -> Outcome<()> {
        if last.is_some_and(|last| key <= last) {
            return Err(damaged(self.block, "its keys do not rise"));
        }
        if key < self.low || self.high.is_some_and(|high| key >= high) {
            return Err(damaged(self.block, "a key lies outside of what it is for"));
        }
        *last = Some(key);
        Ok(())
    }
}

fn check_leaf(
    page: &Page,
    node: &Node,
    keys: &Range,
    found: &mut Statistics,
    statistics: &mut LevelStatistics,
) -> Outcome<()> {
    let leaf = LeafView::new(page, keys.block, node)?;
    let mut extents = Vec::with_capacity(leaf.count());
    let mut last = None;
    for entry in leaf.entries() {
        let (slot, key, record) = entry?;
        keys.check(&mut last, key)?;
        extents.push(leaf.extent(slot)?);
        found.record_bytes += record.len() as u64;
    }
    extents.sort_unstable();
    if extents.windows(2).any(|pair| pair[0].1 > pair[1].0) {
        return Err(damaged(keys.block, "two records overlap"));
    }
    let held: usize = extents.iter().map(|(start, end)| end - start).sum();
    found.records += leaf.count() as u64;
    statistics.items += leaf.count() as u64;
    statistics.free_bytes += (SPECIAL - node.lower - held) as u64;
    Ok(())
}

fn check_inner(
    page: &Page,
    node: &Node,
    keys: &Range,
    below: &mut Vec<Downlink>,
    statistics: &mut LevelStatistics,
) -> Outcome<()> {
    let inner = InnerView::new(page, keys.block, node)?;
    if inner.downlink(0).key != keys.low {
        return Err(damaged(keys.block, "its first key is not the least that it is for"));
    }
    let mut last = None;
    below.try_reserve(inner.count()).map_err(too_many)?;
    for downlink in inner.downlinks() {
        keys.check(&mut last, downlink.key)?;
        below.push(downlink);
    }
    statistics.items += inner.count() as u64;
    statistics.free_bytes += (node.upper - node.lower) as u64;
    Ok(())
}

/// Reads every block: the walk must have met each page of the tree.
fn check_blocks(pages: &impl Pages, found: &mut Statistics) -> Outcome<()> {
    let mut tree_pages = 0;
    for block in 1..pages.blocks()? {
        pages.tick()?;
        let kind = pages.read(block, |page| match page::is_new(page) {
            true => Ok(None),
            false => {
                page::bounds(page, block)?;
                Ok(Some(page::special(page, block)?.kind))
            }
        })?;
        match kind {
            None => found.empty_pages += 1,
            Some(Kind::Free) => found.free_pages += 1,
            Some(Kind::Blob | Kind::BlobRoot) => found.blob_pages += 1,
            Some(Kind::Leaf | Kind::Inner) => tree_pages += 1,
            Some(Kind::Meta) => return Err(damaged(block, "it is a second metapage")),
        }
    }
    match tree_pages == found.levels.iter().map(|level| level.pages).sum::<u64>() {
        true => Ok(()),
        false => Err(damaged(crate::meta::META_BLOCK, "its tree does not lead to all pages of the tree")),
    }
}

fn too_many(_: TryReserveError) -> Fault {
    Fault::Error(out_of_memory())
}
