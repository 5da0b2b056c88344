//! An index with its table, the operations on both, and the comparison of both.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::documents::{NUMBERS, Row, State, in_order, rotation, row, with_codes};
use super::documents::{cosine, vector};
use crate::document::Document;
use crate::fault::Outcome;
use crate::hashing::MemoryHash;
use crate::memory::bulk::{Embedded, Loader};
use crate::memory::contents::Contents;
use crate::memory::{Limits, sealing, tail, vacuum};
use crate::memory::{check, for_each_document};
use crate::memory_pages::MemoryPages;
use crate::place::Place;
use crate::quantization::{Estimate, Query, is_unusual};
use crate::tree::generated::{Random, empty_index};

pub const MEMORIES: u64 = 5;

/// Limits so small that a short history reaches all of them.
pub const SMALL: Limits = Limits {
    long_tail: 6,
    sealed_at_once: 14,
    sealed_bytes: 6_000,
    segments_of_a_size: 3,
    merged_at_once: 40,
    merged_by_vacuum: 300,
    merged_bytes: 60_000,
    many_segments: 14,
    least_sealed: 5,
    group_documents: 4,
    clustered_bytes: 1 << 10,
    segment_documents: 12,
    segment_lexemes: 900,
    segment_code_bytes: 1_500,
};

pub fn memory(number: u64) -> MemoryHash {
    u128::from(number) << 100 | 7
}

/// The table, and the concurrent operations.
pub struct World {
    pub random: Random,
    pub rows: BTreeMap<(MemoryHash, Place), Row>,
    /// Rows that VACUUM has removed since this was last read.
    pub gone: Vec<(MemoryHash, Row)>,
    /// The number of operations on documents.
    pub operations: u64,
    /// Of the nearest documents that signs help to find, those that were found.
    pub by_signs: Share,
    free: Vec<Place>,
    places: u32,
    versions: u64,
    next_transaction: u64,
    running: Vec<u64>,
    /// The memory that VACUUM is alone with.
    alone: Option<MemoryHash>,
}

/// How many of the documents that are wanted were found.
#[derive(Debug, Clone, Copy, Default)]
pub struct Share {
    pub found: usize,
    pub wanted: usize,
}

pub type Shared = Rc<RefCell<World>>;

/// Processes that may run between the steps of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    Readers,
    /// Also processes that add rows, and seal memories other than this one and the one that VACUUM works on.
    Sealers(Option<MemoryHash>),
    /// And VACUUM.
    All,
}

impl World {
    pub fn new(seed: u64) -> (MemoryPages, Shared) {
        let world = World {
            random: Random(seed),
            rows: BTreeMap::new(),
            gone: Vec::new(),
            operations: 0,
            by_signs: Share::default(),
            free: Vec::new(),
            places: 0,
            versions: 0,
            next_transaction: 1,
            running: Vec::new(),
            alone: None,
        };
        (empty_index(), Rc::new(RefCell::new(world)))
    }

    pub fn any_memory(&mut self) -> MemoryHash {
        memory(self.random.below(MEMORIES))
    }

    /// A row at a free place, often one that another row had before.
    pub fn new_row(&mut self) -> Row {
        let place = match self.free.len() as u64 {
            free if free > 0 && self.random.below(3) > 0 => {
                let at = self.random.below(free) as usize;
                self.free.swap_remove(at)
            }
            _ => {
                self.places += 1;
                Place { block: self.places / 7 + (self.places % 3) * 70_000, offset: (self.places % 7) as u16 + 1 }
            }
        };
        self.versions += 1;
        row(&mut self.random, place, self.versions)
    }

    /// The rows of a memory.
    pub fn of(&self, memory: MemoryHash) -> impl Iterator<Item = &Row> {
        let last = Place { block: u32::MAX, offset: u16::MAX };
        self.rows.range((memory, Place::NONE)..=(memory, last)).map(|(_, row)| row)
    }

    fn begin(&mut self, pages: &MemoryPages) -> u64 {
        let transaction = self.next_transaction;
        self.next_transaction += 1;
        self.running.push(transaction);
        self.say_transactions(pages);
        transaction
    }

    fn end(&mut self, pages: &MemoryPages, transaction: u64) {
        self.running.retain(|running| *running != transaction);
        self.say_transactions(pages);
    }

    fn say_transactions(&self, pages: &MemoryPages) {
        let oldest = self.running.iter().min().unwrap_or(&self.next_transaction);
        pages.set_transactions(self.next_transaction, *oldest);
    }

    /// Recovers; all running operations are gone.
    pub fn restart(&mut self, pages: &MemoryPages) {
        pages.restart();
        self.running.clear();
        self.say_transactions(pages);
        for row in self.rows.values_mut().filter(|row| row.state == State::InFlight) {
            row.state = State::Dead;
        }
    }

