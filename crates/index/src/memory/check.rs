//! Checks everything of an index that can be checked without its table, and returns all documents for a comparison with
//! the table.

use std::collections::HashSet;

use memory_search_core::error::out_of_memory;

use super::contents::Contents;
use super::header::{Header, SegmentEntry};
use super::restart::settled;
use super::tail::{self, Outside, Record};
use crate::blob::{Blob, PagedBytes};
use crate::document::{Document, DocumentView};
use crate::fault::{Outcome, damaged_content};
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::place::Place;
use crate::quantization::{Mean, dimensions_of, join, put_first};
use crate::segment::{NumberRange, Segment, documents_again};
use crate::tree::{self, Key, Statistics, Tree, Walk};

/// The contents of a sound index, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// Its pages by kind, and the tree.
    pub pages: Statistics,
    /// Memories that have a record.
    pub memories: u64,
    /// Memories that were ever sealed.
    pub sealed_memories: u64,
    /// Memories whose tail still holds sealed documents, because of a crash or an error: no damage.
    pub interrupted_seals: u64,
    /// Documents of tails that no segment holds.
    pub tail_documents: u64,
    /// Documents of tails that are too long for a page.
    pub outside_documents: u64,
    /// Bytes of these.
    pub outside_bytes: u64,
    /// Segments.
    pub segments: u64,
    /// Documents of segments, without the dead.
    pub segment_documents: u64,
    /// Documents of segments that are dead.
    pub dead_documents: u64,
    /// Bytes of segments.
    pub segment_bytes: u64,
    /// Pages of blobs that nothing points to, which VACUUM frees: no damage.
    pub unlinked_pages: u64,
}

/// Checks an index: the tree, that each memory can be read whole, the contents of documents, that no row is in it
/// twice, and that no page belongs to two blobs. A fault is an error (XX002). No session may change the index
/// meanwhile. Takes memory for one segment or tail, and for the ids of all blobs.
pub fn check(pages: &impl Pages) -> Outcome<Checked> {
    let mut check = Check { pages, found: Checked::default(), ids: HashSet::new(), linked: 0, numbers: None };
    check.found.pages = tree::check(pages)?;
    each_memory(pages, |memory| settled(check.memory(memory)))?;
    let mut found = check.found;
    // Each page of a blob carries its id, and no id is linked twice.
    found.unlinked_pages = found.pages.blob_pages.saturating_sub(check.linked);
    Ok(found)
}

/// Calls `each` with every document that is not dead, memory by memory in the order of their hashes. No process may
/// rebuild the index meanwhile. Takes memory for one segment or tail.
pub fn for_each_document(
    pages: &impl Pages,
    mut each: impl FnMut(MemoryHash, &Document) -> Outcome<()>,
) -> Outcome<()> {
    each_memory(pages, |memory| {
        let contents = Contents::read(pages, memory, &mut |_| false)?;
        for number in 0..contents.tail_documents() {
            let (place, _, document) = contents.tail_document(number)?;
            each(memory, &document.to_document(place))?;
        }
        for open in &contents.segments {
            let documents = settled(documents_again(&open.segment))?;
            documents.iter().try_for_each(|document| each(memory, document))?;
        }
        Ok(())
    })
}

fn each_memory(pages: &impl Pages, mut each: impl FnMut(MemoryHash) -> Outcome<()>) -> Outcome<()> {
    let tree = Tree::open(pages)?;
    let mut from = Some(Key::MIN);
    while let Some(key) = from {
        pages.tick()?;
        let mut memory = None;
        tree.leaves(&key, |leaf| match leaf.entries().next() {
            Some(entry) => {
                memory = Some(entry?.1.memory);
                Ok(Walk::Stop)
            }
            None => Ok(Walk::Go),
        })?;
        let Some(memory) = memory else { return Ok(()) };
        // A damaged page may give any memory.
        if memory < key.memory {
            return Err(damaged_content("its memories are not in order"));
        }
        each(memory)?;
        from = memory.checked_add(1).map(Key::header);
    }
    Ok(())
}

