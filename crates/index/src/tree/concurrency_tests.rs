//! Other processes act between any two page visits: a reader still sees every record exactly once that exists
//! throughout, and a writer loses nothing.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::generated::{Oracle, Random, empty_index, records};
use super::{Key, Root, Tree, Walk, check};
use crate::memory_pages::MemoryPages;
use crate::pages::Pages;

const ROWS: u64 = 400;

/// The records that the tree must hold now, and the keys that were removed since the last check.
struct World {
    oracle: Oracle,
    removed: BTreeSet<Key>,
    random: Random,
}

impl World {
    fn new(seed: u64) -> Rc<RefCell<World>> {
        Rc::new(RefCell::new(World { oracle: Oracle::new(), removed: BTreeSet::new(), random: Random(seed) }))
    }
}

/// Changes a record, with `may_remove` perhaps to nothing, and the world while the leaf is locked.
fn change_something(pages: &MemoryPages, world: &Rc<RefCell<World>>, root: Root, may_remove: bool) {
    let tree = Tree::at(pages, root);
    let (key, record, is_removal) = {
        let random = &mut world.borrow_mut().random;
        (random.key(ROWS), random.record(), random.below(6) == 0 && may_remove)
    };
    if is_removal {
        tree.change_leaves(&key, |leaf, gone| {
            let mut world = world.borrow_mut();
            for slot in (leaf.first()..leaf.count()).take(3) {
                gone.push(slot);
                let key = leaf.key(slot).unwrap();
                assert!(world.oracle.remove(&key).is_some(), "a record is met that was never put in");
                world.removed.insert(key);
            }
            Ok(Walk::Stop)
        })
        .unwrap();
        return;
    }
    tree.update(&key, |old| {
        let mut world = world.borrow_mut();
        assert_eq!(old, world.oracle.get(&key).map(Vec::as_slice), "another record than was last put in");
        world.oracle.insert(key, record.clone());
        Ok(Some(record))
    })
    .unwrap();
}

fn same(pages: &MemoryPages, world: &Rc<RefCell<World>>) {
    let tree = Tree::open(pages).unwrap();
    assert!(records(&tree, &Key::MIN).into_iter().eq(world.borrow().oracle.clone()));
    check(pages).unwrap();
}

#[test]
fn writers_between_the_steps_of_writers_lose_nothing() {
    for seed in 0..20 {
        let (pages, world) = (empty_index(), World::new(seed));
        let others = Rc::clone(&world);
        pages.between(move |pages| {
            let acts = others.borrow_mut().random.below(4) == 0;
            if acts {
                change_something(pages, &others, Root { block: 1, level: 0 }, true);
            }
        });
        for _ in 0..1_500 {
            change_something(&pages, &world, Root { block: 1, level: 0 }, true);
        }
        pages.alone();
        same(&pages, &world);
        assert!(check(&pages).unwrap().levels[0].pages > 20);
    }
}

#[test]
fn a_reader_sees_every_record_once_that_is_there_throughout() {
    let mut split = 0;
    for seed in 100..400 {
        let (pages, world) = (empty_index(), World::new(seed));
        for _ in 0..1 + seed % 300 {
            change_something(&pages, &world, Root { block: 1, level: 0 }, false);
        }
        let tree = Tree::open(&pages).unwrap();
        let others = Rc::clone(&world);
        pages.between(move |pages| {
            for _ in 0..5 {
                change_something(pages, &others, Root { block: 1, level: 0 }, true);
            }
        });
        let before = world.borrow().oracle.clone();
        let leaves = pages.blocks().unwrap();
        world.borrow_mut().removed.clear();
        let from = world.borrow_mut().random.key(ROWS);
        let seen: Vec<Key> = records(&tree, &from).into_iter().map(|(key, _)| key).collect();
        pages.alone();
        split += pages.blocks().unwrap() - leaves;
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "keys do not rise: one is met twice");
        let world = world.borrow();
        let lasting: BTreeSet<_> =
            before.range(from..).map(|(key, _)| *key).filter(|key| !world.removed.contains(key)).collect();
        let seen: BTreeSet<_> = seen.into_iter().collect();
        assert!(lasting.is_subset(&seen), "seed {seed}: {:?} missed", lasting.difference(&seen).count());
        let known =
            |key: &Key| before.contains_key(key) || world.oracle.contains_key(key) || world.removed.contains(key);
        assert!(seen.iter().all(known), "a record is met that was never put in");
    }
    assert!(split > 1_000, "hardly a page was split: {split}");
}

#[test]
fn a_vacuum_between_writers_offers_every_record_that_is_there_throughout() {
    for seed in 500..600 {
        let (pages, world) = (empty_index(), World::new(seed));
        for _ in 0..200 {
            change_something(&pages, &world, Root { block: 1, level: 0 }, false);
        }
        let before = world.borrow().oracle.clone();
        let others = Rc::clone(&world);
        pages.between(move |pages| {
            for _ in 0..5 {
                change_something(pages, &others, Root { block: 1, level: 0 }, false);
            }
        });
        let mut offered = BTreeSet::new();
        Tree::open(&pages)
            .unwrap()
            .change_leaves(&Key::MIN, |leaf, gone| {
                for entry in leaf.entries() {
                    let (slot, key, _) = entry?;
                    offered.insert(key);
                    if key.place.block.is_multiple_of(3) {
                        gone.push(slot);
                        world.borrow_mut().oracle.remove(&key);
                    }
                }
                Ok(Walk::Go)
            })
            .unwrap();
        pages.alone();
        assert!(before.keys().all(|key| offered.contains(key)));
        same(&pages, &world);
    }
}
