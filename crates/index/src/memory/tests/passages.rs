//! The nearest documents, if some have many codes: a document is as near as the nearest of its embeddings, with any
//! number of near ones, and in any part of the memory.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::documents::{NUMBERS, State, cosine, rotation, vector};
use super::world::{SMALL, Share, World, memory};
use crate::document::Document;
use crate::hashing::MemoryHash;
use crate::memory::bulk::{Embedded, Loader};
use crate::memory::contents::Contents;
use crate::memory::{check, sealing, tail, vacuum};
use crate::memory_pages::MemoryPages;
use crate::place::Place;
use crate::quantization::{Nearest, Query, encode};
use crate::tree::generated::{Random, empty_index};

/// A document of an index, and its cosine if it counts.
type Cosines = HashMap<u32, Option<f64>>;

/// The documents of an index that `cosine_of` knows by their places; it gives `None` for the others, and none within for
/// those that turn out not to count.
fn cosines_of(
    contents: &Contents<'_, MemoryPages>,
    mut cosine_of: impl FnMut(Place) -> Option<Option<f64>>,
) -> (Cosines, HashMap<u32, Place>) {
    let (mut cosines, mut places) = (HashMap::new(), HashMap::new());
    contents
        .each_place(&mut |number, place| {
            if let Some(cosine) = cosine_of(place).filter(|_| place.is_row()) {
                cosines.insert(number, cosine);
                places.insert(number, place);
            }
        })
        .unwrap();
    (cosines, places)
}

/// The `k` nearest of the documents that count, and all that are as near as the last of them, as a search finds them:
/// it computes the cosine of each named document once. Also returns the number of rounds.
fn find(contents: &Contents<'_, MemoryPages>, query: &Query, k: usize, cosines: &Cosines) -> (Vec<(u32, f64)>, usize) {
    let first = |part: usize| if part == 0 { 0 } else { contents.segments[part - 1].first };
    let mut spare = 0;
    for round in 1.. {
        let mut near = Nearest::with_spare(k, spare);
        let mut counted = |part, number| Some(first(part) + number).filter(|document| cosines.contains_key(document));
        contents.add_near(query, &mut near, &mut counted).unwrap();
        let mut named = HashSet::new();
        loop {
            let next = near.next(7).unwrap();
            if next.is_empty() {
                break;
            }
            for document in next {
                assert!(named.insert(document), "a document is named once, however many codes it has");
                near.learn(document, cosines[&document]).unwrap();
            }
        }
        if near.is_complete() {
            return (near.found(), round);
        }
        spare = 8 * spare.max(k);
    }
    unreachable!("with enough to spare no document is left")
}

/// The same documents, by the cosines of all.
fn by_scan(cosines: &Cosines, k: usize) -> Vec<(u32, f64)> {
    let counts = |(document, cosine): (&u32, &Option<f64>)| Some((*document, (*cosine)?));
    let mut all: Vec<(u32, f64)> = cosines.iter().filter_map(counts).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let least = all.get(k - 1).map_or(f64::NEG_INFINITY, |last| last.1);
    all.retain(|(_, cosine)| *cosine >= least);
    all
}

/// The cosine of a document: the greatest cosine of its embeddings. `None` if none can be compared.
fn nearest_of(asked: &[f32], embeddings: &[Vec<f32>]) -> Option<f64> {
    let comparable = embeddings.iter().filter(|embedding| embedding.len() == asked.len());
    comparable.map(|embedding| cosine(asked, embedding)).max_by(f64::total_cmp)
}

