//! The tree: records under keys of memory and place, in a B-link tree (Lehman and Yao, 1981).
//!
//! Each page knows its right sibling and a *high key*, which is above all of its own; the rightmost of a level has
//! neither. Who comes to a page by a downlink or a root that is out of date finds its key at or above the high key, and
//! goes right. So nobody holds a page while looking at another, and readers see every record once that is there while
//! they walk: a split moves records to the right only, into a page which the walk from the old page's link passes by.
//!
//! A split is two changes: first the page and its new right sibling; then the parent gets the downlink. A crash between
//! them leaves a sibling that is found by going right. The next writer who goes right there adds the downlink: adding
//! one that exists already does nothing. The root is split by one change, of both halves, the new root and the
//! metapage, so a level never has several pages and no parent.
//!
//! Pages are never merged and never leave the tree, so no address within it becomes stale. Locks: a child before its
//! parent, the left of two siblings first, the metapage last; except at the root nobody holds two pages that others
//! can reach.

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
    /// The tree by the root that is known, else by the metapage.
    pub fn open(pages: &'p P) -> Outcome<Tree<'p, P>> {
        if let Some(root) = pages.known_root() {
            return Ok(Tree::at(pages, root));
        }
        let tree = Tree::at(pages, Root { block: NO_BLOCK, level: 0 });
        tree.refresh_root()?;
        Ok(tree)
    }

    /// The tree by a root that was read before; it may be out of date.
    pub fn at(pages: &'p P, root: Root) -> Tree<'p, P> {
        Tree { pages, root: Cell::new(root) }
    }

    /// The root as it is known by now, to be kept for [`Tree::at`].
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
