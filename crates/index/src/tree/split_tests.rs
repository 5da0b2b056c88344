//! Tests of splits: the share of pages that is filled, and the cost of a change.

use super::generated::{Random, empty_index};
use super::node::CAPACITY;
use super::{Key, MAX_RECORD, Tree, Walk, check};
use crate::memory_pages::MemoryPages;
use crate::place::Place;

/// The share of the leaves that is filled, in percent.
fn filled(pages: &MemoryPages) -> u64 {
    let leaves = &check(pages).unwrap().levels[0];
    100 - 100 * leaves.free_bytes / (leaves.pages * CAPACITY as u64)
}

fn row(memory: u128, block: u32) -> Key {
    Key { memory, place: Place { block, offset: 1 } }
}

#[test]
fn rising_records_fill_pages() {
    let pages = empty_index();
    let tree = Tree::open(&pages).unwrap();
    for block in 0..20_000 {
        tree.insert(&row(1, block), &[1; 174]).unwrap();
    }
    assert!(filled(&pages) >= 95, "{}", filled(&pages));
}

#[test]
fn records_that_rise_within_several_memories_at_once_fill_pages() {
    let pages = empty_index();
    let tree = Tree::open(&pages).unwrap();
    let memories = [5, 17, 3, 29, 11, 2, 23];
    for block in 0..5_000 {
        for memory in memories {
            tree.insert(&row(memory << 120, block), &[1; 174]).unwrap();
        }
    }
    assert!(filled(&pages) >= 90, "{}", filled(&pages));
}

#[test]
fn records_in_no_order_fill_three_fifths() {
    let (pages, mut random) = (empty_index(), Random(1));
    let tree = Tree::open(&pages).unwrap();
    for _ in 0..60_000 {
        tree.insert(&row(u128::from(random.next()) << 64, 1), &[1; 174]).unwrap();
    }
    assert!(filled(&pages) >= 60, "{}", filled(&pages));
}

#[test]
fn small_memories_that_grow_a_record_at_a_time_fill_three_fifths() {
    let (pages, mut random) = (empty_index(), Random(1));
    let tree = Tree::open(&pages).unwrap();
    let memories: Vec<_> = (0..10_000).map(|_| u128::from(random.next()) << 64).collect();
    for block in 0..5 {
        for &memory in &memories {
            tree.insert(&row(memory, block), &[1; 174]).unwrap();
        }
    }
    assert!(filled(&pages) >= 62, "{}", filled(&pages));
}

#[test]
fn an_insert_is_mostly_one_change() {
    let (pages, mut random) = (empty_index(), Random(2));
    let tree = Tree::open(&pages).unwrap();
    let before = pages.commits();
    for _ in 0..20_000 {
        tree.insert(&row(u128::from(random.next()) << 64, 1), &[1; 174]).unwrap();
    }
    let changes = pages.commits() - before;
    assert!(changes < 22_000, "{changes}");
}

/// A record of 174 random bytes takes 200 of a page.
#[test]
fn a_record_logs_little_more_than_itself_when_records_rise() {
    let (pages, mut random) = (empty_index(), Random(3));
    let tree = Tree::open(&pages).unwrap();
    let before = pages.logged_bytes();
    for block in 0..10_000 {
        for memory in [5, 17, 3, 29] {
            let record: Vec<u8> = (0..174).map(|_| random.next() as u8).collect();
            tree.insert(&row(memory << 120, block), &record).unwrap();
        }
    }
    let each = (pages.logged_bytes() - before) / 40_000;
    assert!(each < 215, "{each}");
}

#[test]
fn a_removal_of_nothing_changes_nothing() {
    let pages = empty_index();
    let tree = Tree::open(&pages).unwrap();
    for block in 0..1_000 {
        tree.insert(&row(1, block), &[1; 174]).unwrap();
    }
    let before = pages.commits();
    assert!(!tree.insert(&row(1, 7), b"other").unwrap());
    assert!(!tree.replace(&row(2, 7), b"other").unwrap());
    assert_eq!(tree.remove(&[row(2, 1), row(2, 2)]).unwrap(), 0);
    tree.change_leaves(&Key::MIN, |_, _| Ok(Walk::Go)).unwrap();
    assert_eq!(pages.commits(), before);
}

#[test]
fn a_record_as_long_as_can_be_fits_and_a_longer_one_is_refused() {
    let pages = empty_index();
    let tree = Tree::open(&pages).unwrap();
    for block in 0..100 {
        assert!(tree.insert(&row(1, block), &[1; MAX_RECORD]).unwrap());
    }
    assert!(tree.insert(&row(2, 1), &[1; MAX_RECORD + 1]).is_err());
    assert!(tree.replace(&row(1, 1), &[1; MAX_RECORD + 1]).is_err());
    assert_eq!(check(&pages).unwrap().records, 100);
}

#[test]
fn room_of_removed_records_is_used_again() {
    let pages = empty_index();
    let tree = Tree::open(&pages).unwrap();
    for round in 0..200 {
        for block in 0..100 {
            tree.insert(&row(1, block), &[round; 174]).unwrap();
        }
        let keys: Vec<_> =
            (0..100).filter(|block| block % 10 != u32::from(round) % 10).map(|block| row(1, block)).collect();
        tree.remove(&keys).unwrap();
    }
    assert!(check(&pages).unwrap().levels[0].pages <= 6);
}
