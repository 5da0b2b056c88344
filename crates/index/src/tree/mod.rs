//! The tree: records under keys of memory and place, in a B-link tree (Lehman and Yao, 1981).
//!
//! Each page has a link to its right sibling and a *high key*, which is above all keys of the page; the rightmost page
//! of a level has neither. A search that comes to a page by an outdated downlink or root finds that its key is at or
//! above the high key, and goes right. So a search holds no page while it reads another. A reader sees each record that
//! exists during its walk exactly once, because a split moves records only to the right, into a page that the walk
//! comes to by the link of the old page.
//!
//! A split consists of two changes. The first changes the page and its new right sibling; the second adds the downlink
//! to the parent. After a crash between them, searches find the sibling by going right. The next writer that goes right
//! there adds the downlink; adding an existing downlink does nothing. The root is split by one change of both halves,
//! the new root and the metapage, so a level with several pages always has a parent.
//!
//! Pages are never merged and never leave the tree, so no address within it becomes stale. Pages are locked in this
//! order: a child before its parent, the left of two siblings before the right one, the metapage last. Except for a
//! split of the root, no one holds two pages that others can reach.

mod build;
mod check;
mod create;
mod descend;
mod inner;
mod key;
mod leaf;
mod node;
mod room;
mod split;
mod update;
mod walk;

#[cfg(test)]
mod check_tests;
#[cfg(test)]
mod concurrency_tests;
#[cfg(test)]
mod crash_tests;
#[cfg(test)]
mod damage_tests;
#[cfg(test)]
pub(crate) mod generated;
#[cfg(test)]
mod split_tests;

use std::cell::Cell;

use crate::fault::Outcome;
use crate::meta;
use crate::page::NO_BLOCK;
use crate::pages::Pages;

pub use crate::pages::Root;
pub use build::Builder;
pub use check::{LevelStatistics, Statistics, check};
pub use create::{create, first_pages};
pub use key::{KEY_BYTES, Key};
pub use leaf::{LeafView, MAX_RECORD};
pub use walk::Walk;

/// The tree of an index.
pub struct Tree<'p, P: Pages> {
    pages: &'p P,
    root: Cell<Root>,
}

impl<'p, P: Pages> Tree<'p, P> {
    /// The tree, with the root that `pages` has noted, or else with the root in the metapage.
    pub fn open(pages: &'p P) -> Outcome<Tree<'p, P>> {
        if let Some(root) = pages.known_root() {
            return Ok(Tree::at(pages, root));
        }
        let tree = Tree::at(pages, Root { block: NO_BLOCK, level: 0 });
        tree.refresh_root()?;
        Ok(tree)
    }

    /// The tree, with a root that was read before and may be outdated.
    pub fn at(pages: &'p P, root: Root) -> Tree<'p, P> {
        Tree { pages, root: Cell::new(root) }
    }

    /// The last root that was read, for a later [`Tree::at`].
    pub fn root(&self) -> Root {
        self.root.get()
    }

    /// Reads the root from the metapage.
    fn refresh_root(&self) -> Outcome<Root> {
        let root = self.pages.read(meta::META_BLOCK, meta::read_root)?;
        self.set_root(root);
        Ok(root)
    }

    fn set_root(&self, root: Root) {
        self.root.set(root);
        self.pages.note_root(root);
    }
}
