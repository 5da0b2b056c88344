//! Filling an index from sorted rows.

use std::rc::Rc;

use super::header::{Header, SegmentEntry};
use super::limits::{LIMITS, Limits};
use super::tail_key::key_of;
use super::{linking, tail};
use crate::document::Document;
use crate::fault::{Error, ErrorKind, Fault, Outcome};
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::quantization::{Mean, Rotation, clusters, code_of_unusual, dimensions_of, encode_rotated};
use crate::segment::{self, Group, SegmentDocument};
use crate::tree::{Builder, Key};

/// Of leaves, so that the next rows of a memory find room.
const FILL_PERCENT: u8 = 90;

/// Codes that are made between two ticks: some 10 ms, of 16,000 dimensions.
const CODES_A_TICK: usize = 64;

/// A row to add.
pub struct Embedded {
    /// The data of the row in the index, without a code.
    pub document: Document,
    /// Its embedding.
    pub embedding: Option<Vec<f32>>,
}

/// Fills an empty index from rows that come memory by memory, each in the order of time.
pub struct Loader<'p, P: Pages, R> {
    pages: &'p P,
    tree: Builder<'p, P>,
    numbers: usize,
    limits: Limits,
    /// The rotation of so many dimensions.
    rotation: R,
    memory: Option<MemoryHash>,
    /// Documents that have no code yet, with their embeddings rotated; and those that have none, or a code that is not
    /// counted from a mean.
    group: Vec<(Document, Option<Vec<f32>>)>,
    documents: Vec<SegmentDocument>,
    groups: Vec<Group>,
    /// Bytes of the embeddings of documents that have no code yet.
    waiting_bytes: usize,
    /// Lexemes of the documents, counted by document.
    lexemes: usize,
    segments: Vec<SegmentEntry>,
}

/// Of every so many segments of a memory the last has twice as many documents as the first.
const SEGMENTS_A_DOUBLING: usize = 16;

impl<'p, P: Pages, R: Fn(usize) -> Option<Rc<Rotation>>> Loader<'p, P, R> {
    /// For an index that [`crate::tree::create`] made.
    pub fn new(pages: &'p P, numbers: usize, rotation: R) -> Outcome<Self> {
        Loader::within(pages, numbers, rotation, LIMITS)
    }

