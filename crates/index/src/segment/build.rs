//! Making a segment of documents.

use std::cmp::Reverse;

use memory_search_core::error::{Error, ErrorKind, out_of_memory};
use memory_search_core::text::document::Occurrences;

use super::dictionary::{ENTRY_BYTES, Info, MAX_POSTING_BYTES};
use super::groups::{self, Group, StoredGroup};
use super::header::{GROUP_BYTES, Header, MAX_NUMBERS, header_bytes};
use super::run::Run;
use super::{column, extents, postings};
use crate::document::{Document, occurrences};
use crate::fault::{Fault, Outcome, damaged_content};
use crate::place::PLACE_BYTES;

/// The greatest number of highest bits of a hash by which counting sorts the postings.
const MOST_BUCKET_BITS: u32 = 16;

/// Segments of so many documents or codes have their codes in two parts: with fewer, a search reads nearly all of them
/// anyway. Tests have small segments of both kinds.
const LEAST_IN_PARTS: usize = if cfg!(test) { 4 } else { 8_192 };

/// The work between two ticks: less than a millisecond each, for documents of a hundred words.
const DOCUMENTS_A_TICK: u32 = 512;
const BUCKETS_A_TICK: usize = 1_024;
const HASHES_A_TICK: usize = 8_192;

/// A document with the groups of its codes.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentDocument {
    /// The document.
    pub document: Document,
    /// The number of the group of each of its codes.
    pub groups: Vec<u32>,
}

/// The bytes of a segment of documents with `numbers` numbers each. Sorts the documents by their numbers, the first
/// column first, nulls first, then by place, and numbers them in this order. Groups without documents are left out.
///
/// Fails if memory is short, if a segment cannot hold so much (54000), and if documents are invalid (XX002 or XX000): a
/// hash twice, a missing group, more or fewer groups than codes, codes of several lengths in a group.
pub fn build(documents: &mut [SegmentDocument], groups: &[Group], numbers: usize) -> Outcome<Vec<u8>> {
    build_ticking(documents, groups, numbers, &|| Ok(()))
}

/// Builds a segment of many documents, which takes long, so it calls `tick` every few milliseconds.
pub fn build_ticking(
    documents: &mut [SegmentDocument],
    groups: &[Group],
    numbers: usize,
    tick: &impl Fn() -> Outcome<()>,
) -> Outcome<Vec<u8>> {
    let count = u32::try_from(documents.len()).map_err(|_| too_large())?;
    if numbers > MAX_NUMBERS || documents.iter().any(|one| one.document.numbers.len() != numbers) {
        return Err(internal("documents of a segment have other numbers than the index"));
    }
    documents.sort_unstable_by(|a, b| {
        a.document.numbers.cmp(&b.document.numbers).then_with(|| a.document.place.cmp(&b.document.place))
    });
    let documents = &*documents;
    let lexemes = inverted(documents, |document| document.lexemes.iter().copied(), tick)?;
    let once = Occurrences { by_weight: [1, 0, 0, 0] };
    let terms = inverted(documents, |document| document.terms.iter().map(move |&term| (term, once)), tick)?;
    let usual = usual(&lexemes);
    let mut lists = Vec::new();
    let usual_occurrences = occurrences::of_byte(usual);
    let put_lexeme = |out: &mut Vec<u8>, gaps: &mut Vec<u8>, found: &[Posting]| {
        postings::put_lexeme(out, gaps, found.iter().map(|one| (one.document, one.occurrences)), usual_occurrences);
    };
    let lexemes = listed(&lexemes, &mut lists, put_lexeme, tick)?;
    let put_term = |out: &mut Vec<u8>, gaps: &mut Vec<u8>, found: &[Posting]| {
        postings::put_term(out, gaps, found.iter().map(|one| one.document), count);
    };
    let terms = listed(&terms, &mut lists, put_term, tick)?;

    let mut out = Vec::new();
    reserve(&mut out, header_bytes(numbers) + documents.len() * (PLACE_BYTES + 16 * (numbers + 1)))?;
    out.resize(header_bytes(numbers), 0);
    let places = run(&out, PLACE_BYTES, documents.len())?;
    places.write(&mut out, |item, out| out.extend(documents[item as usize].document.place.to_bytes()));
    let extents = extents::write(places, &mut out).ok_or_else(|| internal("a document to add is dead"))?;
    let lengths = column::write(documents.iter().map(|one| Some(i64::from(one.document.length))), &mut out);
    let ordered_by = ordered_by(documents, numbers);
    let numbers = (0..numbers)
        .map(|column| column::write(documents.iter().map(|one| one.document.numbers[column]), &mut out))
        .collect();
    let lexemes = write_dictionary(&lexemes, &mut out)?;
    let terms = write_dictionary(&terms, &mut out)?;
    reserve(&mut out, lists.len())?;
    let postings = (out.len() as u64, (out.len() + lists.len()) as u64);
    out.append(&mut lists);
    tick()?;
    let groups = write_groups(documents, groups, &mut out, tick)?;

    let length = out.len() as u64;
    let documents = count;
    let header = Header {
        usual,
        documents,
        ordered_by,
        places,
        extents,
        lexemes,
        terms,
        postings,
        groups,
        length,
        lengths,
        numbers,
    };
    let header = header.to_bytes();
    out[..header.len()].copy_from_slice(&header);
    Ok(out)
}

