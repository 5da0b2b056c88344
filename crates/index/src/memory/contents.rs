//! All that the index holds of one memory, as of one moment: what a search reads.

use memory_search_core::error::out_of_memory;

use super::header::Header;
use super::tail::{self, Record};
use crate::blob::Blob;
use crate::document::DocumentView;
use crate::fault::{Fault, Outcome};
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::place::Place;
use crate::quantization::{Estimate, Mean, Query};
use crate::segment::Segment;
use crate::segment::groups::{self, NUMBER_BYTES};
use crate::tree::{Key, Tree, Walk};

/// A document of the tail, copied.
#[derive(Debug, Clone, Copy)]
struct TailDocument {
    place: Place,
    /// What the caller said of the place while the page was held.
    mark: bool,
    start: usize,
    end: usize,
}

/// A segment of a memory, open.
pub struct OpenSegment<'p, P: Pages> {
    /// The number of its first document among those of the memory.
    pub first: u32,
    /// What it holds.
    pub segment: Segment<Blob<'p, P>>,
}

/// All that the index holds of one memory. Documents are numbered: first those of the tail, then of each segment.
pub struct Contents<'p, P: Pages> {
    tail: Vec<TailDocument>,
    bytes: Vec<u8>,
    /// The segments.
    pub segments: Vec<OpenSegment<'p, P>>,
}

impl<'p, P: Pages> Contents<'p, P> {
    /// Reads a memory. `mark` is asked about the place of each document of the tail while its page is held.
    ///
    /// The tail and the header are read at different moments: where the header changed meanwhile, all is read again.
    pub fn read(pages: &'p P, memory: MemoryHash, mark: &mut impl FnMut(Place) -> bool) -> Outcome<Contents<'p, P>> {
        loop {
            pages.tick()?;
            let before = header(pages, memory)?;
            let mut contents = Contents { tail: Vec::new(), bytes: Vec::new(), segments: Vec::new() };
            contents.read_tail(pages, memory, mark)?;
            if header(pages, memory)? != before {
                continue;
            }
            match contents.open_segments(pages, before.unwrap_or_default()) {
                Err(Fault::Moved) => {}
                Err(fault) => return Err(fault),
                Ok(()) => return Ok(contents),
            }
        }
    }

    fn read_tail(&mut self, pages: &P, memory: MemoryHash, mark: &mut impl FnMut(Place) -> bool) -> Outcome<()> {
        let mut outside = Vec::new();
        tail::each(pages, memory, |place, record, block| {
            let start = self.bytes.len();
            match Record::read(record, block)? {
                Record::Within(document) => {
                    self.bytes.try_reserve(document.len()).map_err(|_| out_of_memory())?;
                    self.bytes.extend_from_slice(document);
                }
                Record::Outside(at) => outside.push((self.tail.len(), at)),
            }
            self.tail.try_reserve(1).map_err(|_| out_of_memory())?;
            self.tail.push(TailDocument { place, mark: mark(place), start, end: self.bytes.len() });
            Ok(Walk::Go)
        })?;
        // Another page must not be read while one is held.
        for (document, at) in outside {
            let start = self.bytes.len();
            match tail::read_outside(pages, at, &mut self.bytes) {
                Ok(()) => {
                    self.tail[document].start = start;
                    self.tail[document].end = self.bytes.len();
                }
                // The row was removed, or sealed: then the header says so.
                Err(Fault::Moved) => self.tail[document].place = Place::NONE,
                Err(fault) => return Err(fault),
            }
        }
        self.tail.retain(|document| document.place.is_row());
        Ok(())
    }

    fn open_segments(&mut self, pages: &'p P, header: Header) -> Outcome<()> {
        let last = header.segments.len();
        for (index, entry) in header.segments.iter().enumerate() {
            let segment = Segment::open(Blob::open(pages, entry.root, entry.id)?)?;
            if header.tail_holds_sealed && index + 1 == last {
                let mut sealed = std::collections::HashSet::new();
                segment.places(|places| {
                    sealed.extend(places.iter().map(|(_, place)| place));
                    Ok(())
                })?;
                self.tail.retain(|document| !sealed.contains(&document.place));
            }
            self.segments.push(OpenSegment { first: 0, segment });
        }
        let mut first = self.tail.len() as u32;
        for open in &mut self.segments {
            open.first = first;
            first += open.segment.documents();
        }
        Ok(())
    }

    /// How many documents there are, dead ones included.
    pub fn documents(&self) -> u32 {
        self.segments.last().map_or(self.tail.len() as u32, |open| open.first + open.segment.documents())
    }

    /// How many of them are of the tail.
    pub fn tail_documents(&self) -> u32 {
        self.tail.len() as u32
    }

    /// A document of the tail, with its place and what the caller said of it.
    pub fn tail_document(&self, document: u32) -> Outcome<(Place, bool, DocumentView<'_>)> {
        let found = self.tail[document as usize];
        Ok((found.place, found.mark, DocumentView::new(&self.bytes[found.start..found.end])?))
    }

    /// Calls `each` with the place of every document; [`Place::is_row`] is false where it is dead.
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

    /// Calls `each` with how near every document is that has an embedding of the query's dimensions: its part (0 for the
    /// tail, then the segments), its number there, and the estimate. It must be short, for a page is held.
    pub fn estimates(&self, query: &Query, each: &mut impl FnMut(usize, u32, Estimate) -> Outcome<()>) -> Outcome<()> {
        if let Some(prepared) = query.against(None) {
            for number in 0..self.tail_documents() {
                let (_, _, document) = self.tail_document(number)?;
                if let Some(estimate) = document.code().and_then(|code| prepared.estimate(code)) {
                    each(0, number, estimate)?;
                }
            }
        }
        for (index, open) in self.segments.iter().enumerate() {
            estimates_of(open, index + 1, query, each)?;
        }
        Ok(())
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

fn estimates_of<P: Pages>(
    open: &OpenSegment<'_, P>,
    part: usize,
    query: &Query,
    each: &mut impl FnMut(usize, u32, Estimate) -> Outcome<()>,
) -> Outcome<()> {
    let mut prepared = Vec::new();
    for group in open.segment.groups()? {
        let mean = group.mean.as_deref().and_then(Mean::from_bytes);
        prepared.push(query.against(mean.as_ref()));
    }
    let documents = open.segment.documents();
    open.segment.codes(|group, items, stride| {
        let Some(Some(prepared)) = prepared.get(group as usize) else { return Ok(()) };
        if stride != NUMBER_BYTES + prepared.code_bytes() || items.is_empty() {
            return Ok(());
        }
        let mut result = Ok(());
        prepared.scan(&items[NUMBER_BYTES..], stride, |row, estimate| {
            if let (Some(estimate), Some((document, _)), true) =
                (estimate, groups::item(&items[row * stride..]), result.is_ok())
                && document < documents
            {
                result = each(part, document, estimate);
            }
        });
        result
    })
}

/// The header of a memory; `None` where it was never sealed.
pub fn header(pages: &impl Pages, memory: MemoryHash) -> Outcome<Option<Header>> {
    Tree::open(pages)?.get(&Key::header(memory), |bytes| Header::decode(bytes, 0))
}
