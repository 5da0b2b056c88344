//! Consecutive items of one length, none of them divided between pages, so that an item can be read and changed in
//! place.

use std::ops::Range;

use crate::blob::{BLOB_PAGE_BYTES, PagedBytes};
use crate::fault::{Outcome, damaged_content};

use super::bytes::ends_early;

/// Items of one length: from `start` on as many as fit in the page, and then as many as fit in each further page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    start: u64,
    stride: usize,
    items: u32,
}

/// The items of a run in one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The page.
    pub page: u32,
    /// The start of the first of them in the page.
    pub offset: usize,
    /// The number of the first of them.
    pub first: u32,
    /// The number of items.
    pub items: u32,
}

impl Run {
    /// `items` items of `stride` bytes, from 1 to a page's. `None` if an item or its number does not fit.
    pub fn new(start: u64, stride: usize, items: u32) -> Option<Run> {
        let run = Run { start, stride, items };
        ((1..=BLOB_PAGE_BYTES).contains(&stride) && run.pages_end().is_some()).then_some(run)
    }

    /// A run that was read from a page, and ends within `length` bytes.
    pub fn checked(start: u64, stride: usize, items: u32, length: u64) -> Outcome<Run> {
        Run::new(start, stride, items)
            .filter(|run| start <= length && run.end() <= length)
            .ok_or_else(|| damaged_content("a part of a segment lies outside of it"))
    }

    /// The byte from which on it may have items. If the first item does not fit in this page, it is in the next one.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The number of items.
    pub fn items(&self) -> u32 {
        self.items
    }

    /// Bytes of an item.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The number of items that fit in the page in which it starts, and in others.
    fn fitting(&self) -> (u32, u32) {
        let left = BLOB_PAGE_BYTES - (self.start % BLOB_PAGE_BYTES as u64) as usize;
        ((left / self.stride) as u32, (BLOB_PAGE_BYTES / self.stride) as u32)
    }

    /// The page after its last, if pages have numbers so high.
    fn pages_end(&self) -> Option<u32> {
        let (first, others) = self.fitting();
        let page = u32::try_from(self.start / BLOB_PAGE_BYTES as u64).ok()?;
        page.checked_add(1)?.checked_add(self.items.saturating_sub(first).div_ceil(others))
    }

    /// The page of an item, and its offset there. For an item beyond the last the result is arbitrary.
    #[inline]
    pub fn position(&self, item: u32) -> (u32, usize) {
        let (first, others) = self.fitting();
        let page = (self.start / BLOB_PAGE_BYTES as u64) as u32;
        match item.checked_sub(first) {
            None => (page, (self.start % BLOB_PAGE_BYTES as u64) as usize + item as usize * self.stride),
            Some(after) => {
                (page.saturating_add(1).saturating_add(after / others), (after % others) as usize * self.stride)
            }
        }
    }

    /// The byte at which an item starts.
    pub fn byte_of(&self, item: u32) -> u64 {
        let (page, offset) = self.position(item);
        u64::from(page) * BLOB_PAGE_BYTES as u64 + offset as u64
    }

    /// The start of the bytes after the last item.
    pub fn end(&self) -> u64 {
        match self.items.checked_sub(1) {
            None => self.start,
            Some(last) => self.byte_of(last) + self.stride as u64,
        }
    }

    /// The part with an item, which must exist.
    pub fn part_of(&self, item: u32) -> Part {
        let (first, others) = self.fitting();
        let number = match item.checked_sub(first) {
            None => 0,
            Some(after) => first + after / others * others,
        };
        let (page, offset) = self.position(number);
        let fitting = if number < first { first } else { others };
        Part { page, offset, first: number, items: fitting.min(self.items - number) }
    }

    /// The number of its parts.
    pub fn parts_count(&self) -> u32 {
        self.items.checked_sub(1).map_or(0, |last| self.part_number(last) + 1)
    }

    /// The number of the part with an item.
    pub fn part_number(&self, item: u32) -> u32 {
        let (first, others) = self.fitting();
        match item.checked_sub(first) {
            None => 0,
            Some(after) => u32::from(first > 0) + after / others,
        }
    }

    /// Its parts, in order.
    pub fn parts(&self) -> impl Iterator<Item = Part> + use<> {
        let run = *self;
        let mut next = 0;
        std::iter::from_fn(move || {
            (next < run.items).then(|| {
                let part = run.part_of(next);
                next = part.first + part.items;
                part
            })
        })
    }

    /// Calls `look` with the bytes of a part while its page is held.
    pub fn read<T>(&self, bytes: &impl PagedBytes, part: Part, look: impl FnOnce(&[u8]) -> Outcome<T>) -> Outcome<T> {
        bytes.read_page(part.page, |page| look(page.get(self.bytes_of(part)).ok_or_else(ends_early)?))
    }

    /// The bytes of a part in its page.
    pub fn bytes_of(&self, part: Part) -> Range<usize> {
        part.offset..part.offset + part.items as usize * self.stride
    }

    /// Appends the items to bytes that end where the run starts. `put` appends each item, with exactly the run's number
    /// of bytes.
    pub fn write(&self, out: &mut Vec<u8>, mut put: impl FnMut(u32, &mut Vec<u8>)) {
        for item in 0..self.items {
            out.resize(self.byte_of(item) as usize, 0);
            put(item, out);
            debug_assert_eq!(out.len() as u64, self.byte_of(item) + self.stride as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::segment::bytes::InMemory;

    proptest! {
        #[test]
        fn items_are_consecutive_and_each_is_in_one_page(
            start in 0_u64..20_000, stride in 1_usize..=BLOB_PAGE_BYTES, items in 0_u32..400,
        ) {
            let run = Run::new(start, stride, items).unwrap();
            let mut out = vec![0; start as usize];
            run.write(&mut out, |item, out| out.resize(out.len() + stride, item as u8));
            prop_assert_eq!(out.len() as u64, run.end());
            let mut next = 0;
            prop_assert_eq!(run.parts_count() as usize, run.parts().count());
            for (number, part) in (0..).zip(run.parts()) {
                prop_assert_eq!((part.first, run.part_number(part.first)), (next, number));
                run.read(&InMemory(&out), part, |bytes| {
                    for item in bytes.chunks(stride) {
                        assert!(item.iter().all(|byte| *byte == next as u8));
                        assert_eq!(run.part_of(next), part);
                        let offset = part.offset + (next - part.first) as usize * stride;
                        assert_eq!(run.position(next), (part.page, offset));
                        next += 1;
                    }
                    Ok(())
                }).unwrap();
            }
            prop_assert_eq!(next, items);
            prop_assert!(Run::checked(start, stride, items, run.end()).is_ok());
            prop_assert!(items == 0 || Run::checked(start, stride, items, run.end() - 1).is_err());
        }
    }

    #[test]
    fn an_impossible_run_is_none() {
        assert_eq!(Run::new(0, 0, 1), None);
        assert_eq!(Run::new(0, BLOB_PAGE_BYTES + 1, 1), None);
        assert_eq!(Run::new(u64::MAX, 6, 1), None);
        assert_eq!(Run::new(u64::from(u32::MAX) * BLOB_PAGE_BYTES as u64, BLOB_PAGE_BYTES, 9), None);
    }
}
