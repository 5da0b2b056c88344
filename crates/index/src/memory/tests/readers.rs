//! Tests of readers beside all other operations: a reader sees each row that exists throughout exactly once.

use std::collections::{HashMap, HashSet};

use super::documents::{NUMBERS, State, in_order};
use super::world::compare_at_the_end;
use super::world::{Others, SMALL, World, insert, let_act, load, memory};
use crate::memory::contents::Contents;
use crate::memory::restart::until_settled;
use crate::memory::{Limits, sealing, vacuum};

#[test]
fn a_reader_sees_every_row_once_that_is_there_throughout() {
    let (mut attempts, mut reads, mut gone) = (0, 0, 0);
    for seed in 0..60 {
        let (pages, world) = World::new(1_000 + seed);
        if seed % 3 == 0 {
            load(&pages, &world, 60).unwrap();
        }
        for number in 0..60 {
            insert(&pages, &world, memory(number % 3)).unwrap();
        }
        let_act(&pages, &world, Others::All, 2);
        for number in 0..40 {
            let memory = memory(number % 3);
            let live: HashMap<_, _> = {
                let mut world = world.borrow_mut();
                world.gone.clear();
                let live = world.of(memory).filter(|row| row.state == State::Live);
                live.map(|row| (row.document.place, row.version)).collect()
            };
            let documents = until_settled(&pages, |pages| {
                attempts += 1;
                Contents::read(pages, memory, &mut |_| false)?.all_documents()
            })
            .unwrap();
            reads += 1;
            let world = world.borrow();
            let mut seen = HashSet::new();
            for document in documents.into_iter().map(in_order) {
                assert!(seen.insert(document.place), "a row is seen twice");
                let is = world.rows.get(&(memory, document.place)).is_some_and(|row| row.document == document);
                let was = || world.gone.iter().any(|(of, row)| *of == memory && row.document == document);
                assert!(is || was(), "a document is seen that was never put in");
            }
            gone += world.gone.len();
            for row in world.of(memory).filter(|row| row.state == State::Live) {
                let throughout = live.get(&row.document.place) == Some(&row.version);
                assert!(!throughout || seen.contains(&row.document.place), "a row is missing that is there throughout");
            }
        }
        pages.alone();
        compare_at_the_end(&pages, &world);
    }
    assert!(attempts > reads + reads / 20 && gone > 1_000, "little happened: {attempts} of {reads}, {gone}");
}

#[test]
fn segments_are_unlisted_after_a_merge_that_was_cancelled_before_it_freed_a_page() {
    let (pages, world) = World::new(7);
    let memory = memory(1);
    let never = Limits { segments_of_a_size: usize::MAX, long_tail: 1, ..SMALL };
    for _ in 0..SMALL.segments_of_a_size {
        for _ in 0..20 {
            insert(&pages, &world, memory).unwrap();
        }
        sealing::seal_within(&pages, memory, NUMBERS, &never).unwrap();
    }
    let before = Contents::read(&pages, memory, &mut |_| false).unwrap();
    assert!(before.unlisted(&pages, memory).unwrap().is_empty());
    // Another segment changes nothing about those that were read.
    insert(&pages, &world, memory).unwrap();
    sealing::seal_within(&pages, memory, NUMBERS, &never).unwrap();
    assert_ne!(Contents::read(&pages, memory, &mut |_| false).unwrap().segments.len(), before.segments.len());
    assert!(before.unlisted(&pages, memory).unwrap().is_empty());
    let (documents, old) = (before.documents(), before.segments.len());
    // All pages of the old segments stay.
    for commits in 1.. {
        pages.crash_after(commits);
        let is_whole = vacuum::merge_segments_within(&pages, &SMALL, |_| ()).is_ok();
        world.borrow_mut().restart(&pages);
        let now = Contents::read(&pages, memory, &mut |_| false).unwrap();
        if now.segments.len() < old {
            assert!(!is_whole, "the merge ended");
            assert_eq!(before.all_documents().unwrap().len() as u32, documents, "the old segments are still there");
            assert_eq!(before.unlisted(&pages, memory).unwrap(), (0..old).collect::<Vec<_>>());
            assert!(now.unlisted(&pages, memory).unwrap().is_empty());
            return;
        }
        assert!(!is_whole, "nothing was merged");
    }
}
