//! The whole contents of one memory, as of one moment, which a search reads.

use std::collections::HashSet;

use memory_search_core::error::out_of_memory;

use super::header::Header;
use super::tail::{self, Outside, Record};
use super::tail_key::{key_of, place_of};
use crate::blob::Blob;
use crate::document::record::has_several_codes;
use crate::document::{Document, DocumentView};
use crate::fault::{Fault, Outcome, damaged, damaged_content};
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::place::Place;
use crate::segment::{Segment, documents_again};
use crate::tree::{Key, LeafView, Tree, Walk};

/// A document of the tail, copied.
#[derive(Debug, Clone, Copy)]
struct TailDocument {
    place: Place,
    /// The caller's answer for the place, while the page was locked.
    mark: bool,
    start: usize,
    end: usize,
}

/// A segment of a memory, open.
pub struct OpenSegment<'p, P: Pages> {
    /// The number of its first document among those of the memory.
    pub first: u32,
    /// Its id. No other segment of the index ever has the same, and its documents do not change, except that they may
    /// become dead.
    pub id: u64,
    /// Its contents.
    pub segment: Segment<Blob<'p, P>>,
}

/// The whole contents of one memory. Documents are numbered: first the documents of the tail, then of each segment.
pub struct Contents<'p, P: Pages> {
    tail: Vec<TailDocument>,
    bytes: Vec<u8>,
    /// The segments.
    pub segments: Vec<OpenSegment<'p, P>>,
    /// The count of changes of the header that lists them; `None` if the memory has no header.
    changes: Option<u32>,
}

/// Other data that a walk over the records of a memory finds, apart from the documents of its tail.
#[derive(Default)]
struct Walked {
    header: Option<Header>,
    leaves: u32,
    /// The key of the last document.
    last: Option<Key>,
    /// Documents in blobs of their own, by their number in the tail.
    outside: Vec<(usize, Outside)>,
}

