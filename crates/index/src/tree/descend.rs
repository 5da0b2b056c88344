//! From the root to a page: downwards by keys, and to the right if the parent lacks the downlink of a split.

use super::inner::{Downlink, InnerView};
use super::key::Key;
use super::leaf::LeafView;
use super::node::Node;
use super::{Root, Tree};
use crate::fault::{Outcome, damaged};
use crate::meta::META_BLOCK;
use crate::page::Page;
use crate::pages::{Change, Pages, Slot};

/// A right sibling that the parent did not lead to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Missing {
    pub level: u32,
    pub downlink: Downlink,
}

const BELOW: &str = "its root is below other pages of the tree";

enum Step<T> {
    Right(Key, u32),
    Down(u32),
    There(T),
}

impl<P: Pages> Tree<'_, P> {
    /// Calls `look` with the page of a level that a key belongs to. `missing` gets the pages that were reached only by
    /// going right.
    pub(super) fn find<T>(
        &self,
        key: &Key,
        level: u32,
        mut missing: Option<&mut Vec<Missing>>,
        look: impl FnOnce(&Page, u32, &Node) -> Outcome<T>,
    ) -> Outcome<T> {
        let mut look = Some(look);
        let mut root = self.root_above(level)?;
        let mut is_fresh = false;
        let (mut block, mut at, mut low) = (root.block, root.level, None);
        loop {
            let step = self.pages.read(block, |page| {
                let node = Node::read_at(page, block, at, low)?;
                if let Some((high, next)) = node.right_for(key) {
                    return Ok(Step::Right(high, next));
                }
                if at > level {
                    let inner = InnerView::new(page, block, &node)?;
                    return Ok(Step::Down(inner.downlink(inner.upto(key)? - 1).child));
                }
                match look.take() {
                    Some(look) => look(page, block, &node).map(Step::There),
                    None => Err(damaged(block, "it is met twice")),
                }
            })?;
            match step {
                Step::There(found) => return Ok(found),
                Step::Down(child) => (block, at, low) = (child, at - 1, None),
                // A root has no siblings: the one that we know is no longer the root.
                Step::Right(..) if at == root.level && !is_fresh => {
                    is_fresh = true;
                    root = self.refresh_root()?;
                    if root.level < level {
                        return Err(damaged(META_BLOCK, BELOW));
                    }
                    (block, at, low) = (root.block, root.level, None);
                }
                Step::Right(high, next) => {
                    if let Some(missing) = missing.as_mut().filter(|_| at < root.level) {
                        missing.push(Missing { level: at, downlink: Downlink { key: high, child: next } });
                    }
                    (block, low) = (next, Some(high));
                }
            }
        }
    }

    /// Locks the page of a level that a key belongs to, from a page of the level on that is not right of it.
    pub(super) fn lock(
        &self,
        change: &mut P::Change<'_>,
        block: u32,
        level: u32,
        key: &Key,
    ) -> Outcome<(u32, Slot, Node)> {
        let (mut block, mut low) = (block, None);
        loop {
            let slot = change.lock(block)?;
            let node = Node::read_at(change.page(slot), block, level, low)?;
            let Some((high, next)) = node.right_for(key) else { return Ok((block, slot, node)) };
            change.unlock(slot)?;
            (block, low) = (next, Some(high));
        }
    }

    /// Calls `look` with the record of a key, if there is one.
    pub fn get<T>(&self, key: &Key, look: impl FnOnce(&[u8]) -> Outcome<T>) -> Outcome<Option<T>> {
        self.find(key, 0, None, |page, block, node| {
            let leaf = LeafView::new(page, block, node)?;
            match leaf.find(key)? {
                Ok(slot) => look(leaf.record(slot)?).map(Some),
                Err(_) => Ok(None),
            }
        })
    }

    fn root_above(&self, level: u32) -> Outcome<Root> {
        let root = self.root();
        if root.level >= level {
            return Ok(root);
        }
        let root = self.refresh_root()?;
        match root.level >= level {
            true => Ok(root),
            false => Err(damaged(META_BLOCK, BELOW)),
        }
    }
}