    /// Deletes rows: some at random, or a whole memory's.
    pub fn delete(&mut self) {
        let memory = self.any_memory();
        let one_in = if self.random.below(8) == 0 { 1 } else { 2 + self.random.below(6) };
        let live = self.of(memory).filter(|row| row.state == State::Live);
        let keys: Vec<_> = live.map(|row| (memory, row.document.place)).collect();
        for key in keys {
            if self.random.below(one_in) == 0 {
                self.operations += 1;
                self.rows.get_mut(&key).unwrap().state = State::Dead;
            }
        }
    }
}

pub fn insert(pages: &MemoryPages, world: &Shared, memory: MemoryHash) -> Outcome<()> {
    let (row, transaction) = {
        let mut world = world.borrow_mut();
        let row = with_codes(world.new_row());
        let document = in_order(row.document.clone());
        let in_flight = Row { state: State::InFlight, document, ..row.clone() };
        assert!(world.rows.insert((memory, row.document.place), in_flight).is_none());
        world.operations += 1;
        (row, world.begin(pages))
    };
    tail::insert(pages, memory, &row.document)?;
    let mut world = world.borrow_mut();
    world.end(pages, transaction);
    world.rows.get_mut(&(memory, row.document.place)).unwrap().state = State::Live;
    Ok(())
}

pub fn seal(pages: &MemoryPages, world: &Shared, memory: MemoryHash) -> Outcome<()> {
    let transaction = world.borrow_mut().begin(pages);
    world.borrow_mut().operations += 1;
    sealing::seal_within(pages, memory, NUMBERS, &SMALL)?;
    world.borrow_mut().end(pages, transaction);
    Ok(())
}

/// A lock that prevents others from sealing a memory.
struct Alone(Shared);

impl Alone {
    fn with(world: &Shared, memory: MemoryHash) -> Alone {
        assert!(world.borrow_mut().alone.replace(memory).is_none(), "who is alone with one memory waits for another");
        Alone(Rc::clone(world))
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.0.borrow_mut().alone = None;
    }
}

/// Removes dead rows from the index, and frees their places for new rows.
pub fn bulk_delete(pages: &MemoryPages, world: &Shared) -> Outcome<()> {
    let dead: BTreeSet<Place> = {
        let mut world = world.borrow_mut();
        world.operations += 1;
        world.rows.values().filter(|row| row.state == State::Dead).map(|row| row.document.place).collect()
    };
    vacuum::bulk_delete_within(pages, &SMALL, |memory| Alone::with(world, memory), |place| dead.contains(&place))?;
    let mut world = world.borrow_mut();
    let keys: Vec<_> = world.rows.keys().filter(|(_, place)| dead.contains(place)).copied().collect();
    for key in keys {
        let row = world.rows.remove(&key).unwrap();
        world.free.push(key.1);
        world.gone.push((key.0, row));
    }
    Ok(())
}

pub fn clean_up(pages: &MemoryPages, world: &Shared) -> Outcome<()> {
    world.borrow_mut().operations += 1;
    vacuum::merge_segments_within(pages, &SMALL, |memory| Alone::with(world, memory))?;
    vacuum::free_unlinked(pages)?;
    Ok(())
}

/// Fills an empty index.
pub fn load(pages: &MemoryPages, world: &Shared, most: u64) -> Outcome<()> {
    let mut loader = Loader::within(pages, NUMBERS, rotation, SMALL)?;
    for number in 0..MEMORIES {
        let rows = world.borrow_mut().random.below(most);
        for _ in 0..rows {
            let mut world = world.borrow_mut();
            let row = world.new_row();
            world.operations += 1;
            let embedded = Embedded { document: row.document.clone(), embeddings: row.embeddings.clone() };
            loader.add(memory(number), embedded)?;
            world.rows.insert((memory(number), row.document.place), row);
        }
    }
    loader.finish()?;
    // The estimates by codes are checked before the rows get these codes.
    let mut world = world.borrow_mut();
    for number in 0..MEMORIES {
        compare_estimates(pages, &mut world, memory(number));
        for document in Contents::read(pages, memory(number), &mut |_| false)?.all_documents()? {
            let row = world.rows.get_mut(&(memory(number), document.place)).unwrap();
            assert_eq!(document.codes.len(), row.embeddings.len());
            row.document.codes = in_order(document).codes;
        }
    }
    Ok(())
}

/// Lets other processes act between two page visits, each time with a chance of one in `one_in`.
pub fn let_act(pages: &MemoryPages, world: &Shared, others: Others, one_in: u64) {
    let world = Rc::clone(world);
    pages.between(move |pages| {
        let (acts, memory, choice, is_alone) = {
            let mut world = world.borrow_mut();
            let memory = world.any_memory();
            (world.random.below(one_in) == 0, memory, world.random.below(12), world.alone == Some(memory))
        };
        let done = match (choice, others) {
            _ if !acts => return,
            (0..3, Others::Sealers(_) | Others::All) => insert(pages, &world, memory),
            (3..6, Others::Sealers(not)) if not != Some(memory) && !is_alone => seal(pages, &world, memory),
            (3..6, Others::All) => seal(pages, &world, memory),
            (6, Others::All) => {
                world.borrow_mut().delete();
                bulk_delete(pages, &world)
            }
            (7, Others::All) => clean_up(pages, &world),
            _ => {
                compare(pages, &world.borrow(), memory);
                Ok(())
            }
        };
        done.unwrap();
    });
}

