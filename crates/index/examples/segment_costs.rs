//! What segments and records of documents cost: bytes a document, and times of building, merging and reading.
//!
//! `cargo run --release -p memory-search-index --example segment_costs [DOCUMENTS]` makes documents of random words,
//! which are as frequent as Zipf's law says, with five terms, six numbers and codes of 142 bytes.

use std::hint::black_box;
use std::time::{Duration, Instant};

use memory_search_core::filter::condition::{Comparison, Condition, TextField, TimeField};
use memory_search_core::text::document::Occurrences;
use memory_search_index::blob::BLOB_PAGE_BYTES;
use memory_search_index::document::{Document, DocumentView, Wanted, encode};
use memory_search_index::filter::{Layout, over_segment};
use memory_search_index::hashing::Hashes;
use memory_search_index::place::Place;
use memory_search_index::segment::{Group, InMemory, Segment, SegmentDocument, build, documents_again, merge};

const LEXEMES: usize = 18;
const VOCABULARY: usize = 60_000;
const CODE_BYTES: usize = 142;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        spread(self.0)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

fn spread(number: u64) -> u64 {
    let mixed = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Sums of 1 / rank: a word's share of a text.
fn shares() -> Vec<f64> {
    let mut sum = 0.0;
    (1..=VOCABULARY)
        .map(|rank| {
            sum += 1.0 / (rank as f64 + 2.7);
            sum
        })
        .collect()
}

fn document(random: &mut Random, shares: &[f64], number: u64) -> SegmentDocument {
    let total = shares[VOCABULARY - 1];
    let mut lexemes: Vec<(u64, Occurrences)> = Vec::new();
    while lexemes.len() < LEXEMES {
        let at = random.next() as f64 / u64::MAX as f64 * total;
        let hash = spread(shares.partition_point(|&share| share < at) as u64);
        match lexemes.iter_mut().find(|lexeme| lexeme.0 == hash) {
            Some(lexeme) => lexeme.1.by_weight[0] += 1,
            None => lexemes.push((hash, Occurrences { by_weight: [1, 0, 0, u16::from(random.below(6) == 0)] })),
        }
    }
    lexemes.sort_unstable_by_key(|lexeme| lexeme.0);
    let hashes = Hashes::new([0; 16]);
    let mut value = |column, of| hashes.value(column, random.below(of).to_string().as_bytes());
    let mut terms = vec![hashes.presence(1), value(1, 20), hashes.presence(2), value(2, 200), value(6, 5)];
    terms.sort_unstable();
    let created = 1_700_000_000_000_000 + (number * 37_000_000 + random.below(30_000_000)) as i64;
    let numbers = vec![Some(created), Some(number as i64), None, None, None, Some(random.below(101) as i64)];
    let code = (0..CODE_BYTES).map(|_| random.next() as u8).collect();
    let place = Place { block: (number / 6) as u32, offset: (number % 6 + 1) as u16 };
    let length = LEXEMES as u32;
    SegmentDocument { document: Document { place, numbers, length, terms, lexemes, code: Some(code) }, group: 0 }
}

/// The least time of several runs: what else the machine does only adds to it.
fn least<T>(runs: usize, mut work: impl FnMut() -> T) -> Duration {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn nanos(time: Duration, of: usize) -> f64 {
    time.as_nanos() as f64 / of as f64
}

fn documents(count: usize) -> Vec<SegmentDocument> {
    let (mut random, shares) = (Random(1), shares());
    (0..count).map(|number| document(&mut random, &shares, number as u64)).collect()
}

fn segments(count: usize) {
    let groups = [Group { dimensions: 256, mean: Some(vec![0; 516]) }];
    let mut all = documents(count);
    // As rows come: by place, which is not quite the order of their times.
    let start = Instant::now();
    let bytes = build(&mut all, &groups, 6).expect("documents that fit");
    println!("{count} documents: built in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let sorted = least(9, || build(&mut all, &groups, 6));
    println!("  again {:.1} ms", sorted.as_secs_f64() * 1e3);
    let codes = count.div_ceil(BLOB_PAGE_BYTES / (CODE_BYTES + 4)) * BLOB_PAGE_BYTES;
    println!("  {:.1} bytes a document without its code", (bytes.len() - codes) as f64 / count as f64);
    let paged = InMemory(&bytes);
    let segment = Segment::open(&paged).expect("what was built");
    println!("  open {:.0} ns", nanos(least(100, || Segment::open(&paged)), 1));
    for rank in [0, 2, 10, 100, 1_000, 20_000] {
        let hash = spread(rank);
        let mut found = 0;
        let time = least(20, || {
            found = segment
                .postings(hash, |document, found| {
                    black_box((document, found));
                })
                .expect("what was built")
        });
        println!(
            "  word {rank}: {found} postings, {:.0} ns, {:.2} ns each",
            nanos(time, 1),
            nanos(time, found.max(1) as usize)
        );
    }
    println!("  absent word {:.0} ns", nanos(least(100, || segment.postings(12_345, |_, _| ())), 1));
    let column = least(5, || segment.numbers(0).expect("what was built").iter().flatten().fold(0, |a, b| a ^ b));
    println!("  first column {:.2} ns a number", nanos(column, count));
    let mut places = 0;
    let time = least(5, || {
        segment.places(|page| {
            places += page.iter().map(|(_, at)| at.block as usize).sum::<usize>();
            Ok(())
        })
    });
    println!("  places {:.2} ns each", nanos(time, count));
    let layout = Layout::new(Hashes::new([0; 16])).with_time(TimeField::Creation, 0).with_text(TextField::UserId, 1);
    let after = Condition::Time(TimeField::Creation, Comparison::Greater, 1_700_000_000_000_000 + 37_000_000 * 99);
    let time = least(5, || over_segment(&after, &layout, &segment));
    println!("  filter by a time {:.2} ns a document", nanos(time, count));
    let of_user = Condition::Equals(TextField::UserId, "7".to_owned());
    let time = least(5, || over_segment(&of_user, &layout, &segment));
    println!("  filter by a text {:.2} ns a document", nanos(time, count));
    println!("  documents again {:.1} ms", least(9, || documents_again(&segment)).as_secs_f64() * 1e3);
    let eighth: Vec<Vec<u8>> = all
        .chunks(count.div_ceil(8))
        .map(|part| build(&mut part.to_vec(), &groups, 6).expect("documents that fit"))
        .collect();
    let paged: Vec<_> = eighth.iter().map(|bytes| InMemory(bytes)).collect();
    let opened: Vec<_> = paged.iter().map(|paged| Segment::open(paged).expect("what was built")).collect();
    println!("  merge of 8 {:.1} ms", least(9, || merge(&Vec::from_iter(&opened), &|| Ok(()))).as_secs_f64() * 1e3);
}

fn records() {
    let all = documents(512);
    let records: Vec<_> = all.iter().map(|one| encode(&one.document)).collect();
    let bytes: usize = records.iter().map(|record| record.len() - CODE_BYTES).sum();
    println!("records: {:.1} bytes a document without its code", bytes as f64 / records.len() as f64);
    println!(
        "  encode {:.0} ns",
        nanos(least(20, || all.iter().map(|one| encode(&one.document).len()).sum::<usize>()), 512)
    );
    let open = least(50, || {
        records.iter().flat_map(|record| DocumentView::new(record)).map(|view| view.length()).sum::<u32>()
    });
    println!("  open {:.1} ns", nanos(open, 512));
    let numbers = least(50, || {
        let views = records.iter().flat_map(|record| DocumentView::new(record));
        views.map(|view| view.number(0).unwrap_or(0) ^ view.number(5).unwrap_or(0)).fold(0, |a, b| a ^ b)
    });
    println!("  open and two numbers {:.1} ns", nanos(numbers, 512));
    for count in [1, 8, 64] {
        let mut hashes: Vec<u64> = (0..count).map(|rank| spread(3 + rank * rank * 2)).collect();
        hashes.sort_unstable();
        let wanted = Wanted::new(&hashes).expect("little memory");
        let mut found = 0_usize;
        let time = least(50, || {
            found = 0;
            for view in records.iter().flat_map(|record| DocumentView::new(record)) {
                view.find(&wanted, |which, occurrences| {
                    black_box((which, occurrences));
                    found += 1;
                });
            }
        });
        println!("  open and find {count} of 18: {:.1} ns, {:.2} found", nanos(time, 512), found as f64 / 512.0);
    }
}

fn main() {
    records();
    match std::env::args().nth(1).and_then(|count| count.parse().ok()) {
        Some(count) => segments(count),
        None => [512, 4_096, 100_000].into_iter().for_each(segments),
    }
}