/// The least number of columns, from the first on, by which sorted documents differ, none of them null; 0 if there is
/// none.
fn ordered_by(documents: &[SegmentDocument], numbers: usize) -> u32 {
    let rises = |columns: usize| {
        let of = |document: usize| &documents[document].document.numbers[..columns];
        (0..documents.len()).all(|document| of(document).iter().all(Option::is_some))
            && (1..documents.len()).all(|document| of(document - 1) < of(document))
    };
    (1..=numbers).find(|&columns| rises(columns)).unwrap_or(0) as u32
}

fn internal(what: &str) -> Fault {
    Fault::Error(Error::new(ErrorKind::Internal, what))
}

fn too_large() -> Fault {
    Fault::Error(Error::new(ErrorKind::LimitExceeded, "a segment of the memory index cannot hold so much"))
}

fn reserve<T>(out: &mut Vec<T>, more: usize) -> Outcome<()> {
    out.try_reserve(more).map_err(|_| out_of_memory().into())
}

fn run(out: &[u8], stride: usize, items: usize) -> Outcome<Run> {
    u32::try_from(items).ok().and_then(|items| Run::new(out.len() as u64, stride, items)).ok_or_else(too_large)
}

/// A posting before it is written.
#[derive(Clone, Copy)]
struct Posting {
    hash: u64,
    document: u32,
    occurrences: Occurrences,
}

/// The items of documents, in the order of hashes, and for each hash in the order of documents. Hashes are evenly
/// distributed, so counting gives most of the order; hashes with the same highest bits are sorted.
fn inverted<'a, I>(
    documents: &'a [SegmentDocument],
    held: impl Fn(&'a Document) -> I,
    tick: &impl Fn() -> Outcome<()>,
) -> Outcome<Vec<Posting>>
where
    I: ExactSizeIterator<Item = (u64, Occurrences)>,
{
    let total = documents.iter().map(|one| held(&one.document).len()).sum::<usize>();
    let bits = (total / 8 + 2).ilog2().min(MOST_BUCKET_BITS);
    let bucket = |hash: u64| (hash >> (64 - bits)) as usize;
    let mut nexts = filled(0_usize, 1 << bits)?;
    for (hash, _) in documents.iter().flat_map(|one| held(&one.document)) {
        nexts[bucket(hash)] += 1;
    }
    let mut start = 0;
    for next in &mut nexts {
        start += std::mem::replace(next, start);
    }
    let mut all = filled(Posting { hash: 0, document: 0, occurrences: Occurrences::default() }, total)?;
    for (document, one) in (0_u32..).zip(documents) {
        if document.is_multiple_of(DOCUMENTS_A_TICK) {
            tick()?;
        }
        for (hash, occurrences) in held(&one.document) {
            let next = &mut nexts[bucket(hash)];
            all[*next] = Posting { hash, document, occurrences };
            *next += 1;
        }
    }
    let mut start = 0;
    for (bucket, end) in nexts.into_iter().enumerate() {
        if bucket.is_multiple_of(BUCKETS_A_TICK) {
            tick()?;
        }
        all[start..end].sort_unstable_by_key(|posting| (posting.hash, posting.document));
        start = end;
    }
    let twice = |pair: &[Posting]| pair[0].hash == pair[1].hash && pair[0].document == pair[1].document;
    match all.windows(2).any(twice) {
        true => Err(damaged_content("a document holds a hash twice")),
        false => Ok(all),
    }
}

