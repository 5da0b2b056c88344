//! Damaged pages: every operation ends, with a result or an error that says what to do.

use memory_search_core::ErrorKind;

use super::documents::{NUMBERS, rotation, vector};
use super::world::{MEMORIES, SMALL, World, insert, load, memory, seal};
use crate::bitset::Bitset;
use crate::fault::{Fault, Outcome};
use crate::hashing::MemoryHash;
use crate::memory::contents::Contents;
use crate::memory::restart::until_settled;
use crate::memory::{check, for_each_document, sealing, tail, vacuum};
use crate::memory_pages::MemoryPages;
use crate::page::{HEADER_BYTES, NO_BLOCK, PAGE_BYTES, SPECIAL};
use crate::pages::Pages;
use crate::place::Place;
use crate::quantization::Query;
use crate::tree::generated::Random;
use crate::tree::{Key, Tree};

/// An index with built and sealed segments, tails, documents in blobs of their own, and an interrupted seal.
fn sound(seed: u64) -> MemoryPages {
    let (pages, world) = World::new(seed);
    load(&pages, &world, 60).unwrap();
    for number in 0..120 {
        insert(&pages, &world, memory(number % MEMORIES)).unwrap();
        if number % 20 == 0 {
            seal(&pages, &world, memory(number % 3)).unwrap();
        }
    }
    for _ in 0..8 {
        insert(&pages, &world, memory(1)).unwrap();
    }
    let commits = 1 + seed % 3;
    pages.crash_after(commits);
    assert!(seal(&pages, &world, memory(1)).is_err());
    world.borrow_mut().restart(&pages);
    pages
}

fn damage(pages: &MemoryPages, random: &mut Random) {
    let blocks = u64::from(pages.blocks().unwrap());
    for _ in 0..1 + random.below(2) {
        let block = random.below(blocks) as u32;
        let mut other = [0; 4];
        other.copy_from_slice(&match random.below(3) {
            0 => (random.next() as u32).to_le_bytes(),
            1 => NO_BLOCK.to_le_bytes(),
            _ => (random.below(blocks) as u32).to_le_bytes(),
        });
        let source = pages.read(random.below(blocks) as u32, |page| Ok(*page)).unwrap();
        pages.damage(block, |page| match random.below(12) {
            0 => page.fill(0),
            1 => *page = source,
            2 => page[SPECIAL..SPECIAL + 4].copy_from_slice(&other),
            3 => page[SPECIAL + 4..SPECIAL + 16].copy_from_slice(&source[SPECIAL + 4..SPECIAL + 16]),
            4 | 5 => {
                let at = HEADER_BYTES + random.below((SPECIAL - HEADER_BYTES - 4) as u64) as usize;
                page[at..at + 4].copy_from_slice(&other);
            }
            6 => {
                // Mostly in bytes that matter: the first ones, and the records at the end.
                let at = HEADER_BYTES + random.below(200) as usize;
                page[at] ^= 1 << random.below(8);
            }
            7 => {
                let from = SPECIAL - random.below(400) as usize - 1;
                page[from] ^= 1 << random.below(8);
            }
            _ => {
                for _ in 0..1 + random.below(6) {
                    page[random.below(PAGE_BYTES as u64) as usize] = random.next() as u8;
                }
            }
        });
    }
}

/// Counts the operations that ended with damage.
struct Met(u64);

impl Met {
    fn take<T>(&mut self, what: &str, outcome: Outcome<T>) -> Option<T> {
        match outcome {
            Ok(value) => return Some(value),
            Err(Fault::Moved) => panic!("{what} ends with a page that moved"),
            Err(Fault::Error(error)) => {
                self.0 += 1;
                let expected =
                    matches!(error.kind, ErrorKind::IndexCorrupted | ErrorKind::Unsupported | ErrorKind::LimitExceeded);
                assert!(expected && error.hint.is_some(), "{what}: {error:?}");
            }
        }
        None
    }
}

