//! The documents of the memories that count, and those that may be found: sets over the parts of the memories, made
//! from the index's data and the snapshot. Documents are numbered over all memories.

use std::ops::Range;

use memory_search_core::place::Place;
use memory_search_core::{Error, ErrorKind, error};
use memory_search_index::bitset::Bitset;
use memory_search_index::fault::{Fault, Outcome};
use memory_search_index::filter::{DocumentRow, over_segment};
use memory_search_index::hashing::MemoryHash;
use memory_search_index::memory::contents::{Contents, OpenSegment};
use memory_search_index::quantization::{Nearest, Query};

use super::conditions::{Conditions, Opened};
use super::open::OpenIndex;
use super::rows_asked::RowsAsked;
use super::seen::{self, Seen};
use crate::index::RelationPages;
use crate::pg::visibility::VisibilityMap;
use crate::search::present_documents::PresentDocuments;

/// Documents of the tail, or of a segment.
pub struct Part {
    /// The memory, and its segment; `None` means the tail.
    memory: usize,
    segment: Option<usize>,
    /// The number of its first document among those of all memories.
    pub first: u32,
    /// The documents that count for statistics: the caller sees them at the search's instant.
    pub counts: Bitset,
    /// The documents that pass the filters; if [`Counted::is_coarse`], some more.
    pub may_be_found: Bitset,
    /// The documents whose embedding came from another embedder than the query's.
    pub by_another: Option<Bitset>,
    /// The documents that are corrected, and would count if they were reinstated.
    pub corrected: Bitset,
}

/// A memory to read.
pub struct Wanted {
    /// Its number among those searched.
    pub number: u32,
    /// The index that holds it.
    pub index: usize,
    pub memory: MemoryHash,
    /// The rows that the caller sees, if the executor was asked; `None` if the snapshot alone determines them.
    pub rows: Option<RowsAsked>,
}

/// A memory that is read.
struct Read<'p> {
    /// Its number among those searched.
    number: u32,
    /// The index that holds it.
    index: usize,
    /// The number of its first document.
    first: u32,
    /// Its first part.
    first_part: usize,
    contents: Contents<'p, RelationPages>,
}

/// The documents that a search is about.
pub struct Counted<'p> {
    memories: Vec<Read<'p>>,
    pub parts: Vec<Part>,
    /// Whether the filters need data that the index does not hold: then the table is asked about documents that may
    /// win.
    pub is_coarse: bool,
}

