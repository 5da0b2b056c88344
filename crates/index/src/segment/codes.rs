//! The codes of a segment. Many documents are read in two passes: the first parts of all, page by page, then the rests
//! of some.

use memory_search_core::error::out_of_memory;

use super::Segment;
use super::groups::{self, Group, Means, StoredGroup};
use super::run::Part;
use crate::blob::PagedBytes;
use crate::fault::{Fault, Outcome, damaged_content};

/// The number of pages after which the caller's interrupts are checked.
const PAGES_A_TICK: u32 = 32;

/// The codes of a segment, numbered from 0 in the order of groups and documents. A document may have several, also in one
/// group.
pub struct Codes<'s, B> {
    bytes: &'s B,
    groups: Vec<StoredGroup>,
    /// The number of the first code of each group.
    starts: Vec<u32>,
}

/// First parts in one page.
#[derive(Debug, Clone, Copy)]
pub struct FirstsPage {
    /// Their group.
    pub group: usize,
    /// The number of the first code.
    pub code: u32,
    part: Part,
}

impl<B: PagedBytes> Segment<B> {
    /// The codes; the table of their groups is read.
    pub fn codes(&self) -> Outcome<Codes<'_, B>> {
        let groups = groups::table(&self.bytes, self.header.groups, self.header.length)?;
        let mut starts = Vec::new();
        starts.try_reserve_exact(groups.len()).map_err(|_| out_of_memory())?;
        let mut next = 0_u32;
        for group in &groups {
            starts.push(next);
            // The runs of groups follow each other within the segment, so there are at most as many codes as bytes.
            next = next
                .checked_add(group.codes())
                .ok_or_else(|| damaged_content("a segment has more codes than there are numbers"))?;
        }
        Ok(Codes { bytes: &self.bytes, groups, starts })
    }
}

impl<B: PagedBytes> Codes<'_, B> {
    /// Whether a document may have several codes.
    pub fn have_repeats(&self) -> bool {
        self.groups.iter().any(|group| group.repeats)
    }

    /// Reads the means of the groups.
    pub fn means(&self) -> Outcome<Means<'_>> {
        Means::read(self.bytes, &self.groups)
    }

    /// Dimensions and mean of each group.
    pub fn groups(&self) -> Outcome<Vec<Group>> {
        let means = self.means()?;
        let group = |(dimensions, mean): (u32, Option<&[u8]>)| Group { dimensions, mean: mean.map(<[u8]>::to_vec) };
        Ok(means.iter().map(group).collect())
    }

    /// Whether the first run of a group has whole codes.
    pub fn are_whole(&self, group: usize) -> bool {
        self.groups[group].rests.is_none()
    }

    /// The pages of the first runs, in order.
    pub fn pages(&self) -> impl Iterator<Item = FirstsPage> + '_ {
        (0..self.groups.len()).flat_map(|group| self.pages_of(group))
    }

    /// The pages of the first run of a group, in order.
    pub fn pages_of(&self, group: usize) -> impl Iterator<Item = FirstsPage> + use<B> {
        let (firsts, start) = (self.groups[group].firsts, self.starts[group]);
        firsts.parts().map(move |part| FirstsPage { group, code: start + part.first, part })
    }

    /// Notes that a page will be read soon, and now and then lets the caller's interrupts in. No page may be held.
    pub fn expect(&self, page: &FirstsPage) -> Outcome<()> {
        if page.part.page.is_multiple_of(PAGES_A_TICK) {
            self.bytes.tick()?;
        }
        self.bytes.expect_page(page.part.page);
        Ok(())
    }

    /// Lets the processor fetch one of `steps` equal parts of the items of an expected page.
    pub fn prefetch(&self, page: &FirstsPage, step: usize, steps: usize) {
        let bytes = self.groups[page.group].firsts.bytes_of(page.part);
        let at = |step: usize| bytes.start + bytes.len() * step / steps.max(1);
        self.bytes.prefetch(page.part.page, at(step)..at(step + 1));
    }

    /// Calls `look` with the items of a page, which [`groups::item`] decodes, and the bytes of an item, while the page
    /// is held. In damaged items the number of the document may be too high.
    pub fn read_firsts<T>(&self, page: &FirstsPage, look: impl FnOnce(&[u8], usize) -> Outcome<T>) -> Outcome<T> {
        let firsts = self.groups[page.group].firsts;
        firsts.read(self.bytes, page.part, |bytes| look(bytes, firsts.stride()))
    }

    /// The items of a page, copied, and the bytes of an item.
    pub fn firsts(&self, page: &FirstsPage) -> Outcome<(Vec<u8>, usize)> {
        let mut firsts = Vec::new();
        let stride = self.read_firsts(page, |items, stride| {
            firsts.try_reserve_exact(items.len()).map_err(|_| out_of_memory())?;
            firsts.extend_from_slice(items);
            Ok(stride)
        })?;
        Ok((firsts, stride))
    }

    /// Calls `each` with the group of every code, its document, its first part and its rest; for a whole code with the
    /// code and an empty rest.
    pub fn each(&self, mut each: impl FnMut(usize, u32, &[u8], &[u8]) -> Outcome<()>) -> Outcome<()> {
        for page in self.pages() {
            let (firsts, stride) = self.firsts(&page)?;
            let codes: Vec<u32> = (page.code..).take(firsts.len() / stride).collect();
            self.read_rests(&codes, |place, group, rest| {
                let (document, first) = groups::item(&firsts[place * stride..][..stride]).ok_or_else(no_code)?;
                each(group, document, first, rest)
            })?;
        }
        Ok(())
    }

    /// Calls `each` with the position of each of some codes among these codes, its group and its rest, which is empty
    /// if the first part is the whole code, while the page is held. The codes must ascend.
    pub fn read_rests(&self, codes: &[u32], mut each: impl FnMut(usize, usize, &[u8]) -> Outcome<()>) -> Outcome<()> {
        let mut done = 0;
        while let Some(&code) = codes.get(done) {
            let group = self.starts.partition_point(|&start| start <= code).saturating_sub(1);
            let found = self.groups.get(group).zip(self.starts.get(group));
            let (stored, start) =
                found.filter(|(stored, start)| code - **start < stored.codes()).ok_or_else(no_code)?;
            let Some(rests) = stored.rests else {
                each(done, group, &[])?;
                done += 1;
                continue;
            };
            let part = rests.part_of(code - start);
            if part.page.is_multiple_of(PAGES_A_TICK) {
                self.bytes.tick()?;
            }
            let end = start + part.first + part.items;
            let some = codes[done..].iter().take_while(|&&code| code < end).count();
            rests.read(self.bytes, part, |bytes| {
                for (place, code) in (done..).zip(&codes[done..done + some]) {
                    let at = (code - start - part.first) as usize * rests.stride();
                    each(place, group, bytes.get(at..at + rests.stride()).unwrap_or_default())?;
                }
                Ok(())
            })?;
            done += some;
        }
        Ok(())
    }
}

fn no_code() -> Fault {
    damaged_content("a segment has fewer codes than were read")
}