impl<'p, P: Pages> Contents<'p, P> {
    /// Reads a memory. Calls `mark` with the place of each document of the tail while its page is held.
    ///
    /// A header and a tail in one leaf are of one moment. If the tail continues in other leaves and the header has
    /// changed by its end, everything is read again. Never ends with [`Fault::Moved`]; later reads of the segments may.
    pub fn read(pages: &'p P, memory: MemoryHash, mark: &mut impl FnMut(Place) -> bool) -> Outcome<Contents<'p, P>> {
        let tree = Tree::open(pages)?;
        let mut moved: Option<Header> = None;
        loop {
            pages.tick()?;
            let mut contents = Contents { tail: Vec::new(), bytes: Vec::new(), segments: Vec::new(), changes: None };
            let walked = contents.walk(&tree, memory, mark)?;
            let has_all = contents.read_outside(pages, &tree, memory, &walked.outside)?;
            if (walked.leaves > 1 || !has_all) && header_in(&tree, memory)? != walked.header {
                continue;
            }
            contents.changes = walked.header.as_ref().map(|header| header.changes);
            let header = walked.header.unwrap_or_default();
            match contents.open_segments(pages, &header) {
                // Nothing points to a blob that is freed.
                Err(Fault::Moved) if moved.as_ref() == Some(&header) => {
                    return Err(damaged_content("a memory has a segment that is not there"));
                }
                Err(Fault::Moved) => moved = Some(header),
                Err(fault) => return Err(fault),
                Ok(()) => return Ok(contents),
            }
        }
    }

    fn walk(
        &mut self,
        tree: &Tree<'_, P>,
        memory: MemoryHash,
        mark: &mut impl FnMut(Place) -> bool,
    ) -> Outcome<Walked> {
        let mut walked = Walked::default();
        tree.leaves(&Key::header(memory), |leaf| {
            walked.leaves += 1;
            self.copy_leaf(leaf, memory, mark, &mut walked)
        })?;
        Ok(walked)
    }

    fn copy_leaf(
        &mut self,
        leaf: &LeafView<'_>,
        memory: MemoryHash,
        mark: &mut impl FnMut(Place) -> bool,
        walked: &mut Walked,
    ) -> Outcome<Walk> {
        for entry in leaf.entries() {
            let (_, key, record) = entry?;
            if key.memory != memory {
                return Ok(Walk::Stop);
            }
            if !key.place.is_row() {
                // Another one would be read again without end: it never equals that of a look-up.
                if walked.header.is_some() || walked.last.is_some() {
                    return Err(damaged(leaf.block(), "a memory has a header behind another record"));
                }
                walked.header = Some(Header::decode(record)?);
                continue;
            }
            if walked.last.replace(key).is_some_and(|last| last >= key) {
                return Err(damaged(leaf.block(), "its keys do not rise"));
            }
            let place = place_of(&key);
            let start = self.bytes.len();
            match Record::read(record, leaf.block())? {
                Record::Within(document) => {
                    self.bytes.try_reserve(document.len()).map_err(|_| out_of_memory())?;
                    self.bytes.extend_from_slice(document);
                }
                Record::Outside(at) => {
                    walked.outside.try_reserve(1).map_err(|_| out_of_memory())?;
                    walked.outside.push((self.tail.len(), at));
                }
            }
            self.tail.try_reserve(1).map_err(|_| out_of_memory())?;
            self.tail.push(TailDocument { place, mark: mark(place), start, end: self.bytes.len() });
        }
        Ok(Walk::Go)
    }

    /// Reads the documents in blobs of their own; returns whether all were still there. A missing one was sealed
    /// meanwhile, which the header shows, or removed: then it is left out.
    fn read_outside(
        &mut self,
        pages: &P,
        tree: &Tree<'_, P>,
        memory: MemoryHash,
        outside: &[(usize, Outside)],
    ) -> Outcome<bool> {
        let mut has_all = true;
        for &(document, at) in outside {
            let start = self.bytes.len();
            match tail::read_outside(pages, at, &mut self.bytes) {
                Ok(()) => (self.tail[document].start, self.tail[document].end) = (start, self.bytes.len()),
                Err(Fault::Moved) => {
                    let key = key_of(memory, self.tail[document].place);
                    let is_there = tree.get(&key, |record| Ok(Record::read(record, 0)? == Record::Outside(at)))?;
                    if is_there == Some(true) {
                        return Err(damaged(at.root, "it is not of the document whose record points to it"));
                    }
                    self.bytes.truncate(start);
                    self.tail[document].place = Place::NONE;
                    has_all = false;
                }
                Err(fault) => return Err(fault),
            }
        }
        if !has_all {
            self.tail.retain(|document| document.place.is_row());
        }
        Ok(has_all)
    }

    fn open_segments(&mut self, pages: &'p P, header: &Header) -> Outcome<()> {
        self.segments.try_reserve_exact(header.segments.len()).map_err(|_| out_of_memory())?;
        for entry in &header.segments {
            let segment = Segment::open(Blob::open(pages, entry.root, entry.id)?)?;
            self.segments.push(OpenSegment { first: 0, id: entry.id, segment });
        }
        if let Some(last) = self.segments.last().filter(|_| header.tail_holds_sealed) {
            let mut sealed = HashSet::new();
            sealed.try_reserve(last.segment.documents() as usize).map_err(|_| out_of_memory())?;
            last.segment.places(|places| {
                sealed.extend(places.iter().map(|(_, place)| place));
                Ok(())
            })?;
            self.tail.retain(|document| !sealed.contains(&document.place));
        }
        let mut first = self.tail.len() as u32;
        for open in &mut self.segments {
            open.first = first;
            let next = first.checked_add(open.segment.documents());
            first = next.ok_or_else(|| damaged_content("a memory has more documents than there are numbers"))?;
        }
        Ok(())
    }

    /// The segments, by their places among [`Contents::segments`], that the memory's header no longer lists. What a
    /// caller asked the visibility map about their rows may be wrong: VACUUM removes a dead row from the listed
    /// segments before it says that everybody sees the rows of a block, and segments that a cancelled merge replaced
    /// still have their pages.
    pub fn unlisted(&self, pages: &P, memory: MemoryHash) -> Outcome<Vec<usize>> {
        if self.segments.is_empty() {
            return Ok(Vec::new());
        }
        let header = header_in(&Tree::open(pages)?, memory)?;
        if header.as_ref().map(|header| header.changes) == self.changes {
            return Ok(Vec::new());
        }
        let listed: HashSet<u64> =
            header.into_iter().flat_map(|header| header.segments).map(|entry| entry.id).collect();
        Ok((0..self.segments.len()).filter(|at| !listed.contains(&self.segments[*at].id)).collect())
    }

    /// The number of documents, dead ones included.
    pub fn documents(&self) -> u32 {
        self.segments.last().map_or(self.tail.len() as u32, |open| open.first + open.segment.documents())
    }

    /// The number of documents of the tail.
    pub fn tail_documents(&self) -> u32 {
        self.tail.len() as u32
    }

    /// A document of the tail, with its place and the caller's answer for it.
    pub fn tail_document(&self, document: u32) -> Outcome<(Place, bool, DocumentView<'_>)> {
        let found = self.tail[document as usize];
        Ok((found.place, found.mark, DocumentView::new(&self.bytes[found.start..found.end])?))
    }

    /// Whether a document of the tail has several codes.
    pub fn has_tail_several_codes(&self) -> bool {
        self.tail.iter().any(|document| has_several_codes(&self.bytes[document.start..document.end]))
    }

    /// Calls `each` with the place of every document; [`Place::is_row`] is false if it is dead.
    pub fn each_place(&self, each: &mut impl FnMut(u32, Place)) -> Outcome<()> {
        for (number, document) in self.tail.iter().enumerate() {
            each(number as u32, document.place);
        }
        for open in &self.segments {
            open.segment.places(|places| {
                places.iter().for_each(|(document, place)| each(open.first + document, place));
                Ok(())
            })?;
        }
        Ok(())
    }

    /// All documents that are not dead, as they were put in: first the documents of the tail, then of each segment. For
    /// tests, and for checks of memories that are not large.
    pub fn all_documents(&self) -> Outcome<Vec<Document>> {
        let mut all = Vec::new();
        all.try_reserve(self.tail.len()).map_err(|_| out_of_memory())?;
        for number in 0..self.tail_documents() {
            let (place, _, document) = self.tail_document(number)?;
            all.push(document.to_document(place));
        }
        for open in &self.segments {
            let mut documents = documents_again(&open.segment)?;
            all.try_reserve(documents.len()).map_err(|_| out_of_memory())?;
            all.append(&mut documents);
        }
        Ok(all)
    }

    /// The place of a document.
    pub fn place(&self, document: u32) -> Outcome<Place> {
        let segment = match self.tail.get(document as usize) {
            Some(found) => return Ok(found.place),
            None => self.segments.partition_point(|open| open.first <= document).checked_sub(1),
        };
        let open = segment.and_then(|segment| self.segments.get(segment));
        let place = open.map(|open| open.segment.place(document - open.first)).transpose()?;
        Ok(place.flatten().unwrap_or(Place::NONE))
    }
}

/// The header of a memory; `None` if it was never sealed.
pub fn header(pages: &impl Pages, memory: MemoryHash) -> Outcome<Option<Header>> {
    header_in(&Tree::open(pages)?, memory)
}

fn header_in<P: Pages>(tree: &Tree<'_, P>, memory: MemoryHash) -> Outcome<Option<Header>> {
    tree.get(&Key::header(memory), Header::decode)
}