impl<'p> Counted<'p> {
    /// Reads memories from indexes, by their numbers in ascending order. `None` if an index lacks a row that the caller
    /// sees.
    pub fn read(pages: &[&'p RelationPages], opened: &[Opened], memories: &[Wanted]) -> Outcome<Option<Counted<'p>>> {
        // One map at a time: those of many partitions would need many pins.
        let mut of_table: Option<(usize, VisibilityMap<'_>)> = None;
        let is_coarse = opened.iter().any(|opened| opened.conditions.asked.is_some());
        let mut counted = Counted { memories: Vec::new(), parts: Vec::new(), is_coarse };
        let mut first = 0_u32;
        for &Wanted { number, index, memory, ref rows } in memories {
            let map = match of_table.take().filter(|(read, _)| *read == index) {
                Some((_, map)) => map,
                None => VisibilityMap::new(&opened[index].index.table),
            };
            let (_, map) = of_table.insert((index, map));
            let contents = match rows {
                None => map.asked_by(|map| {
                    Contents::read(pages[index], memory, &mut |place| map.is_visible_to_all(place.block))
                })?,
                Some(_) => Contents::read(pages[index], memory, &mut |_| false)?,
            };
            let read = Read { number, index, first, first_part: counted.parts.len(), contents };
            first = first.checked_add(read.contents.documents()).ok_or_else(too_many)?;
            let Opened { index: open, conditions } = &opened[index];
            let seen = match rows {
                None => {
                    let mut seen = seen::in_snapshot(&read.contents, open, map)?;
                    for segment in read.contents.unlisted(pages[index], memory)? {
                        seen.segments[segment] = seen::without_map(&read.contents.segments[segment], open)?;
                    }
                    seen
                }
                Some(rows) => match seen::by_caller(&read.contents, open, rows)? {
                    Some(seen) => seen,
                    None => return Ok(None),
                },
            };
            counted.add_parts(&read, open, conditions, seen)?;
            counted.memories.push(read);
        }
        Ok(Some(counted))
    }

    fn add_parts(&mut self, read: &Read<'p>, open: &OpenIndex, conditions: &Conditions, seen: Seen) -> Outcome<()> {
        let memory = self.memories.len();
        self.parts.push(Part { memory, first: read.first, ..tail(&read.contents, open, conditions, seen.tail)? });
        for (number, (segment, mut counts)) in read.contents.segments.iter().zip(seen.segments).enumerate() {
            let visible = over_segment(&conditions.visible, &open.layout, &segment.segment)?;
            let mut may_be_found = over_segment(&conditions.filters, &open.layout, &segment.segment)?.is_true;
            if let Some(asked) = &conditions.asked {
                may_be_found.intersect(&over_segment(asked, &open.layout, &segment.segment)?.not_false);
            }
            let mut corrected = visible.unknown()?;
            corrected.intersect(&counts);
            counts.intersect(&visible.is_true);
            let by_another = match conditions.embedder {
                None => None,
                Some((is_named, is_ours)) => {
                    let (mut named, mut ours) =
                        (Bitset::empty(segment.segment.documents())?, Bitset::empty(segment.segment.documents())?);
                    segment.segment.documents_with(is_named, &mut named)?;
                    segment.segment.documents_with(is_ours, &mut ours)?;
                    named.subtract(&ours);
                    Some(named)
                }
            };
            self.parts.push(Part {
                memory,
                segment: Some(number),
                first: read.first + segment.first,
                counts,
                may_be_found,
                by_another,
                corrected,
            });
        }
        Ok(())
    }

    /// The index's contents for a part's memory.
    pub fn contents(&self, part: &Part) -> &Contents<'p, RelationPages> {
        &self.memories[part.memory].contents
    }

    /// The segment of a part; `None` if it is a tail.
    pub fn segment(&self, part: &Part) -> Option<&OpenSegment<'p, RelationPages>> {
        part.segment.map(|segment| &self.contents(part).segments[segment])
    }

    /// Adds to `near` the documents that count, may be found and may be among the nearest to a query.
    pub fn add_near(&self, query: &Query, near: &mut Nearest) -> Outcome<()> {
        for read in &self.memories {
            let parts = &self.parts[read.first_part..];
            read.contents.add_near(query, near, &mut |part, document| {
                let part = &parts[part];
                let is_compared = part.counts.contains(document)
                    && part.may_be_found.contains(document)
                    && part.by_another.as_ref().is_none_or(|set| !set.contains(document));
                is_compared.then_some(part.first + document)
            })?;
        }
        Ok(())
    }

    /// The parts of each memory.
    pub fn parts_by_memory(&self) -> Vec<Range<usize>> {
        let ends = self.memories.iter().skip(1).map(|read| read.first_part).chain([self.parts.len()]);
        self.memories.iter().zip(ends).map(|(read, end)| read.first_part..end).collect()
    }

    /// The parts of the memory with a number among those searched, and the index that holds it.
    pub fn parts_of(&self, number: u32) -> Option<(usize, &[Part])> {
        let place = self.memories.iter().position(|read| read.number == number)?;
        let end = self.memories.get(place + 1).map_or(self.parts.len(), |next| next.first_part);
        Some((self.memories[place].index, &self.parts[self.memories[place].first_part..end]))
    }

    /// The documents of some parts that count, in order.
    pub fn counting(&self, parts: &[Part]) -> Outcome<Vec<u32>> {
        let mut documents: Vec<u32> = Vec::new();
        for part in parts {
            documents.try_reserve(part.counts.count() as usize).map_err(|_| error::out_of_memory())?;
            documents.extend(part.counts.iter().map(|document| part.first + document));
        }
        Ok(documents)
    }

    /// Removes a document from those that count.
    pub fn count_no_more(&mut self, document: u32) {
        let part = self.parts.partition_point(|part| part.first <= document) - 1;
        let part = &mut self.parts[part];
        part.counts.remove(document - part.first);
    }

    /// The documents of a memory that belong to present entries which the caller sees, including corrected ones. To be
    /// called before reinstated documents are counted.
    pub fn present(&self, memory: usize, hash: MemoryHash) -> Outcome<PresentDocuments> {
        let read = &self.memories[memory];
        let mut present = PresentDocuments { memory: hash, segments: Vec::new(), tail: Vec::new() };
        for part in self.parts[read.first_part..].iter().take_while(|part| part.memory == memory) {
            match self.segment(part) {
                Some(segment) => {
                    let mut set = part.counts.copy()?;
                    set.unite(&part.corrected);
                    present.segments.push((segment.id, set));
                }
                None => {
                    let documents = read.contents.tail_documents();
                    present.tail.try_reserve_exact(documents as usize).map_err(|_| error::out_of_memory())?;
                    for document in 0..documents {
                        present.tail.push(read.contents.place(document)?);
                    }
                }
            }
        }
        Ok(present)
    }

    fn memory_of(&self, document: u32) -> &Read<'p> {
        // A memory without documents begins at the same number as the next one.
        &self.memories[self.memories.partition_point(|read| read.first <= document) - 1]
    }

