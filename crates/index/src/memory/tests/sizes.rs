//! The sizes of the parts of a memory within the limits that an index uses.

use super::documents::{NUMBERS, with_codes};
use super::world::{SMALL, World, memory};
use crate::memory::contents::{Contents, header};
use crate::memory::header::MAX_SEGMENTS;
use crate::memory::{LIMITS, Limits, check, sealing, tail, vacuum};
use crate::memory_pages::MemoryPages;
use crate::place::Place;

fn documents(pages: &MemoryPages) -> (u32, u32) {
    let contents = Contents::read(pages, memory(0), &mut |_| false).unwrap();
    (contents.documents(), contents.tail_documents())
}

#[test]
fn a_tail_that_an_inserter_finds_long_is_sealed() {
    let (pages, world) = World::new(1);
    let (mut longest, mut sealed) = (0, 0);
    for _ in 0..6_000 {
        let row = with_codes(world.borrow_mut().new_row());
        if tail::insert(&pages, memory(0), &row.document).unwrap() && tail::is_long(&pages, memory(0)).unwrap() {
            longest = documents(&pages).1.max(longest);
            sealing::seal(&pages, memory(0), NUMBERS).unwrap();
            assert_eq!(documents(&pages).1, 0);
            sealed += 1;
        }
    }
    assert_eq!(documents(&pages).0, 6_000);
    assert!(sealed >= 8 && longest < 1_200, "{sealed} seals, of {longest} at most");
    assert!(header(&pages, memory(0)).unwrap().unwrap().segments.len() < LIMITS.segments_of_a_size);
    check(&pages).unwrap();
}

#[test]
fn a_very_long_tail_is_sealed_bit_by_bit() {
    let (pages, world) = World::new(2);
    for _ in 0..9_000 {
        let row = with_codes(world.borrow_mut().new_row());
        tail::insert(&pages, memory(0), &row.document).unwrap();
    }
    for left in [9_000 - 4_096, 9_000 - 8_192, 0] {
        sealing::seal(&pages, memory(0), NUMBERS).unwrap();
        assert_eq!(documents(&pages), (9_000, left));
    }
}

#[test]
fn a_memory_that_no_vacuum_visits_merges_ever_larger_segments() {
    let limits = Limits { merged_at_once: 20, ..SMALL };
    let (pages, world) = World::new(3);
    let mut most = 0;
    for _ in 0..3_000 {
        let row = with_codes(world.borrow_mut().new_row());
        tail::insert(&pages, memory(0), &row.document).unwrap();
        sealing::seal_within(&pages, memory(0), NUMBERS, &limits).unwrap();
        most = most.max(header(&pages, memory(0)).unwrap().map_or(0, |header| header.segments.len()));
    }
    assert!(most <= limits.many_segments, "{most} segments");
    assert_eq!(documents(&pages).0, 3_000);
}

#[test]
fn a_header_that_is_full_leaves_rows_in_the_tail() {
    let never = Limits { segments_of_a_size: usize::MAX, long_tail: 1, ..SMALL };
    let (pages, world) = World::new(4);
    let rows = MAX_SEGMENTS as u32 + 30;
    for _ in 0..rows {
        let row = with_codes(world.borrow_mut().new_row());
        tail::insert(&pages, memory(0), &row.document).unwrap();
        sealing::seal_within(&pages, memory(0), NUMBERS, &never).unwrap();
    }
    assert_eq!(header(&pages, memory(0)).unwrap().unwrap().segments.len(), MAX_SEGMENTS);
    assert_eq!(documents(&pages), (rows, 30));
    sealing::seal_within(&pages, memory(0), NUMBERS, &SMALL).unwrap();
    assert!(header(&pages, memory(0)).unwrap().unwrap().segments.len() < 12);
}

