//! Walking over leaves from left to right, to read them or to remove records.

use super::Tree;
use super::key::Key;
use super::leaf::{self, LeafView};
use super::node::Node;
use crate::fault::Outcome;
use crate::pages::{Change, Pages};

/// Whether a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// To the next leaf, if there is one.
    Go,
    /// Enough.
    Stop,
}

impl<P: Pages> Tree<'_, P> {
    /// Calls `each` with the leaf of a key and the leaves right of it, each while no session changes it.
    /// [`LeafView::first`] of the first leaf is the slot of the key. The walk meets every record exactly once that exists
    /// throughout. `each` must be short, and touch no other page.
    pub fn leaves(&self, from: &Key, mut each: impl FnMut(&LeafView<'_>) -> Outcome<Walk>) -> Outcome<()> {
        let mut right = self.find(from, 0, None, |page, block, node| {
            let leaf = LeafView::new(page, block, node)?.from(from)?;
            Ok((each(&leaf)?, node.frame.right))
        })?;
        while let (Walk::Go, Some((low, block))) = right {
            self.pages.tick()?;
            right = self.pages.read(block, |page| {
                let node = Node::read_at(page, block, 0, Some(low))?;
                Ok((each(&LeafView::new(page, block, &node)?)?, node.frame.right))
            })?;
        }
        Ok(())
    }

    /// Like [`Tree::leaves`], but no other session sees a leaf meanwhile, and the slots that `each` adds to its second
    /// argument, in rising order, are removed: one change a leaf, none if it adds nothing.
    pub fn change_leaves(
        &self,
        from: &Key,
        mut each: impl FnMut(&LeafView<'_>, &mut Vec<usize>) -> Outcome<Walk>,
    ) -> Outcome<()> {
        let block = self.find(from, 0, None, |_, block, _| Ok(block))?;
        let mut gone = Vec::new();
        let (mut block, mut from, mut low) = (block, Some(from), None);
        loop {
            self.pages.tick()?;
            let mut change = self.pages.change();
            let (slot, node) = match from {
                Some(from) => {
                    let (found, slot, node) = self.lock(&mut change, block, 0, from)?;
                    block = found;
                    (slot, node)
                }
                None => {
                    let slot = change.lock(block)?;
                    (slot, Node::read_at(change.page(slot), block, 0, low)?)
                }
            };
            let leaf = LeafView::new(change.page(slot), block, &node)?;
            let leaf = match from.take() {
                Some(from) => leaf.from(from)?,
                None => leaf,
            };
            gone.clear();
            let walk = each(&leaf, &mut gone)?;
            if !gone.is_empty() {
                debug_assert!(gone.is_sorted() && gone.iter().all(|&slot| slot < leaf.count()));
                leaf::remove(change.page_mut(slot)?, &node, &gone);
                change.commit()?;
            }
            match (walk, node.frame.right) {
                (Walk::Go, Some((high, next))) => (block, low) = (next, Some(high)),
                _ => return Ok(()),
            }
        }
    }

    /// Removes the records of these keys, which must rise, by one change for each leaf. Returns their number.
    pub fn remove(&self, keys: &[Key]) -> Outcome<usize> {
        debug_assert!(keys.is_sorted());
        let (mut rest, mut removed) = (keys, 0);
        while let Some(first) = rest.first() {
            self.pages.tick()?;
            let mut missing = Vec::new();
            let block = self.find(first, 0, Some(&mut missing), |_, block, _| Ok(block))?;
            self.add_missing(&missing)?;
            let mut change = self.pages.change();
            let (block, slot, node) = self.lock(&mut change, block, 0, first)?;
            let here = match node.frame.right {
                Some((high, _)) => rest.partition_point(|key| *key < high).max(1),
                None => rest.len(),
            };
            let leaf = LeafView::new(change.page(slot), block, &node)?;
            let mut gone = Vec::new();
            for key in &rest[..here] {
                gone.extend(leaf.find(key)?.ok());
            }
            gone.sort_unstable();
            gone.dedup();
            if !gone.is_empty() {
                leaf::remove(change.page_mut(slot)?, &node, &gone);
                change.commit()?;
                removed += gone.len();
            }
            rest = &rest[here..];
        }
        Ok(removed)
    }
}