    /// The same within other limits.
    pub fn within(pages: &'p P, numbers: usize, rotation: R, limits: Limits) -> Outcome<Self> {
        Ok(Loader {
            pages,
            tree: Builder::new(pages, FILL_PERCENT)?,
            numbers,
            limits,
            rotation,
            memory: None,
            group: Vec::new(),
            documents: Vec::new(),
            groups: Vec::new(),
            waiting_bytes: 0,
            lexemes: 0,
            segments: Vec::new(),
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Documents that [`Document::check`] refuses, documents with more or fewer numbers than [`Loader::new`] got,
    /// memories out of order, and errors of the pages.
    pub fn add(&mut self, memory: MemoryHash, row: Embedded) -> Outcome<()> {
        row.document.check()?;
        if row.document.numbers.len() != self.numbers {
            let found = row.document.numbers.len();
            let message = format!("a document has {found} numbers, and the index {}", self.numbers);
            return Err(Fault::Error(Error::new(ErrorKind::InvalidArgument, message)));
        }
        if self.memory != Some(memory) {
            self.end_memory()?;
            self.memory = Some(memory);
        }
        let Embedded { mut document, embedding } = row;
        let unit = embedding.and_then(|vector| {
            let unit = (self.rotation)(vector.len())?.unit(&vector);
            if unit.is_none() {
                document.code = code_of_unusual(&vector);
            }
            unit
        });
        self.lexemes += document.lexemes.len();
        self.waiting_bytes += unit.as_ref().map_or(0, |unit| 4 * unit.len());
        self.group.push((document, unit));
        let doubled = self.segments.len() / SEGMENTS_A_DOUBLING;
        let is_full = self.lexemes >= self.limits.segment_lexemes << doubled;
        let is_full = is_full || self.documents.len() + self.group.len() >= self.limits.segment_documents << doubled;
        if is_full || self.waiting_bytes >= self.limits.clustered_bytes {
            self.end_group()?;
        }
        if is_full {
            self.end_segment()?;
        }
        Ok(())
    }

    /// Writes what is left, and makes the tree the index's.
    pub fn finish(mut self) -> Outcome<()> {
        self.end_memory()?;
        self.tree.finish()?;
        Ok(())
    }

    /// Gives the waiting documents their codes, counted from the means of groups that are alike.
    fn end_group(&mut self) -> Outcome<()> {
        let mut waiting = std::mem::take(&mut self.group);
        self.waiting_bytes = 0;
        let dimensions_of = |document: &Document, unit: Option<&Vec<f32>>| match unit {
            Some(unit) => Some(unit.len()),
            None => document.code.as_deref().and_then(dimensions_of),
        };
        let mut dimensions: Vec<usize> =
            waiting.iter().filter_map(|(document, unit)| dimensions_of(document, unit.as_ref())).collect();
        dimensions.sort_unstable();
        dimensions.dedup();
        let mut groups: Vec<u32> = vec![0; waiting.len()];
        for of in dimensions {
            let (mut places, mut units) = (Vec::new(), Vec::new());
            for (place, (_, unit)) in waiting.iter().enumerate() {
                if let Some(unit) = unit.as_ref().filter(|unit| unit.len() == of) {
                    places.push(place);
                    units.push(&unit[..]);
                }
            }
            let clusters = clusters(&units, 2 * self.limits.group_documents, || self.pages.tick())?;
            let means: Vec<Option<Mean>> =
                clusters.iter().map(|cluster| Mean::of(cluster.iter().map(|&place| units[place as usize]))).collect();
            for (cluster, mean) in clusters.iter().zip(&means) {
                for (number, place) in cluster.iter().map(|&place| places[place as usize]).enumerate() {
                    if number.is_multiple_of(CODES_A_TICK) {
                        self.pages.tick()?;
                    }
                    groups[place] = self.groups.len() as u32;
                    let (document, unit) = &mut waiting[place];
                    document.code = unit.as_ref().and_then(|unit| encode_rotated(unit, mean.as_ref()));
                }
                self.groups.push(Group { dimensions: of as u32, mean: mean.as_ref().map(Mean::to_bytes) });
            }
            // A vector of unusual length has a code that is counted from nothing.
            let is_unusual = |document: &Document, unit: &Option<Vec<f32>>| {
                unit.is_none() && dimensions_of(document, None) == Some(of)
            };
            for (group, _) in groups.iter_mut().zip(&waiting).filter(|(_, (document, unit))| is_unusual(document, unit))
            {
                *group = self.groups.len() as u32;
            }
            self.groups.push(Group { dimensions: of as u32, mean: None });
        }
        let documents = waiting.into_iter().zip(groups);
        self.documents.extend(documents.map(|((document, _), group)| SegmentDocument { document, group }));
        Ok(())
    }

    fn end_segment(&mut self) -> Outcome<()> {
        if self.documents.is_empty() {
            return Ok(());
        }
        let mut documents = std::mem::take(&mut self.documents);
        let groups = std::mem::take(&mut self.groups);
        self.lexemes = 0;
        let bytes = segment::build::build_ticking(&mut documents, &groups, self.numbers, &|| self.pages.tick())?;
        self.segments.push(linking::write(self.pages, &bytes, documents.len() as u32)?);
        Ok(())
    }

    fn end_memory(&mut self) -> Outcome<()> {
        let Some(memory) = self.memory.take() else { return Ok(()) };
        let is_small =
            self.segments.is_empty() && self.documents.is_empty() && self.group.len() < self.limits.least_sealed;
        if is_small {
            (self.lexemes, self.waiting_bytes) = (0, 0);
            let mut documents = std::mem::take(&mut self.group);
            documents.sort_by_key(|(document, _)| key_of(memory, document.place));
            for (mut document, unit) in documents {
                if let Some(unit) = unit {
                    document.code = encode_rotated(&unit, None);
                }
                let record = tail::record(self.pages, &document)?;
                self.tree.add(&key_of(memory, document.place), &record)?;
            }
            return Ok(());
        }
        if !self.group.is_empty() {
            self.end_group()?;
        }
        self.end_segment()?;
        let header = Header { segments: std::mem::take(&mut self.segments), ..Header::default() };
        self.tree.add(&Key::header(memory), &header.encode())
    }
}
