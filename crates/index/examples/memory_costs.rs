//! What changing and reading one memory costs over pages in memory: a row, a seal, a merge, a search's first reading.
//!
//! `cargo run --release -p memory-search-index --features memory_pages --example memory_costs [DIMENSIONS]`
//! adds rows of eighteen words, five terms and six numbers, with embeddings of 256 dimensions.

use std::time::{Duration, Instant};

use memory_search_core::text::document::Occurrences;
use memory_search_index::document::Document;
use memory_search_index::fault::Outcome;
use memory_search_index::memory::contents::{Contents, header};
use memory_search_index::memory::{LIMITS, check, sealing, tail, vacuum};
use memory_search_index::memory_pages::MemoryPages;
use memory_search_index::place::Place;
use memory_search_index::quantization::{Rotation, encode};
use memory_search_index::tree;

const NUMBERS: usize = 6;
const MEMORY: u128 = 1 << 90;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// One of many words, of which few are frequent.
    fn word(&mut self) -> u64 {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        (60_000_f64.powf(share) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

fn document(random: &mut Random, number: u64, rotation: &Rotation) -> Document {
    let mut hashes: Vec<u64> = (0..18).map(|_| random.word()).collect();
    hashes.sort_unstable();
    hashes.dedup();
    let mut terms: Vec<u64> = (0..5).map(|of| (of << 60) | (random.next() % 20)).collect();
    terms.sort_unstable();
    let vector: Vec<f32> = (0..rotation.dimensions()).map(|_| (random.next() % 2_001) as f32 - 1_000.0).collect();
    let time = 1_700_000_000_000_000 + number as i64 * 1_000_000;
    Document {
        place: Place { block: (number / 12) as u32, offset: (number % 12) as u16 + 1 },
        numbers: (0..NUMBERS as i64).map(|column| (column < 3).then_some(time + column)).collect(),
        length: hashes.len() as u32,
        terms,
        lexemes: hashes.into_iter().map(|hash| (hash, Occurrences { by_weight: [1, 0, 0, 0] })).collect(),
        code: encode(rotation, &vector, None),
    }
}

fn timed<T>(run: impl FnOnce() -> Outcome<T>) -> (T, Duration) {
    let start = Instant::now();
    let result = run().expect("a sound index");
    (result, start.elapsed())
}

fn main() {
    let dimensions = std::env::args().nth(1).and_then(|argument| argument.parse().ok()).unwrap_or(256);
    let rotation = Rotation::new(dimensions).expect("a number of dimensions");
    let pages = MemoryPages::new();
    tree::create(&pages, [0; 16], b"").expect("an empty index");
    let (mut random, mut number) = (Random(1), 0);
    let (mut inserting, mut rows) = (Duration::ZERO, 0_u32);
    for _ in 0..2 * LIMITS.segments_of_a_size {
        for _ in 0..LIMITS.long_tail {
            let document = document(&mut random, number, &rotation);
            number += 1;
            inserting += timed(|| tail::insert(&pages, MEMORY, &document)).1;
            rows += 1;
        }
        let read = timed(|| Contents::read(&pages, MEMORY, &mut |_| false)).1;
        let commits = pages.commits();
        let sealing = timed(|| sealing::seal(&pages, MEMORY, NUMBERS)).1;
        let segments = timed(|| header(&pages, MEMORY)).0.map_or(0, |header| header.segments.len());
        println!(
            "read {read:>10.1?}   seal {sealing:>10.1?}   {:>3} records   {segments} segments after",
            pages.commits() - commits
        );
    }
    println!("insert {:.2?} a row", inserting / rows);
    let mut each_place = 0;
    let (contents, read) = timed(|| Contents::read(&pages, MEMORY, &mut |_| false));
    let walked = timed(|| contents.each_place(&mut |_, _| each_place += 1)).1;
    println!("read {read:.1?}, {each_place} places {walked:.1?}, check {:.1?}", timed(|| check(&pages)).1);
    let deleted = timed(|| vacuum::bulk_delete(&pages, |_| (), |place| place.block.is_multiple_of(3)));
    println!("bulk delete {:.1?} {:?}", deleted.1, deleted.0);
    println!(
        "merge {:.1?}, free {:.1?}",
        timed(|| vacuum::merge_segments(&pages, |_| ())).1,
        timed(|| vacuum::free_unlinked(&pages)).1
    );
    println!("{:?}", timed(|| check(&pages)).0);
}