    /// The number of a document's memory among those searched.
    pub fn memory(&self, document: u32) -> u32 {
        self.memory_of(document).number
    }

    /// The index that holds a document.
    pub fn index_of(&self, document: u32) -> usize {
        self.memory_of(document).index
    }

    /// The index that holds a part.
    pub fn index_of_part(&self, part: &Part) -> usize {
        self.memories[part.memory].index
    }

    /// The place of a document's row.
    pub fn place(&self, document: u32) -> Outcome<Place> {
        let read = self.memory_of(document);
        read.contents.place(document - read.first)
    }

    /// Whether a document counts and may be found.
    pub fn may_be_found(&self, document: u32) -> bool {
        let part = &self.parts[self.parts.partition_point(|part| part.first <= document) - 1];
        let number = document - part.first;
        part.counts.contains(number) && part.may_be_found.contains(number)
    }

    /// The documents that count, may be found and are compared by meaning; `None` if there are more than `most`.
    pub fn to_compare(&self, most: usize) -> Outcome<Option<Vec<u32>>> {
        let mut found: Vec<u32> = Vec::new();
        for part in &self.parts {
            let is_compared = |document: &u32| {
                part.may_be_found.contains(*document)
                    && part.by_another.as_ref().is_none_or(|set| !set.contains(*document))
            };
            found.try_reserve((part.counts.count() as usize).min(most + 1)).map_err(|_| error::out_of_memory())?;
            // One more than wanted shows that there are too many.
            let documents = part.counts.iter().filter(is_compared).map(|document| part.first + document);
            found.extend(documents.take(most + 1 - found.len()));
            if found.len() > most {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Whether any document counts and may be found.
    pub fn has_any_to_find(&self) -> bool {
        self.parts.iter().any(|part| {
            let both = part.counts.words().iter().zip(part.may_be_found.words());
            both.into_iter().any(|(counts, may_be_found)| counts & may_be_found != 0)
        })
    }

    /// The number of documents that count.
    pub fn rows(&self) -> u64 {
        self.parts.iter().map(|part| u64::from(part.counts.count())).sum()
    }

    /// The number of documents that count, and of those whose embedding came from another embedder than the query's;
    /// `with_filters`: only those that may be found.
    pub fn looked_at(&self, with_filters: bool) -> Outcome<(u64, u64)> {
        let (mut rows, mut by_another) = (0, 0);
        for part in &self.parts {
            let mut looked_at = part.counts.copy()?;
            if with_filters {
                looked_at.intersect(&part.may_be_found);
            }
            rows += u64::from(looked_at.count());
            if let Some(set) = &part.by_another {
                looked_at.intersect(set);
                by_another += u64::from(looked_at.count());
            }
        }
        Ok((rows, by_another))
    }
}

/// The part of the tail, with the documents that are seen.
fn tail(
    contents: &Contents<'_, RelationPages>,
    open: &OpenIndex,
    conditions: &Conditions,
    mut counts: Bitset,
) -> Outcome<Part> {
    let documents = contents.tail_documents();
    let (mut corrected, mut may_be_found) = (Bitset::empty(documents)?, Bitset::empty(documents)?);
    let mut by_another = conditions.embedder.map(|_| Bitset::empty(documents)).transpose()?;
    for document in 0..documents {
        let (_, _, view) = contents.tail_document(document)?;
        let row = DocumentRow { view: &view, layout: &open.layout };
        match conditions.visible.evaluate(&row) {
            Some(true) => {}
            Some(false) => counts.remove(document),
            None => {
                if counts.contains(document) {
                    corrected.insert(document);
                }
                counts.remove(document);
            }
        }
        let may_pass = conditions.asked.as_ref().is_none_or(|asked| asked.evaluate(&row) != Some(false));
        if may_pass && conditions.filters.evaluate(&row) == Some(true) {
            may_be_found.insert(document);
        }
        if let (Some(set), Some((is_named, is_ours))) = (&mut by_another, conditions.embedder)
            && view.has_term(is_named)
            && !view.has_term(is_ours)
        {
            set.insert(document);
        }
    }
    Ok(Part { memory: 0, segment: None, first: 0, counts, may_be_found, by_another, corrected })
}

fn too_many() -> Fault {
    Error::new(ErrorKind::LimitExceeded, "the searched memories have more than 2^32 entries")
        .hint("Search fewer of them.")
        .into()
}
