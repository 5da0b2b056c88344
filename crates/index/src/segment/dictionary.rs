//! A dictionary of a segment: hashes in ascending order, each with the address of its postings.
//!
//! An entry is the hash u64 and an info u32, little-endian. If there is one posting, the info has the highest bit set
//! and holds the posting: the document in 23 bits, its occurrences in the lowest 8. Else it is the offset of the list
//! among the postings of the segment. Hashes are evenly spread, so interpolation finds their positions well, and one or
//! two pages are read.

use memory_search_core::error::out_of_memory;
use memory_search_core::text::document::Occurrences;

use super::run::{Part, Run};
use crate::blob::PagedBytes;
use crate::document::occurrences;
use crate::fault::Outcome;

/// Bytes of an entry.
pub const ENTRY_BYTES: usize = 12;
/// Postings of a segment end before this byte.
pub const MAX_POSTING_BYTES: usize = 1 << 31;

const SINGLE: u32 = 1 << 31;
const SINGLE_DOCUMENTS: u32 = 1 << 23;
/// After so many wrong guesses, binary search takes over: hashes of a damaged dictionary may be spread in any way.
const GUESSES: u32 = 4;

/// The address of the postings of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Info {
    /// The only posting.
    Single(u32, Occurrences),
    /// From a byte of the postings on.
    List(u32),
}

impl Info {
    /// The only posting of a hash, if it fits.
    pub fn single(document: u32, found: Occurrences) -> Option<Info> {
        let fits = document < SINGLE_DOCUMENTS && occurrences::to_byte(found) != occurrences::ELSEWHERE;
        fits.then_some(Info::Single(document, found))
    }

    /// Appends the entry of a hash.
    pub fn put(self, hash: u64, out: &mut Vec<u8>) {
        let info = match self {
            Info::Single(document, found) => SINGLE | document << 8 | u32::from(occurrences::to_byte(found)),
            Info::List(start) => start,
        };
        out.extend_from_slice(&hash.to_le_bytes());
        out.extend_from_slice(&info.to_le_bytes());
    }

    fn read(entry: &[u8; ENTRY_BYTES]) -> Info {
        let info = u32::from_le_bytes([entry[8], entry[9], entry[10], entry[11]]);
        match info & SINGLE {
            0 => Info::List(info),
            _ => Info::Single((info & !SINGLE) >> 8, occurrences::of_byte(info as u8)),
        }
    }
}

fn hash_of(entry: &[u8; ENTRY_BYTES]) -> u64 {
    u64::from_le_bytes([entry[0], entry[1], entry[2], entry[3], entry[4], entry[5], entry[6], entry[7]])
}

/// The hashes that a page did not answer.
enum Look {
    /// All later than this one, which is the last of the page's entries.
    After(u64),
    /// The first is earlier than this one, which is the first of the page's entries.
    Before(u64),
}

/// Looks a hash up.
pub fn find(run: &Run, bytes: &impl PagedBytes, hash: u64) -> Outcome<Option<Info>> {
    let mut found = None;
    find_each(run, bytes, &[hash], |_, info| found = Some(info))?;
    Ok(found)
}

/// Looks up ascending hashes, and calls `found` with the number of each that is there. One read of a page answers all
/// hashes with entries in it, so that many hashes read each page of the dictionary about once.
pub fn find_each(
    run: &Run,
    bytes: &impl PagedBytes,
    hashes: &[u64],
    mut found: impl FnMut(usize, Info),
) -> Outcome<()> {
    // The number of answered hashes, and the first entry (`from`) that the other hashes can have.
    let (mut answered, mut from, mut from_hash) = (0, 0, 0);
    while answered < hashes.len() {
        let (mut low, mut high) = (from, run.items());
        let (mut low_hash, mut high_hash) = (from_hash, u64::MAX);
        let (first, mut looks) = (answered, 0);
        // Each round leaves out a page's entries.
        while answered == first && low < high {
            let middle = match looks < GUESSES {
                true => low + guess(hashes[first], low_hash, high_hash, high - low),
                false => low + (high - low) / 2,
            };
            looks += 1;
            let part = clipped(run.part_of(middle), run.stride(), low, high);
            match run.read(bytes, part, |entries| Ok(look(entries, hashes, &mut answered, &mut found)))? {
                Look::Before(first) => (high, high_hash) = (part.first, first),
                Look::After(last) => (low, low_hash) = (part.first + part.items, last),
            }
        }
        if answered == first {
            answered += 1;
        }
        (from, from_hash) = (low, low_hash);
    }
    Ok(())
}

