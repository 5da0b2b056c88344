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
use crate::quantization::{Mean, Rotation, clusters, code_bytes, code_of_unusual, dimensions_of, encode_rotated};
use crate::segment::{self, Group, SegmentDocument};
use crate::tree::{Builder, Key};

/// The share of a leaf that is filled, so that the next rows of a memory find room.
const FILL_PERCENT: u8 = 90;

/// Codes that are made between two ticks: some 10 ms, of 16,000 dimensions.
const CODES_A_TICK: usize = 64;

/// In place of the number of a group that is not known yet.
const NO_GROUP: u32 = u32::MAX;

/// A row to add.
pub struct Embedded {
    /// The data of the row in the index, without codes.
    pub document: Document,
    /// Its embedding and the embeddings of its passages.
    pub embeddings: Vec<Vec<f32>>,
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
    /// Documents with their embeddings that have no code yet, rotated; a document has a code now only if the code is
    /// not relative to a mean.
    group: Vec<(Document, Vec<Vec<f32>>)>,
    documents: Vec<SegmentDocument>,
    groups: Vec<Group>,
    /// Bytes of the embeddings that have no code yet.
    waiting_bytes: usize,
    /// Bytes of the codes of the next segment, including the codes that are not made yet.
    code_bytes: usize,
    /// Lexemes of the documents, counted by document.
    lexemes: usize,
    segments: Vec<SegmentEntry>,
}

/// The last of this many segments of a memory has twice as many documents as the first.
const SEGMENTS_A_DOUBLING: usize = 16;

impl<'p, P: Pages, R: Fn(usize) -> Option<Rc<Rotation>>> Loader<'p, P, R> {
    /// For an index that [`crate::tree::create`] made.
    pub fn new(pages: &'p P, numbers: usize, rotation: R) -> Outcome<Self> {
        Loader::within(pages, numbers, rotation, LIMITS)
    }

    /// A loader with other limits.
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
            code_bytes: 0,
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
        let Embedded { mut document, embeddings } = row;
        let mut units = Vec::with_capacity(embeddings.len());
        for vector in embeddings {
            let Some(rotation) = (self.rotation)(vector.len()) else { continue };
            match rotation.unit(&vector) {
                Some(unit) => units.push(unit),
                None => document.codes.extend(code_of_unusual(&vector)),
            }
        }
        self.lexemes += document.lexemes.len();
        self.waiting_bytes += units.iter().map(|unit| 4 * unit.len()).sum::<usize>();
        self.code_bytes += document.codes.iter().map(Vec::len).sum::<usize>();
        self.code_bytes += units.iter().map(|unit| code_bytes(unit.len())).sum::<usize>();
        self.group.push((document, units));
        let doubled = self.segments.len() / SEGMENTS_A_DOUBLING;
        let is_full = self.lexemes >= self.limits.segment_lexemes << doubled;
        let is_full = is_full || self.code_bytes >= self.limits.segment_code_bytes << doubled;
        let is_full = is_full || self.documents.len() + self.group.len() >= self.limits.segment_documents << doubled;
        if is_full || self.waiting_bytes >= self.limits.clustered_bytes {
            self.end_group()?;
        }
        if is_full {
            self.end_segment()?;
        }
        Ok(())
    }

    /// Writes the remaining documents, and makes the tree the index's.
    pub fn finish(mut self) -> Outcome<()> {
        self.end_memory()?;
        self.tree.finish()?;
        Ok(())
    }

    /// Gives the waiting documents their codes, relative to the means of groups of similar embeddings. Each embedding
    /// is in a group of its dimensions; the embeddings of one document are often in several groups.
    fn end_group(&mut self) -> Outcome<()> {
        let (mut documents, mut units) = (Vec::new(), Vec::new());
        for (document, waiting) in std::mem::take(&mut self.group) {
            let groups = vec![NO_GROUP; document.codes.len()];
            documents.push(SegmentDocument { document, groups });
            units.push(waiting);
        }
        self.waiting_bytes = 0;
        let made = documents.iter().flat_map(|one| &one.document.codes).filter_map(|code| dimensions_of(code));
        let mut dimensions: Vec<usize> = units.iter().flatten().map(Vec::len).chain(made).collect();
        dimensions.sort_unstable();
        dimensions.dedup();
        for of in dimensions {
            let (mut places, mut alike) = (Vec::new(), Vec::new());
            for (place, units) in units.iter().enumerate() {
                for unit in units.iter().filter(|unit| unit.len() == of) {
                    places.push(place);
                    alike.push(&unit[..]);
                }
            }
            let clusters = clusters(&alike, 2 * self.limits.group_documents, || self.pages.tick())?;
            let means: Vec<Option<Mean>> =
                clusters.iter().map(|cluster| Mean::of(cluster.iter().map(|&number| alike[number as usize]))).collect();
            for (cluster, mean) in clusters.iter().zip(&means) {
                for (done, number) in cluster.iter().map(|&number| number as usize).enumerate() {
                    if done.is_multiple_of(CODES_A_TICK) {
                        self.pages.tick()?;
                    }
                    if let Some(code) = encode_rotated(alike[number], mean.as_ref()) {
                        let one = &mut documents[places[number]];
                        one.document.codes.push(code);
                        one.groups.push(self.groups.len() as u32);
                    }
                }
                self.groups.push(Group { dimensions: of as u32, mean: mean.as_ref().map(Mean::to_bytes) });
            }
            // The code of a vector of unusual length is relative to zero.
            for one in &mut documents {
                for (code, group) in one.document.codes.iter().zip(&mut one.groups) {
                    if *group == NO_GROUP && dimensions_of(code) == Some(of) {
                        *group = self.groups.len() as u32;
                    }
                }
            }
            self.groups.push(Group { dimensions: of as u32, mean: None });
        }
        self.documents.append(&mut documents);
        Ok(())
    }

    fn end_segment(&mut self) -> Outcome<()> {
        if self.documents.is_empty() {
            return Ok(());
        }
        let mut documents = std::mem::take(&mut self.documents);
        let groups = std::mem::take(&mut self.groups);
        (self.lexemes, self.code_bytes) = (0, 0);
        let bytes = segment::build::build_ticking(&mut documents, &groups, self.numbers, &|| self.pages.tick())?;
        self.segments.push(linking::write(self.pages, &bytes, documents.len() as u32)?);
        Ok(())
    }

    fn end_memory(&mut self) -> Outcome<()> {
        let Some(memory) = self.memory.take() else { return Ok(()) };
        let is_small =
            self.segments.is_empty() && self.documents.is_empty() && self.group.len() < self.limits.least_sealed;
        if is_small {
            (self.lexemes, self.waiting_bytes, self.code_bytes) = (0, 0, 0);
            let mut documents = std::mem::take(&mut self.group);
            documents.sort_by_key(|(document, _)| key_of(memory, document.place));
            for (mut document, units) in documents {
                document.codes.extend(units.iter().filter_map(|unit| encode_rotated(unit, None)));
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
