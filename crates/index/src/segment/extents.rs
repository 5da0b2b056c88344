//! The extents of a segment's places: for the documents whose places are in one page, the least and the greatest block
//! of their rows, and whether one of them is dead. If all these blocks are visible to everybody and no document is dead,
//! a search counts the documents without a look at their places: of a million entries it reads one page instead of 735.
//!
//! An item, little-endian: least block u32, greatest block u32, 1 if a document is dead u8. A document that dies is
//! marked in its place and here by one change ([`mark_dead_within`]), so a reader that holds the page of an item knows
//! that VACUUM has not removed a document of it that is not marked.

use std::ops::Range;

use memory_search_core::error::out_of_memory;

use super::header::{EXTENT_BYTES, extents_after};
use super::run::{Part, Run};
use super::{Places, Segment};
use crate::blob::{Blob, PagedBytes};
use crate::fault::{Outcome, damaged_content};
use crate::pages::Pages;

const ALL_LIVE: u8 = 0;
const SOME_DEAD: u8 = 1;

/// The documents whose places are in one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The page's part of the run of places.
    part: Part,
    /// The least and the greatest block of their rows, including dead ones.
    blocks: (u32, u32),
    /// Whether one of them is dead.
    pub has_dead: bool,
}

impl Extent {
    /// The documents.
    pub fn documents(&self) -> Range<u32> {
        self.part.first..self.part.first + self.part.items
    }

    /// The least and the greatest block of the rows; `None` if a document is dead.
    pub fn blocks(&self) -> Option<(u32, u32)> {
        (!self.has_dead).then_some(self.blocks)
    }

    /// The least and the greatest block of the rows, including dead ones.
    pub fn all_blocks(&self) -> (u32, u32) {
        self.blocks
    }

    fn of(part: Part, bytes: &[u8]) -> Outcome<Extent> {
        let Some(&[a, b, c, d, e, f, g, h, dead]) = bytes.first_chunk::<EXTENT_BYTES>() else {
            return Err(damaged_content("an extent of a segment is cut off"));
        };
        let has_dead = match dead {
            ALL_LIVE => false,
            SOME_DEAD => true,
            _ => return Err(damaged_content("an extent of a segment is of no known kind")),
        };
        let blocks = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        match blocks.0 <= blocks.1 {
            true => Ok(Extent { part, blocks, has_dead }),
            false => Err(damaged_content("an extent of a segment ends before it starts")),
        }
    }
}

/// Appends the extents of places that are the last bytes of `out`. `None` if a document is dead.
pub fn write(places: Run, out: &mut Vec<u8>) -> Option<Run> {
    let run = extents_after(places)?;
    let mut extents = Vec::with_capacity(run.items() as usize);
    for part in places.parts() {
        let start = places.byte_of(part.first) as usize;
        let bytes = out.get(start..start + part.items as usize * places.stride())?;
        let (least, greatest) = Places { first: part.first, bytes }.blocks()?;
        extents.push((least, greatest));
    }
    run.write(out, |item, out| {
        let (least, greatest) = extents[item as usize];
        out.extend_from_slice(&least.to_le_bytes());
        out.extend_from_slice(&greatest.to_le_bytes());
        out.push(ALL_LIVE);
    });
    Some(run)
}

impl<B: PagedBytes> Segment<B> {
    /// Calls `each` with the extent of every page of places, while the page of the extent is held.
    pub fn extents(&self, mut each: impl FnMut(Extent) -> Outcome<()>) -> Outcome<()> {
        let extents = &self.header.extents;
        let mut parts = self.header.places.parts();
        extents.parts().try_for_each(|of_extents| {
            extents.read(&self.bytes, of_extents, |bytes| {
                let items = bytes.chunks_exact(EXTENT_BYTES);
                items.zip(&mut parts).try_for_each(|(item, part)| each(Extent::of(part, item)?))
            })
        })
    }

    /// All extents, for work on their places while no extent's page is held.
    pub fn all_extents(&self) -> Outcome<Vec<Extent>> {
        let mut all = Vec::new();
        all.try_reserve_exact(self.header.extents.items() as usize).map_err(|_| out_of_memory())?;
        self.extents(|extent| {
            all.push(extent);
            Ok(())
        })?;
        Ok(all)
    }

    /// Calls `each` with the places of an extent's documents while their page is held.
    pub fn places_of(&self, extent: &Extent, each: impl FnOnce(Places) -> Outcome<()>) -> Outcome<()> {
        self.header.places.read(&self.bytes, extent.part, |bytes| each(Places { first: extent.part.first, bytes }))
    }
}

/// Marks documents of one extent as dead, in one change.
pub fn mark_dead_within<P: Pages>(segment: &Segment<&Blob<'_, P>>, extent: &Extent, documents: &[u32]) -> Outcome<()> {
    let (places, extents) = (&segment.header.places, &segment.header.extents);
    let number = places.part_number(extent.part.first);
    let (page_of_extent, offset_of_extent) = extents.position(number);
    let mut is_marked = extent.has_dead;
    let mut pages = vec![extent.part.page];
    if !is_marked && page_of_extent != extent.part.page {
        pages.push(page_of_extent);
    }
    segment.bytes.change_pages(&pages, |page, bytes| {
        let mut is_changed = false;
        if page == extent.part.page {
            for document in documents {
                let (_, offset) = places.position(*document);
                is_changed |= super::mark_dead(bytes, offset)?;
            }
        }
        if page == page_of_extent && !is_marked {
            let flag = bytes.get_mut(offset_of_extent + EXTENT_BYTES - 1).ok_or_else(super::bytes::ends_early)?;
            *flag = SOME_DEAD;
            (is_marked, is_changed) = (true, true);
        }
        Ok(is_changed)
    })?;
    Ok(())
}