/// Compares the nearest by codes with those by embeddings. Codes of 8 dimensions never miss one. With more dimensions,
/// where signs alone decide which codes are read, one is missed now and then
/// ([`crate::quantization::FIRST_DEVIATIONS`]).
fn compare_found(contents: &Contents<'_, MemoryPages>, asked: &[f32], k: usize, cosines: &Cosines) -> (Share, usize) {
    let (found, rounds) = find(contents, &Query::new(asked).unwrap(), k, cosines);
    let expected = by_scan(cosines, k);
    if asked.len() == 8 {
        assert_eq!(found, expected, "the {k} nearest");
    }
    let hits = expected.iter().filter(|one| found.contains(one)).count();
    assert_eq!(HashSet::<u32>::from_iter(found.iter().map(|one| one.0)).len(), found.len(), "a document twice");
    (Share { found: hits, wanted: expected.len() }, rounds)
}

/// Checks that the nearest rows of a memory are found. Rows that are not live may be in the index, and do not count.
pub fn compare_nearest(pages: &MemoryPages, world: &mut World, memory: MemoryHash) {
    for dimensions in [8, 64] {
        let any = world.of(memory).flat_map(|row| &row.embeddings).find(|embedding| embedding.len() == dimensions);
        let near = any.cloned().filter(|embedding| embedding.iter().all(|value| value.abs() < 2.0));
        let asked = near.unwrap_or_else(|| vector(&mut world.random, dimensions));
        let contents = Contents::read(pages, memory, &mut |_| false).unwrap();
        let (cosines, _) = cosines_of(&contents, |place| {
            let row = world.rows.get(&(memory, place))?;
            let cosine = nearest_of(&asked, &row.embeddings)?;
            Some((row.state == State::Live).then_some(cosine))
        });
        for k in [1, 4, 20] {
            let (share, _) = compare_found(&contents, &asked, k, &cosines);
            if dimensions == 64 {
                world.by_signs.found += share.found;
                world.by_signs.wanted += share.wanted;
            }
        }
    }
}

/// Rows around a query: some with twenty embeddings nearer to it than all others, some with twenty nearly equal ones at
/// a random point, some with many random ones, most with one.
fn embeddings(random: &mut Random, asked: &[f32]) -> Vec<Vec<f32>> {
    let dimensions = asked.len();
    let near = |random: &mut Random, centre: &[f32], by: f32| -> Vec<f32> {
        centre.iter().map(|value| value + by * (random.below(2_001) as f32 / 1_000.0 - 1.0)).collect()
    };
    match random.below(12) {
        0 => (0..20).map(|_| near(random, asked, 0.002)).collect(),
        1 => (0..2 + random.below(19)).map(|_| near(random, asked, 0.3)).collect(),
        2 => {
            let centre = vector(random, dimensions);
            (0..20).map(|_| near(random, &centre, 0.001)).collect()
        }
        3 => (0..2 + random.below(19)).map(|_| vector(random, dimensions)).collect(),
        4 => Vec::new(),
        5 => vec![near(random, asked, 0.3)],
        _ => vec![vector(random, dimensions)],
    }
}

/// A memory of such rows, and the counts of its searches.
struct Memory {
    pages: Rc<MemoryPages>,
    random: Random,
    asked: Vec<f32>,
    rows: Vec<Vec<Vec<f32>>>,
    share: Share,
    /// Searches that needed more than one round.
    repeated: usize,
}

impl Memory {
    fn new(seed: u64, dimensions: usize) -> Memory {
        let mut random = Random(seed);
        let asked = vector(&mut random, dimensions);
        Memory { pages: Rc::new(empty_index()), random, asked, rows: Vec::new(), share: Share::default(), repeated: 0 }
    }

    /// The next row, without codes.
    fn row(&mut self) -> Document {
        let block = self.rows.len() as u32;
        self.rows.push(embeddings(&mut self.random, &self.asked));
        let numbers = vec![Some(self.random.below(1_000) as i64); NUMBERS];
        Document { place: Place { block, offset: 1 }, numbers, ..Document::default() }
    }

    fn load(&mut self, rows: usize) {
        let pages = Rc::clone(&self.pages);
        let mut loader = Loader::within(&*pages, NUMBERS, rotation, SMALL).unwrap();
        for _ in 0..rows {
            let document = self.row();
            let embeddings = self.rows.last().unwrap().clone();
            loader.add(memory(0), Embedded { document, embeddings }).unwrap();
        }
        loader.finish().unwrap();
    }

