//! The check notices each kind of damage.

use super::generated::empty_index;
use super::inner::DOWNLINK_BYTES;
use super::key::KEY_BYTES;
use super::node::{Frame, ITEMS, init};
use super::{Builder, Key, Root, Tree, check};
use crate::fault::Fault;
use crate::memory_pages::MemoryPages;
use crate::page::{HEADER_BYTES, Page, SPECIAL};
use crate::pages::{Change, Pages};
use crate::place::Place;

/// A root with several leaves: the pages, the root, the block of the first leaf.
fn two_levels() -> (MemoryPages, Root, u32) {
    let pages = empty_index();
    let mut builder = Builder::new(&pages, 50).unwrap();
    for block in 0..100 {
        builder.add(&Key { memory: 1, place: Place { block, offset: 1 } }, &[1; 300]).unwrap();
    }
    let root = builder.finish().unwrap();
    assert_eq!(root.level, 1);
    let mut leaves = Vec::new();
    let tree = Tree::open(&pages).unwrap();
    tree.leaves(&Key::MIN, |leaf| {
        leaves.push(leaf.block());
        Ok(super::Walk::Go)
    })
    .unwrap();
    (pages, root, leaves[0])
}

/// The result of the check for an index whose root, or first leaf, was damaged.
fn said(of_root: bool, damage: impl FnOnce(&mut Page)) -> String {
    let (pages, root, leaf) = two_levels();
    check(&pages).unwrap();
    pages.damage(if of_root { root.block } else { leaf }, damage);
    match check(&pages) {
        Err(Fault::Error(error)) => error.message,
        other => panic!("{other:?}"),
    }
}

fn second_record(page: &Page) -> usize {
    usize::from(u16::from_le_bytes([page[ITEMS + 2], page[ITEMS + 3]]))
}

#[test]
fn damage_of_leaves_is_named() {
    assert!(said(false, |page| page[ITEMS..ITEMS + 4].rotate_left(2)).contains("do not rise"));
    let too_long = said(false, |page| {
        let length = usize::from(u16::from_le_bytes([page[ITEMS], page[ITEMS + 1]])) + KEY_BYTES;
        page[length] += 8;
    });
    assert!(too_long.contains("runs past its end"), "{too_long}");
    let overlapping = said(false, |page| {
        let length = second_record(page) + KEY_BYTES;
        page[length] += 8;
    });
    assert!(overlapping.contains("overlap"), "{overlapping}");
    let outside = said(false, |page| page[HEADER_BYTES..ITEMS].fill(0));
    assert!(outside.contains("outside of what it is for"), "{outside}");
    assert!(said(false, |page| page[12] += 1).contains("slots are cut off"));
    assert!(said(false, |page| page[SPECIAL + 4] = 1).contains("level"));
    assert!(said(false, |page| page[SPECIAL..SPECIAL + 4].fill(0)).contains("page of the tree"));
    assert!(said(false, |page| page.fill(0)).contains("empty"));
}

#[test]
fn damage_of_inner_pages_is_named() {
    // Downlinks of a built page are stored in their order from the end of the page.
    let link_bytes = DOWNLINK_BYTES - 1;
    let second = SPECIAL - 2 * link_bytes;
    let other_key = said(true, |page| page[second + KEY_BYTES - 1] += 1);
    assert!(other_key.contains("another key"), "{other_key}");
    let swapped = said(true, |page| {
        let (second, third) = (second + KEY_BYTES, second - link_bytes + KEY_BYTES);
        for byte in 0..4 {
            page.swap(second + byte, third + byte);
        }
    });
    assert!(swapped.contains("another key") || swapped.contains("order of their parents"), "{swapped}");
    assert!(said(true, |page| page[ITEMS] = 1).contains("least that it is for"));
    let twice = said(true, |page| page[ITEMS + 2] = page[ITEMS + 1]);
    assert!(twice.contains("do not rise"), "{twice}");
    assert!(said(true, |page| page[12] -= 1).contains("downlinks are cut off"));
    let unknown = said(true, |page| page[second + KEY_BYTES..second + link_bytes].fill(1));
    assert!(unknown.contains("do not lead to it"), "{unknown}");
}

#[test]
fn a_page_of_kind_tree_outside_of_the_tree_is_noticed() {
    let (pages, ..) = two_levels();
    let mut change = pages.change();
    let (_, slot) = change.allocate().unwrap();
    init(change.page_mut(slot).unwrap(), Frame { level: 0, right: None });
    change.commit().unwrap();
    assert!(matches!(check(&pages), Err(Fault::Error(error)) if error.message.contains("all pages of the tree")));
}