struct Check<'p, P: Pages> {
    pages: &'p P,
    found: Checked,
    /// The blobs that a header or a tail points to.
    ids: HashSet<u64>,
    /// Their pages.
    linked: u64,
    /// The number of numbers of every document.
    numbers: Option<usize>,
}

impl<'p, P: Pages> Check<'p, P> {
    fn memory(&mut self, memory: MemoryHash) -> Outcome<()> {
        let header = super::contents::header(self.pages, memory)?;
        self.found.memories += 1;
        self.found.sealed_memories += u64::from(header.is_some());
        let header = header.unwrap_or_default();
        self.found.interrupted_seals += u64::from(header.tail_holds_sealed);
        let mut places = HashSet::new();
        let mut sealed_last = HashSet::new();
        for (index, entry) in header.segments.iter().enumerate() {
            let is_last = index + 1 == header.segments.len();
            self.segment(entry, |place| {
                add(&mut places, place, "a row is in a memory twice")?;
                match header.tail_holds_sealed && is_last {
                    true => add(&mut sealed_last, place, ""),
                    false => Ok(()),
                }
            })?;
        }
        self.tail(memory, &header, &sealed_last, &mut places)
    }

    fn segment(&mut self, entry: &SegmentEntry, mut each: impl FnMut(Place) -> Outcome<()>) -> Outcome<()> {
        let blob = self.blob(entry.id, entry.root)?;
        let segment = Segment::open(blob)?;
        if segment.documents() != entry.documents {
            return Err(damaged_content("a segment has another number of documents than its memory's header says"));
        }
        self.same_numbers(segment.number_columns())?;
        check_extents(&segment)?;
        check_groups(&segment)?;
        check_ranges(&segment)?;
        let documents = documents_again(&segment)?;
        let before = |a: &Document, b: &Document| (&a.numbers, a.place) < (&b.numbers, b.place);
        if documents.windows(2).any(|pair| !before(&pair[0], &pair[1])) {
            return Err(damaged_content("the documents of a segment are not in order"));
        }
        if let Some(columns) = segment.ordered_by() {
            let of = |document: &Document| document.numbers.get(..columns).map(<[_]>::to_vec);
            let has_all = |document: &Document| of(document).is_some_and(|numbers| numbers.iter().all(Option::is_some));
            if !documents.iter().all(has_all) || documents.windows(2).any(|pair| of(&pair[0]) >= of(&pair[1])) {
                return Err(damaged_content("the documents of a segment are not ordered by the columns in its header"));
            }
        }
        for document in &documents {
            check_document(document)?;
            each(document.place)?;
        }
        self.found.segments += 1;
        self.found.segment_bytes += segment.length();
        self.found.segment_documents += documents.len() as u64;
        self.found.dead_documents += u64::from(segment.documents()) - documents.len() as u64;
        Ok(())
    }

    fn tail(
        &mut self,
        memory: MemoryHash,
        header: &Header,
        sealed_last: &HashSet<Place>,
        places: &mut HashSet<Place>,
    ) -> Outcome<()> {
        let (mut outside, mut numbers): (Vec<(Place, Outside)>, Vec<usize>) = Default::default();
        tail::each(self.pages, memory, |place, record, block| {
            let is_sealed = header.tail_holds_sealed && sealed_last.contains(&place);
            if !is_sealed {
                add(places, place, "a row is in a memory twice")?;
                self.found.tail_documents += 1;
            }
            match Record::read(record, block)? {
                Record::Within(bytes) => {
                    let document = DocumentView::new(bytes)?.to_document(place);
                    check_document(&document)?;
                    numbers.push(document.numbers.len());
                }
                Record::Outside(at) => outside.push((place, at)),
            }
            Ok(Walk::Go)
        })?;
        for (place, at) in outside {
            self.blob(at.id, at.root)?;
            let mut bytes = Vec::new();
            tail::read_outside(self.pages, at, &mut bytes)?;
            let document = DocumentView::new(&bytes)?.to_document(place);
            check_document(&document)?;
            numbers.push(document.numbers.len());
            self.found.outside_documents += 1;
            self.found.outside_bytes += bytes.len() as u64;
        }
        numbers.into_iter().try_for_each(|count| self.same_numbers(count))
    }

