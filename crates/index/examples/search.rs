//! Puts some sentences into an index in memory, and searches them by words, by a tag and by meaning; then removes one.
//!
//! ```sh
//! cargo run -p memory-search-index --example search
//! ```
//!
//! The words are those between blanks, and the vectors count letters: real ones come from the crates
//! `memory-search-analyzer` and `memory-search-embedder`, or from others.

use std::collections::BTreeMap;

use memory_search_index::bitset::Bitset;
use memory_search_index::document::{Document, Occurrences, Wanted};
use memory_search_index::fault::Outcome;
use memory_search_index::hashing::{Hashes, MemoryHash};
use memory_search_index::memory::contents::Contents;
use memory_search_index::memory::{check, sealing, tail, vacuum};
use memory_search_index::memory_pages::MemoryPages;
use memory_search_index::place::Place;
use memory_search_index::quantization::{Nearest, Query, Rotation, encode};
use memory_search_index::{meta, tree};

/// A row of the table: its tag and its text. The row's number in the table is its place.
const ROWS: [(&str, &str); 6] = [
    ("food", "tea at four"),
    ("food", "the green tea is gone"),
    ("travel", "a train to lisbon at nine"),
    ("travel", "tea on the train"),
    ("work", "the server is slow"),
    ("work", "slow servers and slow trains"),
];

/// The column under which tags are hashed.
const TAG: u16 = 1;
const DIMENSIONS: usize = 26;

fn main() -> Outcome<()> {
    let pages = MemoryPages::new();
    // A real index has 16 random bytes: without them nobody can make two words with one hash.
    tree::create(&pages, [7; 16], b"")?;
    let hashes = Hashes::new(meta::read(&pages)?.key);
    let memory = hashes.memory(b"ann");
    let rotation = Rotation::new(DIMENSIONS).expect("a number of dimensions that is in range");

    for (row, (tag, text)) in (1..).zip(ROWS) {
        let document = document(&hashes, &rotation, row, tag, text);
        if tail::insert(&pages, memory, &document)? && tail::is_long(&pages, memory)? {
            sealing::seal(&pages, memory, document.numbers.len())?;
        }
    }

    println!("tea train    {:?}", by_words(&pages, memory, &hashes, &["tea", "train"], None)?);
    println!("tea, travel  {:?}", by_words(&pages, memory, &hashes, &["tea"], Some("travel"))?);
    println!("slow train   {:?} by meaning", by_meaning(&pages, memory, "slow train", 2)?);

    vacuum::bulk_delete(&pages, |_| (), |place| place.offset == 4)?;
    println!("tea train    {:?} without row 4", by_words(&pages, memory, &hashes, &["tea", "train"], None)?);
    println!("{} documents in a sound index", check(&pages)?.tail_documents);
    Ok(())
}

/// The index's document of a row.
fn document(hashes: &Hashes, rotation: &Rotation, row: u16, tag: &str, text: &str) -> Document {
    let mut lexemes: BTreeMap<u64, Occurrences> = BTreeMap::new();
    for word in text.split(' ') {
        lexemes.entry(hashes.lexeme(word.as_bytes())).or_default().by_weight[0] += 1;
    }
    let mut terms = vec![hashes.presence(TAG), hashes.value(TAG, tag.as_bytes())];
    terms.sort_unstable();
    Document {
        place: Place { block: 0, offset: row },
        numbers: Vec::new(),
        length: lexemes.len() as u32,
        terms,
        lexemes: lexemes.into_iter().collect(),
        codes: encode(rotation, &vector(text), None).into_iter().collect(),
    }
}

/// Rows with any of the words, those with most of them first; with a tag only those that have it.
fn by_words(
    pages: &MemoryPages,
    memory: MemoryHash,
    hashes: &Hashes,
    words: &[&str],
    tag: Option<&str>,
) -> Outcome<Vec<u16>> {
    let contents = Contents::read(pages, memory, &mut |_| false)?;
    let tag = tag.map(|tag| hashes.value(TAG, tag.as_bytes()));
    let mut wanted: Vec<u64> = words.iter().map(|word| hashes.lexeme(word.as_bytes())).collect();
    wanted.sort_unstable();
    let wanted = Wanted::new(&wanted)?;
    let mut found: BTreeMap<u32, usize> = BTreeMap::new();
    for number in 0..contents.tail_documents() {
        let (_, _, document) = contents.tail_document(number)?;
        if tag.is_none_or(|tag| document.has_term(tag)) {
            document.find(&wanted, |_, _| *found.entry(number).or_default() += 1);
        }
    }
    // Six rows make no segment; some hundreds do.
    for open in &contents.segments {
        let mut counted = Bitset::full(open.segment.documents())?;
        if let Some(tag) = tag {
            counted = Bitset::empty(open.segment.documents())?;
            open.segment.documents_with(tag, &mut counted)?;
        }
        for &word in wanted.hashes() {
            open.segment.postings(word, |document, _| {
                if counted.contains(document) {
                    *found.entry(open.first + document).or_default() += 1;
                }
            })?;
        }
    }
    let mut best = Vec::new();
    for (number, words) in found {
        best.push((words, contents.place(number)?));
    }
    best.sort_by_key(|&(words, place)| (usize::MAX - words, place));
    Ok(best.into_iter().filter(|(_, place)| place.is_row()).map(|(_, place)| place.offset).collect())
}

/// The `count` rows nearest to a text: the codes say which rows may be, exact vectors decide.
fn by_meaning(pages: &MemoryPages, memory: MemoryHash, text: &str, count: usize) -> Outcome<Vec<u16>> {
    let contents = Contents::read(pages, memory, &mut |_| false)?;
    let asked = vector(text);
    let query = Query::new(&asked).expect("a vector that is not zero");
    let mut near = Nearest::new(count);
    contents.add_near(&query, &mut near, &mut |part, number| match part {
        0 => Some(number),
        segment => Some(contents.segments[segment - 1].first + number),
    })?;
    loop {
        let next = near.next(16)?;
        if next.is_empty() {
            break;
        }
        for number in next {
            let place = contents.place(number)?;
            let row = ROWS.get(usize::from(place.offset).wrapping_sub(1));
            near.learn(number, row.map(|(_, text)| cosine(&asked, &vector(text))))?;
        }
    }
    near.found().into_iter().map(|(number, _)| contents.place(number).map(|place| place.offset)).collect()
}

/// The number of each letter in a text.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    for letter in text.bytes().filter(u8::is_ascii_lowercase) {
        vector[usize::from(letter - b'a')] += 1.0;
    }
    vector
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