    fn insert(&mut self, rows: usize) {
        for _ in 0..rows {
            let document = self.row();
            let code = |embedding: &Vec<f32>| encode(&rotation(embedding.len()).unwrap(), embedding, None).unwrap();
            let codes = self.rows.last().unwrap().iter().map(code).collect();
            tail::insert(&*self.pages, memory(0), &Document { codes, ..document }).unwrap();
        }
    }

    fn seal(&self) {
        sealing::seal_within(&*self.pages, memory(0), NUMBERS, &SMALL).unwrap();
    }

    /// Removes one row in so many.
    fn vacuum(&mut self, one_in: u32) {
        let is_dead = |place: Place| place.block.is_multiple_of(one_in);
        vacuum::bulk_delete_within(&*self.pages, &SMALL, |_| (), is_dead).unwrap();
        for embeddings in self.rows.iter_mut().step_by(one_in as usize) {
            embeddings.clear();
        }
    }

    fn compare(&mut self) {
        check(&*self.pages).unwrap();
        let contents = Contents::read(&*self.pages, memory(0), &mut |_| false).unwrap();
        // One row in nine turns out late not to count.
        let cosine_of = |place: Place| {
            let cosine = nearest_of(&self.asked, &self.rows[place.block as usize])?;
            Some((place.block % 9 != 4).then_some(cosine))
        };
        let (cosines, places) = cosines_of(&contents, cosine_of);
        let has_codes = self.rows.iter().filter(|embeddings| !embeddings.is_empty()).count();
        assert_eq!((places.len(), cosines.len()), (has_codes, has_codes), "each row once");
        for k in [1, 2, 7, 30, 1_000] {
            let (share, rounds) = compare_found(&contents, &self.asked, k, &cosines);
            self.share.found += share.found;
            self.share.wanted += share.wanted;
            self.repeated += usize::from(rounds > 1);
        }
    }
}

fn compare_everywhere(seed: u64, dimensions: usize) -> (Share, usize) {
    let mut built = Memory::new(seed, dimensions);
    built.load(40 + seed as usize % 160);
    built.compare();
    let mut grown = Memory::new(seed + 1_000, dimensions);
    grown.insert(60);
    grown.compare();
    for one in [&mut built, &mut grown] {
        for _ in 0..12 {
            one.insert(8);
            one.seal();
            one.compare();
        }
        one.insert(9);
        one.vacuum(3);
        one.compare();
        vacuum::merge_segments_within(&*one.pages, &SMALL, |_| ()).unwrap();
        one.compare();
        one.vacuum(2);
        vacuum::merge_segments_within(&*one.pages, &SMALL, |_| ()).unwrap();
        one.compare();
    }
    let (one, other) = (built.share, grown.share);
    let share = Share { found: one.found + other.found, wanted: one.wanted + other.wanted };
    (share, built.repeated + grown.repeated)
}

#[test]
fn the_nearest_are_found_exactly_among_many_near_duplicates() {
    let mut repeated = 0;
    for seed in 0..4 {
        let (Share { found, wanted }, more) = compare_everywhere(seed, 8);
        assert_eq!(found, wanted);
        repeated += more;
    }
    assert!(repeated > 50, "rows that do not count seldom filled the reach: {repeated}");
}

#[test]
fn hardly_any_of_the_nearest_is_missed_by_signs() {
    for dimensions in [33, 64, 256] {
        let (mut all, mut repeated) = (Share::default(), 0);
        for seed in 0..2 {
            let (share, more) = compare_everywhere(seed, dimensions);
            all = Share { found: all.found + share.found, wanted: all.wanted + share.wanted };
            repeated += more;
        }
        assert!(all.found * 1_000 >= all.wanted * 995, "{all:?} of {dimensions} dimensions");
        assert!(repeated > 10, "{repeated} of {dimensions} dimensions");
    }
}