/// The guessed place of a hash among `entries` entries, at least one, evenly spread between two hashes.
fn guess(hash: u64, low: u64, high: u64, entries: u32) -> u32 {
    let (above, range) = (u128::from(hash.saturating_sub(low)), u128::from(high.saturating_sub(low)) + 1);
    ((above * u128::from(entries) / range) as u32).min(entries - 1)
}

/// The entries of a part from `low` up to `high`.
fn clipped(part: Part, stride: usize, low: u32, high: u32) -> Part {
    let first = part.first.max(low);
    let end = (part.first + part.items).min(high);
    let offset = part.offset + (first - part.first) as usize * stride;
    Part { offset, first, items: end - first, ..part }
}

/// Answers the hashes from `answered` on that are in the range of a page's entries, at least one.
fn look(entries: &[u8], hashes: &[u64], answered: &mut usize, found: &mut impl FnMut(usize, Info)) -> Look {
    let mut entries = entries.as_chunks::<ENTRY_BYTES>().0;
    let (first, last) = (entries.first().map_or(u64::MAX, hash_of), entries.last().map_or(0, hash_of));
    if hashes[*answered] < first {
        return Look::Before(first);
    }
    while let Some(&hash) = hashes.get(*answered).filter(|hash| **hash <= last) {
        entries = &entries[first_from(entries, hash, last)..];
        if let Some(entry) = entries.first().filter(|entry| hash_of(entry) == hash) {
            found(*answered, Info::read(entry));
        }
        *answered += 1;
    }
    Look::After(last)
}

/// The position of the first entry whose hash is not below `hash`, which is at most `last`, the hash of the last entry.
/// The search starts at the position by interpolation, because binary search would touch more of the page.
fn first_from(entries: &[[u8; ENTRY_BYTES]], hash: u64, last: u64) -> usize {
    let Some(first) = entries.first().map(hash_of) else { return 0 };
    if hash <= first {
        return 0;
    }
    let guessed = guess(hash, first, last, entries.len() as u32) as usize;
    let is_below = |place: usize| hash_of(&entries[place]) < hash;
    let (mut low, mut high, mut step) = (guessed, guessed, 4);
    // Everything before `low` is below the hash, and nothing from `high` on.
    while low > 0 && !is_below(low - 1) {
        (low, high) = (low.saturating_sub(step), low);
        step *= 2;
    }
    step = 4;
    while high < entries.len() && is_below(high) {
        (low, high) = (high + 1, (high + step).min(entries.len()));
        step *= 2;
    }
    low + entries[low..high].partition_point(|entry| hash_of(entry) < hash)
}

