//! Inserting or replacing a record of the tree, with the necessary splits.

use memory_search_core::{Error, ErrorKind};

use super::descend::Missing;
use super::inner::{self, DOWNLINK_BYTES, Downlink, InnerView, MAX_DOWNLINKS};
use super::key::Key;
use super::leaf::{self, Entry, LeafView, MAX_RECORD};
use super::node::{self, CAPACITY, Frame, Node};
use super::room::Room;
use super::{Root, Tree, split};
use crate::fault::{Fault, Outcome, damaged};
use crate::meta::{self, META_BLOCK};
use crate::page::Page;
use crate::pages::{Change, Pages, Slot};

/// A page that a change has split.
struct Halves {
    level: u32,
    left: u32,
    /// The new page, and the least key that it is for.
    right: Downlink,
}

impl<P: Pages> Tree<'_, P> {
    /// Inserts a record of at most [`MAX_RECORD`] bytes, unless its key has one already: then it changes nothing, and
    /// returns false.
    pub fn insert(&self, key: &Key, record: &[u8]) -> Outcome<bool> {
        self.update(key, |old| Ok(old.is_none().then_some(record)))
    }

    /// Replaces the record of a key; the new length may be up to [`MAX_RECORD`]. If the key has no record, it changes
    /// nothing, and returns false.
    pub fn replace(&self, key: &Key, record: &[u8]) -> Outcome<bool> {
        self.update(key, |old| Ok(old.is_some().then_some(record)))
    }

    /// Calls `decide` with the record of a key, which no other process changes meanwhile, and puts the result of
    /// `decide` in its place. Returns whether `decide` returned a record. `decide` must be short, and touch no page.
    /// After an error, if `decide` was called, the record may have been replaced or not, but never in part.
    pub fn update<R: AsRef<[u8]>>(
        &self,
        key: &Key,
        decide: impl FnOnce(Option<&[u8]>) -> Outcome<Option<R>>,
    ) -> Outcome<bool> {
        let (mut change, (block, slot, node)) = self.lock_leaf(key)?;
        let view = LeafView::new(change.page(slot), block, &node)?;
        let at = view.find(key)?;
        let old = at.ok().map(|at| view.extent(at)).transpose()?;
        let record = match at {
            Ok(at) => decide(Some(view.record(at)?))?,
            Err(_) => decide(None)?,
        };
        let Some(record) = record else { return Ok(false) };
        let entry = Entry { key: *key, record: record.as_ref() };
        if entry.record.len() > MAX_RECORD {
            let message = format!("a record of {} bytes is too long for the memory index", entry.record.len());
            return Err(Fault::Error(Error::new(ErrorKind::Internal, message)));
        }
        match old {
            Some(old) if leaf::fits_over(old, &entry) => {
                leaf::put_over(change.page_mut(slot)?, old.0, &entry);
                change.commit()?;
            }
            _ if leaf::has_room(&node, at, &entry) => {
                leaf::put_in_free_space(change.page_mut(slot)?, &node, at, &entry);
                change.commit()?;
            }
            _ => match Room::find(&view, &node, at, &entry)? {
                Some(room) => {
                    room.fill(change.page_mut(slot)?, &node, at, &entry);
                    change.commit()?;
                }
                None => self.rewrite_leaf(change, block, slot, at, &entry)?,
            },
        }
        Ok(true)
    }

    /// Locks the leaf that a key belongs to, after the parents on the way have all downlinks. Mostly it is the leaf
    /// that its parent names, which is not read before it is locked.
    fn lock_leaf(&self, key: &Key) -> Outcome<(P::Change<'_>, (u32, Slot, Node))> {
        let mut missing = Vec::new();
        if self.root().level > 0 {
            let child = self.find(key, 1, Some(&mut missing), |page, block, node| {
                let parent = InnerView::new(page, block, node)?;
                Ok(parent.downlink(parent.upto(key)? - 1).child)
            })?;
            self.add_missing(&missing)?;
            let mut change = self.pages.change();
            let locked = self.lock(&mut change, child, 0, key)?;
            if locked.0 == child {
                return Ok((change, locked));
            }
            missing.clear();
        }
        let block = self.find(key, 0, Some(&mut missing), |_, block, _| Ok(block))?;
        self.add_missing(&missing)?;
        let mut change = self.pages.change();
        let locked = self.lock(&mut change, block, 0, key)?;
        Ok((change, locked))
    }

    /// Adds downlinks that a crash has left out, or that others are about to add.
    pub(super) fn add_missing(&self, missing: &[Missing]) -> Outcome<()> {
        missing.iter().try_for_each(|missing| self.add_downlink(missing.level + 1, &missing.downlink))
    }

    /// Closes the holes of a leaf to make room for an entry, and splits it if that is not enough.
    fn rewrite_leaf(
        &self,
        mut change: P::Change<'_>,
        block: u32,
        slot: Slot,
        at: Result<usize, usize>,
        entry: &Entry<'_>,
    ) -> Outcome<()> {
        let old = Box::new(*change.page(slot));
        let node = Node::read(&old, block)?;
        let mut entries = LeafView::new(&old, block, &node)?.to_entries()?;
        let added = match at {
            Ok(at) => {
                entries[at] = *entry;
                None
            }
            Err(at) => {
                entries.insert(at, *entry);
                Some(at)
            }
        };
        if entries.iter().map(Entry::size).sum::<usize>() <= CAPACITY {
            leaf::write(change.page_mut(slot)?, node.frame, &entries);
            return change.commit();
        }
        let items: Vec<_> = entries.iter().map(|entry| split::Item { key: entry.key, size: entry.size() }).collect();
        let cut = split::point(&items, added, node.frame.right.is_none())
            .ok_or_else(|| damaged(block, "it holds more than a page has room for"))?;
        let (child, right) = change.allocate()?;
        let separator = entries[cut].key;
        leaf::write(change.page_mut(right)?, node.frame, &entries[cut..]);
        let left = change.page_mut(slot)?;
        leave(left, block, &old, at, cut, entry)?;
        node::set_right(left, &separator, child);
        self.finish_split(change, Halves { level: 0, left: block, right: Downlink { key: separator, child } })
    }

    /// Adds the downlink of a new page to the parent, unless it is there.
    fn add_downlink(&self, level: u32, downlink: &Downlink) -> Outcome<()> {
        let block = self.find(&downlink.key, level, None, |_, block, _| Ok(block))?;
        let mut change = self.pages.change();
        let (block, slot, node) = self.lock(&mut change, block, level, &downlink.key)?;
        let view = InnerView::new(change.page(slot), block, &node)?;
        let at = view.upto(&downlink.key)?;
        let before = view.downlink(at - 1);
        if before.key == downlink.key {
            return match before.child == downlink.child {
                true => Ok(()),
                false => Err(damaged(block, "it leads to another page than that page's left sibling does")),
            };
        }
        let count = view.count();
        if count < MAX_DOWNLINKS {
            inner::insert(change.page_mut(slot)?, count, at, downlink);
            return change.commit();
        }
        let mut downlinks: Vec<_> = view.downlinks().collect();
        downlinks.insert(at, *downlink);
        let items: Vec<_> =
            downlinks.iter().map(|downlink| split::Item { key: downlink.key, size: DOWNLINK_BYTES }).collect();
        let cut = split::point(&items, Some(at), node.frame.right.is_none())
            .ok_or_else(|| damaged(block, "it holds more than a page has room for"))?;
        let (child, right) = change.allocate()?;
        let separator = downlinks[cut].key;
        inner::write(change.page_mut(right)?, node.frame, &downlinks[cut..]);
        let left = change.page_mut(slot)?;
        inner::write(left, Frame { level, right: Some((separator, child)) }, &downlinks[..cut]);
        self.finish_split(change, Halves { level, left: block, right: Downlink { key: separator, child } })
    }

    /// Commits a split: of the root together with a new root, of another page before its parent gets the downlink.
    fn finish_split(&self, mut change: P::Change<'_>, halves: Halves) -> Outcome<()> {
        // A tree only grows, so all pages below a known root are below the present root.
        if halves.level >= self.root().level {
            let meta = change.lock(META_BLOCK)?;
            let root = meta::read_root(change.page(meta))?;
            if root.block == halves.left {
                let (block, slot) = change.allocate()?;
                let level = halves.level + 1;
                let downlinks = [Downlink { key: Key::MIN, child: halves.left }, halves.right];
                inner::write(change.page_mut(slot)?, Frame { level, right: None }, &downlinks);
                let root = Root { block, level };
                meta::set_root(change.page_mut(meta)?, root);
                change.commit()?;
                self.set_root(root);
                return Ok(());
            }
            change.unlock(meta)?;
            self.set_root(root);
        }
        change.commit()?;
        self.add_downlink(halves.level + 1, &halves.right)
    }
}

/// Keeps the items before a cut on a page, with the new entry if it is among them. These items are not moved, so the
/// log does not get them.
fn leave(
    page: &mut Page,
    block: u32,
    old: &Page,
    at: Result<usize, usize>,
    cut: usize,
    entry: &Entry<'_>,
) -> Outcome<()> {
    let node = Node::read(old, block)?;
    let count = LeafView::new(old, block, &node)?.count();
    let kept = match at {
        Err(at) if at < cut => cut - 1,
        _ => cut,
    };
    leaf::remove(page, &node, &(kept..count).collect::<Vec<_>>());
    let (Ok(slot) | Err(slot)) = at;
    if slot >= cut {
        return Ok(());
    }
    let node = Node::read(page, block)?;
    let room = Room::find(&LeafView::new(page, block, &node)?, &node, at, entry)?;
    let room = room.ok_or_else(|| damaged(block, "it has less room than its records leave"))?;
    room.fill(page, &node, at, entry);
    Ok(())
}