/// Reads everything that a search may read of a memory.
fn read(pages: &MemoryPages, memory: MemoryHash, query: &Query) -> Outcome<()> {
    let contents =
        Contents::read(pages, memory, &mut |_| false).inspect_err(|fault| assert_ne!(*fault, Fault::Moved))?;
    let mut places = 0;
    contents.each_place(&mut |_, _| places += 1)?;
    assert_eq!(places, contents.documents());
    contents.estimates(query, &mut |part, number, estimate| {
        assert!(part <= contents.segments.len() && number < contents.documents());
        let _ = (estimate.upper(), estimate.lower());
        Ok(())
    })?;
    for document in 0..contents.documents().min(300) {
        contents.place(document)?;
    }
    for number in 0..contents.tail_documents() {
        let (_, _, document) = contents.tail_document(number)?;
        assert!(document.lexemes().count() < PAGE_BYTES * 1_000);
    }
    for open in &contents.segments {
        let mut set = Bitset::empty(open.segment.documents())?;
        for hash in 0..30_u64 {
            open.segment.postings(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15), |document, _| {
                assert!(document < open.segment.documents());
            })?;
            open.segment.documents_with(hash << 40, &mut set)?;
        }
        for column in 0..NUMBERS {
            let _ = open.segment.numbers(column)?.iter().count();
        }
        let _ = open.segment.lengths()?.iter().count();
    }
    contents.all_documents()?;
    Ok(())
}

fn use_all(pages: &MemoryPages, random: &mut Random) -> u64 {
    let mut met = Met(0);
    let query = Query::new(&vector(random, 8)).unwrap();
    met.take("check", check(pages));
    for number in 0..MEMORIES {
        met.take("read", until_settled(pages, |pages| read(pages, memory(number), &query)));
    }
    met.take("all documents", for_each_document(pages, |_, _| Ok(())));
    for number in 0..MEMORIES {
        let row = super::documents::row(random, Place { block: 4_000_000, offset: number as u16 + 1 }, 0);
        met.take("insert", tail::insert(pages, memory(number), &super::documents::with_codes(row).document));
        met.take("length", tail::is_long(pages, memory(number)));
        met.take("seal", sealing::seal_within(pages, memory(number), NUMBERS, &SMALL));
    }
    met.take(
        "bulk delete",
        vacuum::bulk_delete(
            pages,
            |_| (),
            |place| (place.block.wrapping_add(u32::from(place.offset))).is_multiple_of(3),
        ),
    );
    met.take("merge", vacuum::merge_segments_within(pages, &SMALL, |_| ()));
    met.take("free", vacuum::free_unlinked(pages));
    met.take("check", check(pages));
    met.0
}

#[test]
fn damaged_pages_end_in_a_result_or_an_error() {
    let (indexes, mut random) = ([sound(1), sound(2), sound(3)], Random(9));
    assert!(rotation(8).is_some());
    let mut met = 0;
    for round in 0..3_000 {
        let pages = indexes[round % indexes.len()].copy();
        damage(&pages, &mut random);
        met += u64::from(use_all(&pages, &mut random) > 0);
    }
    assert!(met > 1_000, "little damage was noticed: {met}");
}

#[test]
fn an_index_without_damage_is_used_without_errors() {
    for seed in 1..4 {
        assert_eq!(use_all(&sound(seed), &mut Random(1)), 0);
    }
}

#[test]
fn a_second_header_of_a_memory_is_damage() {
    let pages = sound(1);
    let tree = Tree::open(&pages).unwrap();
    let header = tree.get(&Key::header(memory(1)), |record| Ok(record.to_vec())).unwrap().unwrap();
    let behind = Key { memory: memory(1), place: Place { block: u32::MAX, offset: 0 } };
    assert!(tree.insert(&behind, &header).unwrap());
    match Contents::read(&pages, memory(1), &mut |_| true).map(|contents| contents.documents()) {
        Err(Fault::Error(error)) => assert_eq!(error.kind, ErrorKind::IndexCorrupted),
        other => panic!("{other:?}"),
    }
}
