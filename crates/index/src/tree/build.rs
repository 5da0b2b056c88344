//! Building a tree from records that come in the order of keys: from left to right, and from the leaves upwards.
//!
//! A page is written when it is full, and by then must name its right sibling. So blocks are allocated ahead, four in
//! each change, as free pages, which adds little to the log. The metapage is written last: until then the index is the
//! empty tree's root with siblings, and no other process uses it.

use memory_search_core::{Error, ErrorKind};

use super::inner::{self, Downlink, MAX_DOWNLINKS};
use super::key::Key;
use super::leaf::{self, Entry, LeafView, MAX_RECORD};
use super::node::{self, CAPACITY, Frame, Node};
use super::{Root, Tree};
use crate::fault::{Fault, Outcome};
use crate::meta::{self, META_BLOCK};
use crate::page::{self, Kind, LSN_BYTES, NO_BLOCK, PAGE_BYTES, Page, Special};
use crate::pages::{Change, PAGES_A_CHANGE, Pages};

/// Fills an empty tree.
pub struct Builder<'p, P: Pages> {
    pages: &'p P,
    /// Bytes that a leaf is filled with.
    fill: usize,
    /// Downlinks that an inner page is filled with.
    fill_inner: usize,
    /// The rightmost page of each level, by levels.
    open: Vec<Open>,
    /// Blocks allocated ahead.
    ahead: Vec<u32>,
    /// Pages that are full, to be written together.
    full: Vec<Open>,
    last: Option<Key>,
}

struct Open {
    block: u32,
    image: Box<Page>,
    items: usize,
    /// Bytes of a leaf that records take.
    used: usize,
}

impl Open {
    fn new(block: u32, level: u32) -> Open {
        let mut image = Box::new([0; PAGE_BYTES]);
        node::init(&mut image, Frame { level, right: None });
        Open { block, image, items: 0, used: 0 }
    }
}