#[test]
fn vacuum_rewrites_segments_that_are_mostly_dead_and_drops_dead_ones() {
    let (pages, world) = World::new(5);
    for row in 0..512 {
        let mut one = with_codes(world.borrow_mut().new_row());
        one.document.place = Place { block: row, offset: 1 };
        tail::insert(&pages, memory(0), &one.document).unwrap();
    }
    sealing::seal(&pages, memory(0), NUMBERS).unwrap();
    let old = header(&pages, memory(0)).unwrap().unwrap().segments[0];
    assert_eq!(vacuum::bulk_delete(&pages, |_| (), |place| place.block < 250).unwrap().removed, 250);
    vacuum::merge_segments(&pages, |_| ()).unwrap();
    assert_eq!(header(&pages, memory(0)).unwrap().unwrap().segments, [old], "less than half is dead");
    vacuum::bulk_delete(&pages, |_| (), |place| place.block < 300).unwrap();
    vacuum::merge_segments(&pages, |_| ()).unwrap();
    assert_eq!(check(&pages).unwrap().dead_documents, 0);
    assert_eq!(documents(&pages), (212, 0));
    vacuum::bulk_delete(&pages, |_| (), |_| true).unwrap();
    let checked = check(&pages).unwrap();
    assert_eq!((checked.segments, checked.pages.blob_pages), (0, 0));
}

#[test]
fn the_blob_of_a_long_document_is_freed_with_its_row() {
    let (pages, world) = World::new(9);
    for _ in 0..2_000 {
        let row = with_codes(world.borrow_mut().new_row());
        tail::insert(&pages, memory(0), &row.document).unwrap();
    }
    assert!(check(&pages).unwrap().pages.blob_pages > 0, "some are too long for a leaf");
    vacuum::bulk_delete(&pages, |_| (), |_| true).unwrap();
    assert_eq!(check(&pages).unwrap().pages.blob_pages, 0);
}

#[test]
fn a_reader_notices_a_freed_segment_and_reads_again() {
    let (pages, world) = World::new(6);
    for _ in 0..600 {
        let row = with_codes(world.borrow_mut().new_row());
        tail::insert(&pages, memory(0), &row.document).unwrap();
    }
    sealing::seal(&pages, memory(0), NUMBERS).unwrap();
    let held = Contents::read(&pages, memory(0), &mut |_| false).unwrap();
    vacuum::bulk_delete(&pages, |_| (), |_| true).unwrap();
    assert_eq!(held.all_documents(), Err(crate::fault::Fault::Moved));
    assert_eq!(documents(&pages), (0, 0));
}

#[test]
fn a_build_ends_a_segment_of_many_lexemes_early() {
    let (pages, world) = World::new(7);
    super::world::load(&pages, &world, 200).unwrap();
    let checked = check(&pages).unwrap();
    assert!(checked.segments > 0 && checked.tail_documents < 5 * SMALL.least_sealed as u64);
}

#[test]
fn leaves_that_a_seal_has_emptied_take_the_next_rows() {
    let (pages, world) = World::new(8);
    let leaves = |rows: u32| {
        for row in rows - 20_000..rows {
            let mut one = with_codes(world.borrow_mut().new_row());
            one.document.place = Place { block: row / 40, offset: (row % 40) as u16 + 1 };
            tail::insert(&pages, memory(0), &one.document).unwrap();
            if row % 600 == 0 {
                sealing::seal(&pages, memory(0), NUMBERS).unwrap();
            }
        }
        check(&pages).unwrap().pages.levels[0].pages
    };
    let (few, many) = (leaves(20_000), leaves(100_000));
    assert!(many <= few + few / 4 && many < 60, "{few} leaves, then {many}");
}

#[test]
fn without_random_numbers_nothing_is_sealed_and_the_memory_stays_as_it_is() {
    let (pages, world) = World::new(9);
    for _ in 0..600 {
        let row = with_codes(world.borrow_mut().new_row());
        tail::insert(&pages, memory(0), &row.document).unwrap();
    }
    pages.deny_ids(true);
    let refused = sealing::seal(&pages, memory(0), NUMBERS);
    assert!(matches!(refused, Err(crate::fault::Fault::Error(error)) if error.message.contains("random")));
    assert_eq!(documents(&pages), (600, 600));
    check(&pages).unwrap();
    pages.deny_ids(false);
    sealing::seal(&pages, memory(0), NUMBERS).unwrap();
    assert_eq!(documents(&pages), (600, 0));
}
