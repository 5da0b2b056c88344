//! Prints what an index over pages in memory costs: time to add a row and to build, bytes a row, time of a search.
//!
//! ```sh
//! cargo run --release -p memory-search-index --example index_speed -- [ROWS]
//! ```
//!
//! Rows have 30 words, of which few are frequent, a tag, a time, and an embedding of 256 dimensions near one of 40
//! centres. Times are the mean of a run over all rows, and the least of several for searches.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

use memory_search_index::document::{Document, Occurrences};
use memory_search_index::fault::Outcome;
use memory_search_index::hashing::{Hashes, MemoryHash};
use memory_search_index::memory::bulk::{Embedded, Loader};
use memory_search_index::memory::contents::Contents;
use memory_search_index::memory::{check, sealing, tail};
use memory_search_index::memory_pages::MemoryPages;
use memory_search_index::page::PAGE_BYTES;
use memory_search_index::pages::Pages;
use memory_search_index::place::Place;
use memory_search_index::quantization::{Nearest, Query, Rotation, encode};
use memory_search_index::tree;

const DIMENSIONS: usize = 256;
const WORDS: usize = 30;
const VOCABULARY: f64 = 20_000.0;
const CENTRES: u64 = 40;
const MEMORY: MemoryHash = 1;
const HASHES: [u8; 16] = [7; 16];

fn main() -> Result<(), Box<dyn Error>> {
    let rows: u32 = std::env::args().nth(1).map_or(Ok(20_000), |rows| rows.parse())?;
    let random = &mut Random(1);
    let rotation = Rc::new(Rotation::new(DIMENSIONS).ok_or("dimensions out of range")?);
    let all: Vec<(Document, Vec<f32>)> = (0..rows).map(|row| (document(random, row), vector(random))).collect();

    let added = MemoryPages::new();
    tree::create(&added, HASHES, b"")?;
    let start = Instant::now();
    for (document, embedding) in &all {
        let document = Document { codes: encode(&rotation, embedding, None).into_iter().collect(), ..document.clone() };
        if tail::insert(&added, MEMORY, &document)? && tail::is_long(&added, MEMORY)? {
            sealing::seal(&added, MEMORY, document.numbers.len())?;
        }
    }
    println!("add a row, seals and merges included   {:8.1} us", start.elapsed().as_secs_f64() * 1e6 / f64::from(rows));
    println!("bytes of pages a row                   {:8.0}", bytes(&added)? / f64::from(rows));

    let built = MemoryPages::new();
    tree::create(&built, HASHES, b"")?;
    let start = Instant::now();
    let mut loader = Loader::new(&built, 1, |_| Some(Rc::clone(&rotation)))?;
    for (document, embedding) in &all {
        loader.add(MEMORY, Embedded { document: document.clone(), embeddings: vec![embedding.clone()] })?;
    }
    loader.finish()?;
    println!("build, a row                           {:8.1} us", start.elapsed().as_secs_f64() * 1e6 / f64::from(rows));
    println!("bytes of pages a row                   {:8.0}", bytes(&built)? / f64::from(rows));

    for (name, pages) in [("added", &added), ("built", &built)] {
        println!("rows that were {name}, in {} segments:", check(pages)?.segments);
        for rank in [1, 100, 5_000] {
            let (time, found) = least(|| postings(pages, rank))?;
            println!("  rows of a word, {found:6} of them        {:8.1} us", time * 1e6);
        }
        let asked = vector(random);
        let (time, looked_at) = least(|| nearest(pages, &asked, &all))?;
        println!("  the 10 nearest, {looked_at:4} vectors compared   {:8.1} us", time * 1e6);
    }
    Ok(())
}

fn bytes(pages: &MemoryPages) -> Outcome<f64> {
    Ok(f64::from(pages.blocks()?) * PAGE_BYTES as f64)
}

/// Opens the memory and reads the rows that hold a word; says how many they are.
fn postings(pages: &MemoryPages, rank: u64) -> Outcome<usize> {
    let contents = Contents::read(pages, MEMORY, &mut |_| false)?;
    let mut found = 0;
    let word = lexeme(rank);
    for number in 0..contents.tail_documents() {
        found += contents.tail_document(number)?.2.lexemes().filter(|(hash, _)| *hash == word).count();
    }
    for open in &contents.segments {
        open.segment.postings(word, |document, occurrences| {
            black_box((document, occurrences));
            found += 1;
        })?;
    }
    Ok(found)
}

/// Finds the nearest; says of how many rows the exact cosine was needed.
fn nearest(pages: &MemoryPages, asked: &[f32], all: &[(Document, Vec<f32>)]) -> Outcome<usize> {
    let contents = Contents::read(pages, MEMORY, &mut |_| false)?;
    let mut near = Nearest::new(10);
    let first = |part: usize| if part == 0 { 0 } else { contents.segments[part - 1].first };
    let query = Query::new(asked).expect("a vector that is not zero");
    contents.add_near(&query, &mut near, &mut |part, number| Some(first(part) + number))?;
    let mut looked_at = 0;
    loop {
        let next = near.next(32)?;
        if next.is_empty() {
            black_box(near.found());
            return Ok(looked_at);
        }
        for number in next {
            looked_at += 1;
            let place = contents.place(number)?;
            near.learn(number, Some(cosine(asked, &all[place.block as usize].1)))?;
        }
    }
}

/// The least time of 15 runs, in seconds.
fn least(mut run: impl FnMut() -> Outcome<usize>) -> Outcome<(f64, usize)> {
    let mut least = (f64::MAX, 0);
    for _ in 0..15 {
        let start = Instant::now();
        let found = run()?;
        least = (start.elapsed().as_secs_f64().min(least.0), found);
    }
    Ok(least)
}

fn document(random: &mut Random, row: u32) -> Document {
    let mut lexemes: BTreeMap<u64, Occurrences> = BTreeMap::new();
    for _ in 0..WORDS {
        // Words have the frequencies of a language: the one of rank r comes about 1/r times.
        let rank = VOCABULARY.powf(random.below(1 << 20) as f64 / f64::from(1 << 20)) as u64;
        lexemes.entry(lexeme(rank)).or_default().by_weight[0] += 1;
    }
    let hashes = Hashes::new(HASHES);
    let mut terms = vec![hashes.presence(1), hashes.value(1, &[random.below(50) as u8])];
    terms.sort_unstable();
    Document {
        place: Place { block: row, offset: 1 },
        numbers: vec![Some(1_700_000_000_000_000 + i64::from(row) * 60_000_000)],
        length: lexemes.len() as u32,
        terms,
        lexemes: lexemes.into_iter().collect(),
        codes: Vec::new(),
    }
}

fn lexeme(rank: u64) -> u64 {
    Hashes::new(HASHES).lexeme(&rank.to_le_bytes())
}

/// A vector near one of the centres.
fn vector(random: &mut Random) -> Vec<f32> {
    let mut centre = Random(random.below(CENTRES) << 32);
    (0..DIMENSIONS).map(|_| centre.around_zero() + 0.7 * random.around_zero()).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| f64::from(a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>());
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % end
    }

    /// From -1 to 1.
    fn around_zero(&mut self) -> f32 {
        self.below(20_001) as f32 / 10_000.0 - 1.0
    }
}