impl<'p, P: Pages> Builder<'p, P> {
    /// For an index that [`super::create`] has just made. Leaves are filled up to `fill_percent`, 10 to 100.
    pub fn new(pages: &'p P, fill_percent: u8) -> Outcome<Builder<'p, P>> {
        let root = Tree::open(pages)?.root();
        let is_empty = pages.read(root.block, |page| {
            let node = Node::read_at(page, root.block, root.level, None)?;
            Ok(root.level == 0 && node.frame.right.is_none() && LeafView::new(page, root.block, &node)?.count() == 0)
        })?;
        if !is_empty {
            return Err(misused("a memory index that is not empty cannot be built"));
        }
        let of = |capacity: usize| capacity * usize::from(fill_percent.clamp(10, 100)) / 100;
        let (fill, fill_inner) = (of(CAPACITY), of(MAX_DOWNLINKS));
        let open = vec![Open::new(root.block, 0)];
        Ok(Builder { pages, fill, fill_inner, open, ahead: Vec::new(), full: Vec::new(), last: None })
    }

    /// Adds a record of at most [`MAX_RECORD`] bytes, whose key is above all so far.
    pub fn add(&mut self, key: &Key, record: &[u8]) -> Outcome<()> {
        if self.last.is_some_and(|last| *key <= last) || record.len() > MAX_RECORD {
            return Err(misused("a memory index is built of records out of order, or too long"));
        }
        self.last = Some(*key);
        let entry = Entry { key: *key, record };
        let leaf = &self.open[0];
        // A leaf gets a record also if it is larger than the fill.
        if leaf.items > 0 && leaf.used + entry.size() > self.fill {
            self.turn(0, key)?;
        }
        let leaf = &mut self.open[0];
        let node = Node::read(&leaf.image, leaf.block)?;
        leaf::put_in_free_space(&mut leaf.image, &node, Err(leaf.items), &entry);
        leaf.items += 1;
        leaf.used += entry.size();
        Ok(())
    }

    /// Writes the remaining pages, then the metapage, and returns the root of the tree.
    pub fn finish(mut self) -> Outcome<Root> {
        let level = self.open.len() - 1;
        let root = Root { block: self.open[level].block, level: level as u32 };
        for page in std::mem::take(&mut self.open) {
            self.write(page)?;
        }
        self.flush()?;
        let mut change = self.pages.change();
        let meta = change.lock(META_BLOCK)?;
        meta::read_root(change.page(meta))?;
        meta::set_root(change.page_mut(meta)?, root);
        change.commit()?;
        self.pages.note_root(root);
        self.ahead.iter().try_for_each(|&block| self.pages.note_free(block))?;
        Ok(root)
    }

    /// Ends the rightmost page of a level, and begins the next, which is for keys from `key` on.
    fn turn(&mut self, level: usize, key: &Key) -> Outcome<()> {
        let child = self.block_ahead()?;
        let mut ended = std::mem::replace(&mut self.open[level], Open::new(child, level as u32));
        node::set_right(&mut ended.image, key, child);
        if level + 1 == self.open.len() {
            let parent = self.block_ahead()?;
            self.open.push(Open::new(parent, level as u32 + 1));
            self.lead(level + 1, Downlink { key: Key::MIN, child: ended.block });
        }
        self.write(ended)?;
        if self.open[level + 1].items >= self.fill_inner {
            self.turn(level + 1, key)?;
        }
        self.lead(level + 1, Downlink { key: *key, child });
        Ok(())
    }

    fn lead(&mut self, level: usize, downlink: Downlink) {
        let page = &mut self.open[level];
        inner::insert(&mut page.image, page.items, page.items, &downlink);
        page.items += 1;
    }

    fn block_ahead(&mut self) -> Outcome<u32> {
        if let Some(block) = self.ahead.pop() {
            return Ok(block);
        }
        let mut change = self.pages.change();
        for _ in 0..PAGES_A_CHANGE {
            let (block, slot) = change.allocate()?;
            let owner = self.pages.next_transaction();
            let special = Special { kind: Kind::Free, next: NO_BLOCK, position: 0, owner, made_at: 0 };
            page::init(change.page_mut(slot)?, special);
            self.ahead.push(block);
        }
        change.commit()?;
        self.ahead.reverse();
        self.ahead.pop().ok_or_else(|| misused("a memory index is built of no blocks"))
    }

    fn write(&mut self, page: Open) -> Outcome<()> {
        self.full.push(page);
        match self.full.len() < PAGES_A_CHANGE {
            true => Ok(()),
            false => self.flush(),
        }
    }

    fn flush(&mut self) -> Outcome<()> {
        if self.full.is_empty() {
            return Ok(());
        }
        self.pages.tick()?;
        let mut change = self.pages.change();
        for page in self.full.drain(..) {
            let slot = change.lock(page.block)?;
            change.page_mut(slot)?[LSN_BYTES..].copy_from_slice(&page.image[LSN_BYTES..]);
        }
        change.commit()
    }
}

fn misused(message: &str) -> Fault {
    Fault::Error(Error::new(ErrorKind::Internal, message))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory_pages::MemoryPages;
    use crate::place::Place;
    use crate::tree::{Walk, check, create};

    fn built(records: &[(Key, Vec<u8>)], fill_percent: u8) -> MemoryPages {
        let pages = MemoryPages::new();
        create(&pages, [0; 16], b"").unwrap();
        let mut builder = Builder::new(&pages, fill_percent).unwrap();
        for (key, record) in records {
            builder.add(key, record).unwrap();
        }
        let root = builder.finish().unwrap();
        assert_eq!(root, Tree::open(&pages).unwrap().root());
        pages
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn a_built_tree_holds_its_records_and_takes_more(
            lengths in prop::collection::vec(prop_oneof![0..300usize, 0..=MAX_RECORD], 0..2_000),
            fill_percent in 1..=100u8,
        ) {
            let key = |row: usize| Key { memory: row as u128 / 100, place: Place { block: 2 * row as u32, offset: 1 } };
            let records: Vec<_> =
                lengths.iter().enumerate().map(|(row, &length)| (key(row), vec![row as u8; length])).collect();
            let pages = built(&records, fill_percent);
            let statistics = check(&pages).unwrap();
            prop_assert_eq!(statistics.records, records.len() as u64);
            prop_assert_eq!(statistics.missing_downlinks, 0);
            let tree = Tree::open(&pages).unwrap();
            for (key, _) in &records {
                let after = Key { place: Place { block: key.place.block + 1, offset: 1 }, ..*key };
                prop_assert!(!tree.insert(key, b"").unwrap());
                prop_assert!(tree.insert(&after, b"more").unwrap());
            }
            check(&pages).unwrap();
            let mut found = Vec::new();
            tree.leaves(&Key::MIN, |leaf| {
                for entry in leaf.entries() {
                    let (_, key, record) = entry?;
                    if key.place.block.is_multiple_of(2) {
                        found.push((key, record.to_vec()));
                    }
                }
                Ok(Walk::Go)
            }).unwrap();
            prop_assert_eq!(found, records);
        }
    }

    #[test]
    fn leaves_are_filled_as_requested() {
        let key = |row| Key { memory: 1, place: Place { block: row, offset: 1 } };
        let records: Vec<_> = (0..100_000).map(|row| (key(row), vec![1; 174])).collect();
        for fill_percent in [50, 90, 100] {
            let statistics = check(&built(&records, fill_percent)).unwrap();
            let bytes = statistics.levels[0].pages * CAPACITY as u64;
            let filled = 100 * (bytes - statistics.levels[0].free_bytes) / bytes;
            assert!(filled.abs_diff(u64::from(fill_percent)) <= 3, "{filled} for {fill_percent}");
        }
    }

    #[test]
    fn records_out_of_order_are_refused() {
        let pages = MemoryPages::new();
        create(&pages, [0; 16], b"").unwrap();
        let mut builder = Builder::new(&pages, 90).unwrap();
        builder.add(&Key::header(2), b"").unwrap();
        assert!(builder.add(&Key::header(2), b"").is_err());
        assert!(builder.add(&Key::header(1), b"").is_err());
        assert!(builder.add(&Key::header(3), &[0; MAX_RECORD + 1]).is_err());
    }

    #[test]
    fn a_tree_with_records_is_not_built_over() {
        let pages = MemoryPages::new();
        create(&pages, [0; 16], b"").unwrap();
        Tree::open(&pages).unwrap().insert(&Key::MIN, b"").unwrap();
        assert!(Builder::new(&pages, 90).is_err());
    }
}