fn filled<T: Clone>(with: T, length: usize) -> Outcome<Vec<T>> {
    let mut all = Vec::new();
    reserve(&mut all, length)?;
    all.resize(length, with);
    Ok(all)
}

/// The byte of the most frequent occurrences.
fn usual(postings: &[Posting]) -> u8 {
    let mut counts = [0_u64; 256];
    postings.iter().for_each(|posting| counts[usize::from(occurrences::to_byte(posting.occurrences))] += 1);
    (1..=255).max_by_key(|&byte| (counts[usize::from(byte)], Reverse(byte))).unwrap_or(1)
}

/// Writes the lists of all hashes, and returns the entries of their dictionary.
fn listed(
    postings: &[Posting],
    lists: &mut Vec<u8>,
    put: impl Fn(&mut Vec<u8>, &mut Vec<u8>, &[Posting]),
    tick: &impl Fn() -> Outcome<()>,
) -> Outcome<Vec<(u64, Info)>> {
    let (mut entries, mut gaps) = (Vec::new(), Vec::new());
    for found in postings.chunk_by(|a, b| a.hash == b.hash) {
        if entries.len().is_multiple_of(HASHES_A_TICK) {
            tick()?;
        }
        let info = match found {
            [one] => Info::single(one.document, one.occurrences),
            _ => None,
        };
        let info = match info {
            Some(info) => info,
            None => {
                let start = u32::try_from(lists.len()).map_err(|_| too_large())?;
                gaps.clear();
                reserve(&mut gaps, postings::MAX_BYTES * found.len())?;
                reserve(lists, postings::MAX_BYTES * (2 + found.len()))?;
                put(lists, &mut gaps, found);
                Info::List(start)
            }
        };
        if lists.len() >= MAX_POSTING_BYTES {
            return Err(too_large());
        }
        reserve(&mut entries, 1)?;
        entries.push((found[0].hash, info));
    }
    Ok(entries)
}

fn write_dictionary(entries: &[(u64, Info)], out: &mut Vec<u8>) -> Outcome<Run> {
    let run = run(out, ENTRY_BYTES, entries.len())?;
    reserve(out, (run.end() - out.len() as u64) as usize)?;
    run.write(out, |item, out| {
        let (hash, info) = entries[item as usize];
        info.put(hash, out);
    });
    Ok(run)
}

/// Writes means and codes, then their table, and returns the number of groups and the start of the table.
fn write_groups(
    documents: &[SegmentDocument],
    groups: &[Group],
    out: &mut Vec<u8>,
    tick: &impl Fn() -> Outcome<()>,
) -> Outcome<(u32, u64)> {
    let mut codes = Vec::new();
    reserve(&mut codes, groups.len())?;
    codes.resize_with(groups.len(), Vec::new);
    let mut count = 0;
    for (document, one) in (0_u32..).zip(documents) {
        if one.groups.len() != one.document.codes.len() {
            return Err(internal("a document has more or fewer groups than codes"));
        }
        for (code, &group) in one.document.codes.iter().zip(&one.groups) {
            let own = codes.get_mut(group as usize).ok_or_else(|| internal("a code is of no group"))?;
            reserve(own, 1)?;
            own.push((document, &code[..]));
            count += 1;
        }
    }
    // A reader numbers them.
    u32::try_from(count).map_err(|_| too_large())?;
    let in_parts = documents.len().max(count) >= LEAST_IN_PARTS;
    let repeats = documents.iter().any(|one| one.groups.len() > 1);
    let mut used = Vec::new();
    reserve(&mut used, groups.len())?;
    for (group, codes) in groups.iter().zip(&codes).filter(|(_, codes)| !codes.is_empty()) {
        let mean = groups::write_mean(group, out)?.ok_or_else(too_large)?;
        used.push((group, mean, codes));
    }
    let mut table = Vec::new();
    for (group, mean, codes) in used {
        tick()?;
        let stored = StoredGroup::write((group, mean), codes, (in_parts, repeats), out, tick)?;
        let stored = stored.ok_or_else(|| internal("a code of a group has other dimensions than the group"))?;
        table.extend_from_slice(&stored.to_bytes());
    }
    let start = out.len() as u64;
    let count = table.len() / GROUP_BYTES;
    reserve(out, table.len())?;
    out.append(&mut table);
    Ok((u32::try_from(count).map_err(|_| too_large())?, start))
}
