//! Filling an index from sorted rows.

use std::rc::Rc;

use super::header::{Header, SegmentEntry};
use super::limits::{LIMITS, Limits};
use super::tail_key::key_of;
use super::{linking, tail};
use crate::document::Document;
use crate::fault::Outcome;
use crate::hashing::MemoryHash;
use crate::pages::Pages;
use crate::quantization::{Mean, Rotation, code_of_unusual, dimensions_of, encode_rotated};
use crate::segment::{self, Group, SegmentDocument};
use crate::tree::{Builder, Key};

/// Of leaves, so that the next rows of a memory find room.
const FILL_PERCENT: u8 = 90;

/// A row to add.
pub struct Embedded {
    /// What the index holds of it, without a code.
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
            lexemes: 0,
            segments: Vec::new(),
        })
    }

    /// Adds a row.
    pub fn add(&mut self, memory: MemoryHash, row: Embedded) -> Outcome<()> {
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
        self.group.push((document, unit));
        let doubled = self.segments.len() / SEGMENTS_A_DOUBLING;
        let is_full = self.lexemes >= self.limits.segment_lexemes << doubled;
        if is_full || self.group.len() >= self.limits.group_documents {
            self.end_group();
            if is_full || self.documents.len() >= self.limits.segment_documents << doubled {
                self.end_segment()?;
            }
        }
        Ok(())
    }

    /// Writes what is left, and makes the tree the index's.
    pub fn finish(mut self) -> Outcome<()> {
        self.end_memory()?;
        self.tree.finish()?;
        Ok(())
    }

    /// Gives the waiting documents their codes: those of one dimension share a mean.
    fn end_group(&mut self) {
        let mut waiting = std::mem::take(&mut self.group);
        let dimensions_of = |document: &Document, unit: Option<&Vec<f32>>| match unit {
            Some(unit) => Some(unit.len()),
            None => document.code.as_deref().and_then(dimensions_of),
        };
        let mut dimensions: Vec<usize> =
            waiting.iter().filter_map(|(document, unit)| dimensions_of(document, unit.as_ref())).collect();
        dimensions.sort_unstable();
        dimensions.dedup();
        for &of in &dimensions {
            let alike = || waiting.iter().filter_map(|(_, unit)| unit.as_ref()).filter(|unit| unit.len() == of);
            let mean = Mean::of(alike());
            for (document, unit) in &mut waiting {
                if let Some(unit) = unit.as_ref().filter(|unit| unit.len() == of) {
                    document.code = encode_rotated(unit, mean.as_ref());
                }
            }
            self.groups.push(Group { dimensions: of as u32, mean: mean.map(|mean| mean.to_bytes()) });
        }
        let first = (self.groups.len() - dimensions.len()) as u32;
        self.documents.extend(waiting.into_iter().map(|(document, unit)| {
            let of = dimensions_of(&document, unit.as_ref()).map_or(0, |of| dimensions.binary_search(&of).unwrap_or(0));
            SegmentDocument { document, group: first + of as u32 }
        }));
    }

    fn end_segment(&mut self) -> Outcome<()> {
        if self.documents.is_empty() {
            return Ok(());
        }
        let mut documents = std::mem::take(&mut self.documents);
        let groups = std::mem::take(&mut self.groups);
        self.lexemes = 0;
        let bytes = segment::build(&mut documents, &groups, self.numbers)?;
        self.segments.push(linking::write(self.pages, &bytes, documents.len() as u32)?);
        Ok(())
    }

    fn end_memory(&mut self) -> Outcome<()> {
        let Some(memory) = self.memory.take() else { return Ok(()) };
        let is_small =
            self.segments.is_empty() && self.documents.is_empty() && self.group.len() < self.limits.least_sealed;
        if is_small {
            self.lexemes = 0;
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
            self.end_group();
        }
        self.end_segment()?;
        let header = Header { segments: std::mem::take(&mut self.segments), ..Header::default() };
        self.tree.add(&Key::header(memory), &header.encode())
    }
}