    /// Reads every page of a blob to which something points, and nothing else does.
    fn blob(&mut self, id: u64, root: u32) -> Outcome<Blob<'p, P>> {
        add(&mut self.ids, id, "two records point to the same pages")?;
        let blob = Blob::open(self.pages, root, id)?;
        for page in 0..blob.pages() {
            blob.read_page(page, |_| Ok(()))?;
        }
        self.linked += blob.all_pages();
        Ok(blob)
    }

    fn same_numbers(&mut self, count: usize) -> Outcome<()> {
        match *self.numbers.get_or_insert(count) == count {
            true => Ok(()),
            false => Err(damaged_content("documents have more or fewer numbers than others")),
        }
    }
}

/// Adds to a set what must not be there.
fn add<T: std::hash::Hash + Eq>(set: &mut HashSet<T>, one: T, twice: &str) -> Outcome<()> {
    set.try_reserve(1).map_err(|_| out_of_memory())?;
    match set.insert(one) {
        true => Ok(()),
        false => Err(damaged_content(twice)),
    }
}

/// Checks properties that reading a document does not check.
fn check_document(document: &Document) -> Outcome<()> {
    let rises = document.terms.is_sorted_by(|a, b| a < b) && document.lexemes.is_sorted_by(|(a, _), (b, _)| a < b);
    if !rises {
        return Err(damaged_content("the hashes of a document do not ascend"));
    }
    match document.codes.iter().all(|code| dimensions_of(code).is_some()) {
        true => Ok(()),
        false => Err(damaged_content("the code of an embedding cannot be read")),
    }
}

/// Checks that the extents of places have the least and the greatest block, and that a dead document is marked there.
fn check_extents<P: Pages>(segment: &Segment<Blob<'_, P>>) -> Outcome<()> {
    for extent in segment.all_extents()? {
        segment.places_of(&extent, |places| {
            let blocks = || places.iter().map(|(_, place)| place.block);
            let has_dead = places.iter().any(|(_, place)| !place.is_row());
            match blocks().min().zip(blocks().max()) == Some(extent.all_blocks()) && has_dead == extent.has_dead {
                true => Ok(()),
                false => Err(damaged_content("an extent of a segment does not match its places")),
            }
        })?;
    }
    Ok(())
}

/// Checks that the header of a segment has the least and the greatest number of each column.
fn check_ranges<P: Pages>(segment: &Segment<Blob<'_, P>>) -> Outcome<()> {
    for column in 0..segment.number_columns() {
        let numbers = segment.numbers(column)?;
        let least = numbers.iter().flatten().min();
        let is_true = NumberRange {
            numbers: least.zip(numbers.iter().flatten().max()),
            has_null: numbers.iter().any(|number| number.is_none()),
        };
        if numbers.documents() > 0 && segment.range(column)? != is_true {
            return Err(damaged_content("a column of a segment has other numbers than its header says"));
        }
    }
    Ok(())
}

/// Checks that the codes of each group, also of dead documents, have its dimensions and are in the order of their
/// documents, and that its mean has its dimensions.
fn check_groups<P: Pages>(segment: &Segment<Blob<'_, P>>) -> Outcome<()> {
    let codes = segment.codes()?;
    let groups = codes.groups()?;
    for group in &groups {
        let mean = group.mean.as_deref().map(Mean::from_bytes);
        let is_sound = mean.is_none_or(|mean| mean.is_some_and(|mean| mean.dimensions() == group.dimensions as usize));
        if !is_sound {
            return Err(damaged_content("the mean of a group of codes cannot be read"));
        }
    }
    let mut last = (0, 0);
    codes.each(|group, document, first, rest| {
        if last > (group, document) {
            return Err(damaged_content("the codes of a group are not in the order of their documents"));
        }
        last = (group, document);
        let code = join(groups[group].dimensions as usize, first, rest);
        // A first part has factors of its own, which follow from the whole code.
        let mut own = Vec::new();
        let mut is_first = |code: &Vec<u8>| put_first(code, &mut own) && own == first;
        match code.as_ref().is_some_and(|code| rest.is_empty() || is_first(code)) {
            true => Ok(()),
            false => Err(damaged_content("a code is not of its group, or its parts are of different codes")),
        }
    })
}