/// All entries, in order.
pub fn entries(run: &Run, bytes: &impl PagedBytes) -> Outcome<Vec<(u64, Info)>> {
    let mut all = Vec::new();
    all.try_reserve_exact(run.items() as usize).map_err(|_| out_of_memory())?;
    for part in run.parts() {
        run.read(bytes, part, |entries| {
            all.extend(entries.as_chunks().0.iter().map(|entry| (hash_of(entry), Info::read(entry))));
            Ok(())
        })?;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::segment::bytes::InMemory;

    /// Counts the pages that are read.
    struct Counted<'a>(InMemory<'a>, Cell<u32>);

    impl PagedBytes for Counted<'_> {
        fn len(&self) -> u64 {
            self.0.len()
        }

        fn read_page<T>(&self, page: u32, look: impl FnOnce(&[u8]) -> Outcome<T>) -> Outcome<T> {
            self.1.set(self.1.get() + 1);
            self.0.read_page(page, look)
        }
    }

    fn check(hashes: &[u64]) -> f64 {
        let run = Run::new(100, ENTRY_BYTES, hashes.len() as u32).unwrap();
        let mut out = vec![0; 100];
        run.write(&mut out, |item, out| Info::List(item).put(hashes[item as usize], out));
        let counted = Counted(InMemory(&out), Cell::new(0));
        for (item, &hash) in hashes.iter().enumerate() {
            assert_eq!(find(&run, &counted, hash).unwrap(), Some(Info::List(item as u32)));
        }
        let pages = f64::from(counted.1.get()) / hashes.len() as f64;
        check_many(&run, &counted, hashes);
        for hash in hashes.iter().flat_map(|hash| [hash.wrapping_sub(1), hash.wrapping_add(1)]) {
            let there = hashes.binary_search(&hash).is_ok();
            assert_eq!(find(&run, &counted, hash).unwrap().is_some(), there);
        }
        pages
    }

    /// Present and missing hashes, some of them twice, get the same results together as one by one, with few reads of
    /// pages.
    fn check_many(run: &Run, counted: &Counted<'_>, hashes: &[u64]) {
        for step in [19, 300, 5_000] {
            let some = hashes.iter().step_by(step);
            let mut asked: Vec<u64> =
                some.flat_map(|hash| [hash.wrapping_sub(1), *hash, *hash, hash.wrapping_add(1)]).collect();
            asked.sort_unstable();
            counted.1.set(0);
            let mut together = vec![None; asked.len()];
            find_each(run, counted, &asked, |which, info| together[which] = Some(info)).unwrap();
            let looks = counted.1.replace(0);
            let apart: Vec<_> = asked.iter().map(|hash| find(run, counted, *hash).unwrap()).collect();
            assert_eq!(together, apart);
            assert!(looks <= counted.1.get(), "{looks} looks, and {} one by one", counted.1.get());
        }
    }

    #[test]
    fn a_hash_is_found_with_one_or_two_page_reads() {
        let mut hashes: Vec<u64> = (1..60_000_u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n << 17).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert!(check(&hashes) < 2.0, "{}", check(&hashes));
    }

    #[test]
    fn many_hashes_together_read_each_page_twice_at_most() {
        let hashes = Vec::from_iter((1..60_000_u64).map(|n| n * (u64::MAX / 60_000)));
        let run = Run::new(0, ENTRY_BYTES, hashes.len() as u32).unwrap();
        let mut out = Vec::new();
        run.write(&mut out, |item, out| Info::List(item).put(hashes[item as usize], out));
        let counted = Counted(InMemory(&out), Cell::new(0));
        let asked: Vec<u64> = hashes.iter().copied().step_by(20).collect();
        let mut found = 0;
        find_each(&run, &counted, &asked, |which, info| {
            assert_eq!(info, Info::List(which as u32 * 20));
            found += 1;
        })
        .unwrap();
        assert_eq!(found, asked.len());
        let pages = run.parts().count() as u32;
        assert!(counted.1.get() <= 2 * pages, "{} looks at {pages} pages", counted.1.get());
    }

    #[test]
    fn hashes_that_are_not_evenly_spread_are_found_too() {
        check(&[]);
        check(&[u64::MAX]);
        check(&[0, 1, u64::MAX - 1, u64::MAX]);
        check(&Vec::from_iter((0..5_000).chain(u64::MAX - 5_000..u64::MAX)));
        assert!(check(&Vec::from_iter((0..20_000).map(|n| n * n * n))) < 12.0);
    }

    #[test]
    fn entries_are_read_as_they_were_written() {
        let once = Occurrences { by_weight: [1, 0, 0, 3] };
        let infos = [Info::List(0), Info::List((1 << 31) - 1), Info::single(SINGLE_DOCUMENTS - 1, once).unwrap()];
        let mut out = Vec::new();
        infos.iter().enumerate().for_each(|(hash, info)| info.put(hash as u64, &mut out));
        let run = Run::new(0, ENTRY_BYTES, 3).unwrap();
        let expected: Vec<_> = (0..3).zip(infos).collect();
        assert_eq!(entries(&run, &InMemory(&out)).unwrap(), expected);
        assert_eq!(Info::single(SINGLE_DOCUMENTS, once), None);
        assert_eq!(Info::single(0, Occurrences { by_weight: [4, 0, 0, 0] }), None);
    }
}