/// Every live row is there once and as it was put in, and every other row was put in too.
pub fn compare(pages: &MemoryPages, world: &World, memory: MemoryHash) {
    let contents = Contents::read(pages, memory, &mut |_| false).unwrap();
    let mut seen: HashMap<Place, Document> = HashMap::new();
    for document in contents.all_documents().unwrap().into_iter().map(in_order) {
        let row = world.rows.get(&(memory, document.place)).expect("a document is there that was never put in");
        assert_eq!(document, row.document);
        assert!(seen.insert(document.place, document).is_none(), "a document is there twice");
    }
    for row in world.of(memory).filter(|row| row.state == State::Live) {
        assert!(seen.contains_key(&row.document.place), "a document is missing: {row:?}");
    }
    let mut places = 0;
    contents
        .each_place(&mut |number, place| {
            if place.is_row() {
                places += 1;
                assert!(seen.contains_key(&place));
                // Reading a page in this closure would hold two pages.
                assert!(number < contents.documents());
            }
        })
        .unwrap();
    assert_eq!(places, seen.len());
}

/// Checks that estimates by codes are near the values by embeddings.
pub fn compare_estimates(pages: &MemoryPages, world: &mut World, memory: MemoryHash) {
    for dimensions in [8, 64] {
        let asked = vector(&mut world.random, dimensions);
        let contents = Contents::read(pages, memory, &mut |_| false).unwrap();
        let mut places = HashMap::new();
        let mut note = |number, place| {
            places.insert(number, place);
        };
        contents.each_place(&mut note).unwrap();
        let first = |part: usize| if part == 0 { 0 } else { contents.segments[part - 1].first };
        let mut estimates: HashMap<Place, Vec<Estimate>> = HashMap::new();
        let mut each = |part: usize, number: u32, estimate: Estimate| {
            let place = places[&(first(part) + number)];
            if place.is_row() {
                estimates.entry(place).or_default().push(estimate);
            }
            Ok(())
        };
        contents.estimates(&Query::new(&asked).unwrap(), &mut each).unwrap();
        for row in world.of(memory) {
            let of_dimensions = row.embeddings.iter().filter(|embedding| embedding.len() == dimensions);
            let exact: Vec<f64> = of_dimensions.map(|embedding| cosine(&asked, embedding)).collect();
            let found = estimates.remove(&row.document.place).unwrap_or_default();
            if found.is_empty() && row.state != State::Live {
                continue;
            }
            assert_eq!(found.len(), exact.len(), "an estimate of each embedding");
            let is_of = |estimate: &Estimate, exact: f64| {
                let off = (f64::from(estimate.cosine) - exact).abs();
                off.is_nan() || off <= 6.0 * f64::from(estimate.error) + 0.001
            };
            for estimate in &found {
                assert!(exact.iter().any(|&exact| is_of(estimate, exact)), "{estimate:?} of {exact:?}");
            }
            for &exact in &exact {
                assert!(found.iter().any(|estimate| is_of(estimate, exact)), "{found:?} of {exact}");
            }
            let is_unusual = |embedding: &&Vec<f32>| embedding.len() == dimensions && is_unusual(embedding);
            let unusual = row.embeddings.iter().filter(is_unusual).count();
            assert_eq!(found.iter().filter(|estimate| estimate.upper().is_nan()).count(), unusual);
        }
        assert!(estimates.is_empty(), "estimates of rows that were never put in");
    }
}

/// At the end, the index holds exactly the rows of the table.
pub fn compare_at_the_end(pages: &MemoryPages, world: &Shared) {
    world.borrow_mut().restart(pages);
    bulk_delete(pages, world).unwrap();
    clean_up(pages, world).unwrap();
    let checked = check(pages).unwrap();
    let world = world.borrow();
    assert_eq!(checked.unlinked_pages, 0, "{checked:?}");
    assert_eq!(checked.pages.empty_pages, 0);
    assert_eq!(checked.tail_documents + checked.segment_documents, world.rows.len() as u64);
    let mut rows = world.rows.iter();
    let mut last: Option<MemoryHash> = None;
    let mut documents: Vec<Document> = Vec::new();
    for_each_document(pages, |memory, document| {
        if last != Some(memory) {
            compare_in_order(&mut rows, &mut documents);
            last = Some(memory);
        }
        documents.push(in_order(document.clone()));
        Ok(())
    })
    .unwrap();
    compare_in_order(&mut rows, &mut documents);
    assert!(rows.next().is_none());
}

fn compare_in_order<'a>(
    rows: &mut impl Iterator<Item = (&'a (MemoryHash, Place), &'a Row)>,
    documents: &mut Vec<Document>,
) {
    documents.sort_by_key(|document| document.place);
    for document in documents.drain(..) {
        assert_eq!(Some(&document), rows.next().map(|(_, row)| &row.document));
    }
}
